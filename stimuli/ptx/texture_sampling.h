// SPDX-License-Identifier: Apache-2.0
#pragma once

// Texture sampling as arithmetic: coordinates to texel addresses and weights, bytes of texels to
// channels, and the weighted sum. No state. (CUDA C++ Programming Guide, "Texture Fetching".)
//
// Where the guide leaves something open: coordinates are computed in double precision, which holds
// a float times a width exactly; the weight of a texel is rounded to the nearest multiple of 1/256,
// ties up; a texel of weight 0 takes no part in the sum; a NaN coordinate, and an infinite one that
// is wrapped or mirrored, count as 0; linear filtering clamps texel indices, not coordinates.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "stimuli/ptx/texture_form.h"
#include "stimuli/texture.h"

namespace tessera::ptx {

/// Where one lane samples.
struct TextureCoordinates {
  std::array<float, 3> position{};
  /// Texel indices, used instead when `integers`: never filtered or normalised.
  std::array<std::int32_t, 3> index{};
  bool integers = false;
  std::uint32_t layer = 0;  ///< clamped to the layers
};

/// The texels of one lane. Bit a of a corner's number: the upper one along axis a.
struct Footprint {
  const TextureDescriptor* texture = nullptr;
  unsigned corners = 1;  ///< 1, 2, 4 or 8
  /// 0: outside the texture, where outside_value() is read.
  std::array<Address, kMaxCorners> address{};
  /// Weight of the upper texels along each axis, 0 to 256.
  std::array<std::uint16_t, 3> weight{};
};

/// Four channels, as float bits or as integers (reads_floats()).
using Texel = std::array<std::uint32_t, 4>;

bool reads_floats(const TextureDescriptor& t);
/// `gathers`: the four texels of tld4, whatever the filter is.
Footprint footprint(const TextureDescriptor& t, const TextureCoordinates& at, bool gathers);
/// The texel that has these bytes. Channels that it lacks are 0, the fourth one 1.
Texel unpack(const TextureDescriptor& t, const std::byte* bytes);
/// The border colour; 0 outside linear memory.
Texel outside_value(const TextureDescriptor& t);
/// The weighted sum of floats; with one corner, that texel.
Texel filter(const Footprint& f, const std::array<Texel, kMaxCorners>& texels);
/// tld4: texels (0, 1), (1, 1), (1, 0), (0, 0) of the footprint.
Texel gather(const std::array<Texel, kMaxCorners>& texels, unsigned channel);

/// Why the instruction cannot sample that texture; empty when it can.
std::string why_not_sampled(const TextureForm& form, const TextureDescriptor& t);
/// The same of a surface access.
std::string why_not_accessed(const TextureForm& form, const TextureDescriptor& t);

/// Address of `bytes` bytes at byte x, row y, slice z of a surface's layer. Nothing when they are
/// outside and `clamps` is false.
std::optional<Address> surface_address(const TextureDescriptor& t,
                                       const std::array<std::int32_t, 3>& at, std::uint32_t layer,
                                       unsigned bytes, bool clamps);

/// txq, suq. Dimensions and layers that the texture lacks are 0.
std::uint32_t query(const TextureDescriptor& t, TextureQuery what);

}  // namespace tessera::ptx
