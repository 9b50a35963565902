// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arithmetic of texture sampling: coordinates to texel addresses and weights, bytes of texels to
// channels, and the weighted sum. No state. (CUDA C++ Programming Guide, "Texture Fetching".)
//
// Choices that the guide leaves open:
// * Coordinates are computed in double precision, which holds a float times a width exactly.
// * The weight of a texel is rounded to the nearest multiple of 1/256, ties up.
// * A texel of weight 0 is not part of the sum.
// * A NaN coordinate, and an infinite one that is wrapped or mirrored, count as 0.
// * Linear filtering clamps texel indices, not coordinates.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "stimuli/ptx/texture_form.h"
#include "stimuli/texture.h"

namespace tessera::ptx {

/// The coordinates of one lane.
struct TextureCoordinates {
  std::array<float, 3> position{};
  /// Texel indices, used instead of `position` if `integers`; never filtered or normalised.
  std::array<std::int32_t, 3> index{};
  bool integers = false;
  std::uint32_t layer = 0;  ///< clamped to the number of layers
};

/// The texels of one lane. Bit a of a corner's index selects the upper texel along axis a.
struct Footprint {
  const TextureDescriptor* texture = nullptr;
  unsigned corners = 1;  ///< 1, 2, 4 or 8
  /// 0: outside the texture; reads outside_value().
  std::array<Address, kMaxCorners> address{};
  /// Weight of the upper texels along each axis, 0 to 256.
  std::array<std::uint16_t, 3> weight{};
};

/// Four channels, as float bits or as integers (reads_floats()).
using Texel = std::array<std::uint32_t, 4>;

bool reads_floats(const TextureDescriptor& t);
/// `gathers`: the four texels of tld4, independent of the filter mode.
Footprint footprint(const TextureDescriptor& t, const TextureCoordinates& at, bool gathers);
/// Unpacks the bytes of a texel. Missing channels are 0, a missing fourth channel is 1.
Texel unpack(const TextureDescriptor& t, const std::byte* bytes);
/// The border colour; 0 outside linear memory.
Texel outside_value(const TextureDescriptor& t);
/// The weighted sum of floats; with one corner, its texel.
Texel filter(const Footprint& f, const std::array<Texel, kMaxCorners>& texels);
/// tld4: texels (0, 1), (1, 1), (1, 0), (0, 0) of the footprint.
Texel gather(const std::array<Texel, kMaxCorners>& texels, unsigned channel);

/// The reason why the instruction cannot sample the texture; empty if it can.
std::string why_not_sampled(const TextureForm& form, const TextureDescriptor& t);
/// The same for a surface access.
std::string why_not_accessed(const TextureForm& form, const TextureDescriptor& t);

/// Address of `bytes` bytes at byte x, row y, slice z of a surface's layer. Nothing when they are
/// outside and `clamps` is false.
std::optional<Address> surface_address(const TextureDescriptor& t,
                                       const std::array<std::int32_t, 3>& at, std::uint32_t layer,
                                       unsigned bytes, bool clamps);

/// Result of txq and suq. Missing dimensions and layers are 0.
std::uint32_t query(const TextureDescriptor& t, TextureQuery what);

}  // namespace tessera::ptx
