// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does not change between the executions of one texture or surface instruction
// (PTX ISA 9.7.9 "Texture Instructions", 9.7.10 "Surface Instructions").

#include <array>
#include <cstdint>

#include "stimuli/ptx/exec.h"

namespace tessera::ptx {

enum class TextureResult : std::uint8_t { kF32, kS32, kU32 };
enum class SurfaceBoundary : std::uint8_t { kTrap, kClamp, kZero };
enum class TextureQuery : std::uint8_t { kWidth, kHeight, kDepth, kArraySize, kNormalized, kOne };

struct TextureForm {
  std::uint8_t dimensions = 1;  ///< 1 to 3, layers not counted
  bool layered = false;
  bool integer_coordinates = false;
  /// tex.level: the level must be 0 at run time.
  bool has_level = false;
  bool integer_level = false;
  /// tld4: one channel of the four texels that linear filtering reads.
  bool gathers = false;
  std::uint8_t channel = 0;
  TextureResult type = TextureResult::kF32;
  SurfaceBoundary boundary = SurfaceBoundary::kTrap;
  bool is_store = false;
  TextureQuery query = TextureQuery::kWidth;
  /// The handle is bound to a .texref or .surfref.
  bool is_reference = false;
  /// Which of the warp's hidden texel buffers it fills.
  std::uint8_t set = 0;
  Slot handle;  ///< 64-bit cells
  Slot layer;
  Slot level;
  std::array<Slot, 3> coordinate{};
  std::array<Slot, 4> result{};
  /// First of its texel buffers: corner c's is at c * kTexelBuffer. The first 8 bytes of all lanes'
  /// texels come first, then the second 8.
  Slot texels;
};

/// Bytes of the texels of one corner, of all lanes.
inline constexpr std::uint32_t kTexelBuffer = kWarpLanes * kMaxLaneBytes;
/// Texels that linear filtering of three dimensions reads.
inline constexpr unsigned kMaxCorners = 8;

}  // namespace tessera::ptx
