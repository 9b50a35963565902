// SPDX-License-Identifier: Apache-2.0
#pragma once

// Textures and surfaces of a device: arrays of texels in device memory, and how they are sampled.
// (CUDA C++ Programming Guide, "Texture and Surface Memory" and "Texture Fetching".)

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "stimuli/device_memory.h"

namespace tessera {

/// What a coordinate outside the array reads. Wrap and mirror need normalised coordinates;
/// unnormalised ones clamp instead, as the guide says.
enum class TextureAddressing : std::uint8_t { kWrap, kClamp, kMirror, kBorder };
enum class TextureFilter : std::uint8_t { kPoint, kLinear };
enum class TexelType : std::uint8_t { kUnsigned, kSigned, kFloat };

/// One texture or surface. Texel (x, y, z) of layer l is at
/// base + l * layer_bytes + z * slice_bytes + y * row_bytes + x * texel_bytes().
struct TextureDescriptor {
  std::string name;  ///< for messages
  Address base = 0;
  unsigned dimensions = 2;  ///< 1 to 3, layers not counted
  std::uint32_t width = 1;  ///< texels
  std::uint32_t height = 1;
  std::uint32_t depth = 1;
  std::uint32_t layers = 0;  ///< 0: not layered
  std::uint64_t row_bytes = 0;
  std::uint64_t slice_bytes = 0;
  std::uint64_t layer_bytes = 0;
  unsigned channels = 1;       ///< 1, 2 or 4
  unsigned channel_bytes = 4;  ///< 1, 2 or 4
  TexelType type = TexelType::kFloat;
  std::array<TextureAddressing, 3> addressing{TextureAddressing::kClamp, TextureAddressing::kClamp,
                                              TextureAddressing::kClamp};
  TextureFilter filter = TextureFilter::kPoint;
  /// Coordinates are in [0, 1) instead of in texels.
  bool normalized_coordinates = false;
  /// Integer texels of 1 or 2 bytes are read as floats in [0, 1] or [-1, 1].
  bool normalized_read = false;
  /// A surface: read and written by suld and sust, not sampled.
  bool is_surface = false;
  /// Linear memory (tex1Dfetch): integer coordinates only; outside it reads 0.
  bool linear_memory = false;
  std::array<float, 4> border{};

  unsigned texel_bytes() const { return channels * channel_bytes; }
};

/// The textures and surfaces of one device, by handle (cudaTextureObject_t, cudaSurfaceObject_t).
class TextureTable {
 public:
  /// Handles are small numbers from here on, so that an address never passes for one.
  static constexpr std::uint64_t kFirstHandle = 0x100;

  std::uint64_t add(TextureDescriptor descriptor) {
    all_.push_back(std::move(descriptor));
    return kFirstHandle + all_.size() - 1;
  }
  /// Nullptr when nothing has that handle.
  const TextureDescriptor* find(std::uint64_t handle) const {
    const std::uint64_t index = handle - kFirstHandle;
    return handle >= kFirstHandle && index < all_.size() ? &all_[index] : nullptr;
  }
  /// Binds a module's texture or surface reference of that name.
  void bind(const std::string& reference, std::uint64_t handle) { bound_[reference] = handle; }
  /// The handle that is bound to a reference; 0 when none is.
  std::uint64_t bound(const std::string& reference) const {
    const auto it = bound_.find(reference);
    return it == bound_.end() ? 0 : it->second;
  }
  const std::vector<TextureDescriptor>& all() const { return all_; }

 private:
  std::vector<TextureDescriptor> all_;
  std::map<std::string, std::uint64_t> bound_;
};

}  // namespace tessera
