// SPDX-License-Identifier: Apache-2.0
#pragma once

// The static properties of a texture or surface instruction (PTX ISA 9.7.9 "Texture Instructions",
// 9.7.10 "Surface Instructions").

#include <array>
#include <cstdint>

#include "stimuli/ptx/exec.h"

namespace tessera::ptx {

enum class TextureResult : std::uint8_t { kF32, kS32, kU32 };
enum class SurfaceBoundary : std::uint8_t { kTrap, kClamp, kZero };
enum class TextureQuery : std::uint8_t { kWidth, kHeight, kDepth, kArraySize, kNormalized, kOne };

struct TextureForm {
  std::uint8_t dimensions = 1;  ///< 1 to 3, without layers
  bool layered = false;
  bool integer_coordinates = false;
  /// tex.level: the level must be 0 at run time.
  bool has_level = false;
  bool integer_level = false;
  /// tld4: reads one channel of the four texels of linear filtering.
  bool gathers = false;
  std::uint8_t channel = 0;
  TextureResult type = TextureResult::kF32;
  SurfaceBoundary boundary = SurfaceBoundary::kTrap;
  bool is_store = false;
  TextureQuery query = TextureQuery::kWidth;
  /// The handle is bound to a .texref or .surfref.
  bool is_reference = false;
  /// Index of the warp's hidden texel buffer set that it fills.
  std::uint8_t set = 0;
  Slot handle;  ///< 64-bit cells
  Slot layer;
  Slot level;
  std::array<Slot, 3> coordinate{};
  std::array<Slot, 4> result{};
  /// First of its texel buffers; corner c's buffer is at c * kTexelBuffer. A buffer holds the first
  /// 8 bytes of all lanes' texels, then the second 8 bytes.
  Slot texels;
};

/// Bytes of the texels of one corner for all lanes.
inline constexpr std::uint32_t kTexelBuffer = kWarpLanes * kMaxLaneBytes;
/// Texels per lane of linear filtering in three dimensions.
inline constexpr unsigned kMaxCorners = 8;

}  // namespace tessera::ptx
