// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/texture_sampling.h"

#include <algorithm>
#include <cmath>

#include "common/half.h"

namespace tessera::ptx {

namespace {

/// Coordinates are clamped to this magnitude, so that texel indices do not overflow.
constexpr double kFarAway = 0x1p40;
constexpr unsigned kWeightOne = 256;

/// The one or two texels of an axis, and the weight of the second.
struct AxisSample {
  std::array<std::int64_t, 2> index{};
  std::uint16_t weight = 0;
};

std::uint32_t extent(const TextureDescriptor& t, unsigned axis) {
  return axis == 0 ? t.width : axis == 1 ? t.height : t.depth;
}

/// Addressing mode of an axis; unnormalised coordinates neither wrap nor mirror.
TextureAddressing addressing_of(const TextureDescriptor& t, unsigned axis, bool integers) {
  const TextureAddressing a = t.addressing[axis];
  const bool repeats = a == TextureAddressing::kWrap || a == TextureAddressing::kMirror;
  return repeats && (!t.normalized_coordinates || integers) ? TextureAddressing::kClamp : a;
}

/// A texel index within [0, size), or -1 for the border.
std::int64_t place_index(std::int64_t i, std::int64_t size, TextureAddressing addressing) {
  if (i >= 0 && i < size) return i;
  switch (addressing) {
    case TextureAddressing::kBorder:
      return -1;
    case TextureAddressing::kWrap:
      return i < 0 ? i + size : i - size;  // adjacent to a wrapped coordinate
    case TextureAddressing::kClamp:
    case TextureAddressing::kMirror:
      break;
  }
  return i < 0 ? 0 : size - 1;
}

AxisSample sample_axis(double x, const TextureDescriptor& t, unsigned axis, bool linear) {
  const std::int64_t size = extent(t, axis);
  const TextureAddressing addressing = addressing_of(t, axis, false);
  const bool repeats =
      addressing == TextureAddressing::kWrap || addressing == TextureAddressing::kMirror;
  if (std::isnan(x) || (repeats && std::isinf(x))) x = 0;
  if (repeats) {
    const double turn = std::floor(x);
    // The difference can round up to the next period.
    x = std::min(x - turn, 1 - 0x1p-53);
    if (addressing == TextureAddressing::kMirror && std::fmod(turn, 2) != 0) x = 1 - x;
  }
  if (t.normalized_coordinates) x *= static_cast<double>(size);
  x = std::min(std::max(x, -kFarAway), kFarAway);
  AxisSample s;
  if (!linear) {
    s.index[0] = place_index(static_cast<std::int64_t>(std::floor(x)), size, addressing);
    return s;
  }
  x -= 0.5;
  const double lower = std::floor(x);
  const auto i = static_cast<std::int64_t>(lower);
  s.index = {place_index(i, size, addressing), place_index(i + 1, size, addressing)};
  s.weight = static_cast<std::uint16_t>(std::floor((x - lower) * kWeightOne + 0.5));
  return s;
}

AxisSample index_axis(std::int64_t i, const TextureDescriptor& t, unsigned axis) {
  AxisSample s;
  const TextureAddressing addressing =
      t.linear_memory ? TextureAddressing::kBorder : addressing_of(t, axis, true);
  s.index[0] = place_index(i, extent(t, axis), addressing);
  return s;
}

std::uint32_t bits_of(float v) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &v, sizeof bits);
  return bits;
}
float float_of(std::uint32_t bits) {
  float v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}

std::uint32_t channel(const TextureDescriptor& t, const std::byte* from) {
  std::uint32_t raw = 0;
  __builtin_memcpy(&raw, from, t.channel_bytes);
  if (t.type == TexelType::kFloat) {
    if (t.channel_bytes == 4) return raw;
    return bits_of(HalfBits<Footprint>::to_float(static_cast<std::uint16_t>(raw)));
  }
  const unsigned shift = 32 - 8 * t.channel_bytes;
  if (t.type == TexelType::kSigned) {
    raw = static_cast<std::uint32_t>(static_cast<std::int32_t>(raw << shift) >> shift);
  }
  if (!t.normalized_read) return raw;
  const std::uint32_t most = (kAllLanes >> shift) >> (t.type == TexelType::kSigned ? 1 : 0);
  if (t.type == TexelType::kUnsigned) {
    return bits_of(static_cast<float>(raw) / static_cast<float>(most));
  }
  const auto value = static_cast<float>(static_cast<std::int32_t>(raw));
  return bits_of(std::max(-1.0f, value / static_cast<float>(most)));
}

/// Values of missing channels.
Texel default_texel(const TextureDescriptor& t) {
  return Texel{0, 0, 0, reads_floats(t) ? bits_of(1.0f) : 1u};
}

std::string shape(unsigned dimensions, bool layered) {
  return std::to_string(dimensions) + "-dimensional" + (layered ? ", layered" : "");
}

std::string why_not_shaped(const TextureForm& form, const TextureDescriptor& t) {
  if (t.dimensions == form.dimensions && (t.layers != 0) == form.layered) return {};
  return "'" + t.name + "' is " + shape(t.dimensions, t.layers != 0) + ", the instruction is for " +
         shape(form.dimensions, form.layered) + " ones";
}

}  // namespace

bool reads_floats(const TextureDescriptor& t) {
  return t.type == TexelType::kFloat || t.normalized_read;
}

Footprint footprint(const TextureDescriptor& t, const TextureCoordinates& at, bool gathers) {
  Footprint f;
  f.texture = &t;
  const bool linear = gathers || (t.filter == TextureFilter::kLinear && !at.integers);
  std::array<AxisSample, 3> axis{};
  for (unsigned a = 0; a < t.dimensions; ++a) {
    axis[a] = at.integers ? index_axis(at.index[a], t, a)
                          : sample_axis(static_cast<double>(at.position[a]), t, a, linear);
    f.weight[a] = axis[a].weight;
  }
  if (linear) f.corners = 1u << t.dimensions;
  Address base = t.base;
  if (t.layers != 0) base += std::min(at.layer, t.layers - 1) * t.layer_bytes;
  for (unsigned c = 0; c < f.corners; ++c) {
    const std::int64_t x = axis[0].index[c & 1u];
    const std::int64_t y = axis[1].index[c >> 1 & 1u];
    const std::int64_t z = axis[2].index[c >> 2 & 1u];
    if (x < 0 || y < 0 || z < 0) continue;
    f.address[c] = base + static_cast<std::uint64_t>(z) * t.slice_bytes +
                   static_cast<std::uint64_t>(y) * t.row_bytes +
                   static_cast<std::uint64_t>(x) * t.texel_bytes();
  }
  return f;
}

Texel unpack(const TextureDescriptor& t, const std::byte* bytes) {
  Texel out = default_texel(t);
  for (unsigned c = 0; c < t.channels; ++c) out[c] = channel(t, bytes + c * t.channel_bytes);
  return out;
}

// The border colour of an integer texture consists of integers in the bits of floats, as in CUDA.
Texel outside_value(const TextureDescriptor& t) {
  if (t.linear_memory) return Texel{};
  Texel out = default_texel(t);
  for (unsigned c = 0; c < t.channels; ++c) out[c] = bits_of(t.border[c]);
  return out;
}

Texel filter(const Footprint& f, const std::array<Texel, kMaxCorners>& texels) {
  if (f.corners == 1) return texels[0];
  Texel out;
  for (unsigned channel = 0; channel < 4; ++channel) {
    double sum = 0;
    for (unsigned c = 0; c < f.corners; ++c) {
      std::uint32_t weight = 1;
      std::uint32_t one = 1;
      for (unsigned a = 0; one < f.corners; ++a, one *= 2) {
        weight *= (c >> a & 1u) != 0 ? f.weight[a] : kWeightOne - f.weight[a];
      }
      if (weight != 0) {
        sum += static_cast<double>(weight) * static_cast<double>(float_of(texels[c][channel]));
      }
    }
    for (unsigned one = 1; one < f.corners; one *= 2) sum /= kWeightOne;
    const auto value = static_cast<float>(sum);
    out[channel] = std::isnan(value) ? 0x7fffffffu : bits_of(value);
  }
  return out;
}

Texel gather(const std::array<Texel, kMaxCorners>& texels, unsigned channel) {
  return Texel{texels[2][channel], texels[3][channel], texels[1][channel], texels[0][channel]};
}

std::string why_not_sampled(const TextureForm& form, const TextureDescriptor& t) {
  const std::string name = "'" + t.name + "'";
  if (t.is_surface) return name + " is a surface; a texture's handle is needed";
  if (std::string why = why_not_shaped(form, t); !why.empty()) return why;
  if (t.linear_memory && !form.integer_coordinates) {
    return name + " is linear memory, which takes integer coordinates only (tex1Dfetch)";
  }
  if (reads_floats(t) != (form.type == TextureResult::kF32)) {
    return name + " is read as " + (reads_floats(t) ? "floats" : "integers") +
           "; the instruction returns " +
           (form.type == TextureResult::kF32 ? "floats" : "integers");
  }
  const bool linear = t.filter == TextureFilter::kLinear && !form.integer_coordinates;
  if (linear && !reads_floats(t)) return name + " has integers, which are not filtered linearly";
  if (t.normalized_read && t.channel_bytes > 2) {
    return name + " has channels of 4 bytes, which are not read as normalised floats";
  }
  if (t.type == TexelType::kFloat && t.channel_bytes == 1) {
    return name + " has floating-point channels of 1 byte; expected 2 or 4";
  }
  return {};
}

std::string why_not_accessed(const TextureForm& form, const TextureDescriptor& t) {
  return why_not_shaped(form, t);
}

std::optional<Address> surface_address(const TextureDescriptor& t,
                                       const std::array<std::int32_t, 3>& at, std::uint32_t layer,
                                       unsigned bytes, bool clamps) {
  const std::int64_t row = std::int64_t{t.width} * t.texel_bytes();
  std::array<std::int64_t, 3> place{};
  for (unsigned a = 0; a < t.dimensions; ++a) {
    const std::int64_t last = a == 0 ? row - std::int64_t{bytes} : std::int64_t{extent(t, a)} - 1;
    if (last < 0) return std::nullopt;
    place[a] = at[a];
    if (place[a] >= 0 && place[a] <= last) continue;
    if (!clamps) return std::nullopt;
    place[a] = place[a] < 0 ? 0 : last;
  }
  if (t.layers != 0 && layer >= t.layers) {
    if (!clamps) return std::nullopt;
    layer = t.layers - 1;
  }
  if (t.layers == 0) layer = 0;
  return t.base + layer * t.layer_bytes + static_cast<std::uint64_t>(place[2]) * t.slice_bytes +
         static_cast<std::uint64_t>(place[1]) * t.row_bytes + static_cast<std::uint64_t>(place[0]);
}

std::uint32_t query(const TextureDescriptor& t, TextureQuery what) {
  switch (what) {
    case TextureQuery::kWidth:
      return t.width;
    case TextureQuery::kHeight:
      return t.dimensions > 1 ? t.height : 0;
    case TextureQuery::kDepth:
      return t.dimensions > 2 ? t.depth : 0;
    case TextureQuery::kArraySize:
      return t.layers;
    case TextureQuery::kNormalized:
      return t.normalized_coordinates ? 1 : 0;
    case TextureQuery::kOne:
      return 1;
  }
  return 0;
}

}  // namespace tessera::ptx
