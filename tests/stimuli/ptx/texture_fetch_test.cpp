// SPDX-License-Identifier: Apache-2.0
// What a fetch returns, against the formulas of the CUDA C++ Programming Guide ("Texture
// Fetching"): here coordinates are integers (multiples of 2^-12), so that nothing of them is
// rounded.

#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "tests/stimuli/ptx/texture_support.h"

namespace tessera::texture_fetch_test {

using namespace tessera::test;

namespace {

constexpr long kUnit = 4096;  ///< of a coordinate

long floor_div(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
long floor_mod(long a, long b) { return a - floor_div(a, b) * b; }

struct Axis {
  long index;   ///< of the lower texel, not yet within the texture
  long weight;  ///< of the upper one, in 1/256
};

bool repeats(const TextureDescriptor& t, unsigned axis) {
  return t.normalized_coordinates && (t.addressing[axis] == TextureAddressing::kWrap ||
                                      t.addressing[axis] == TextureAddressing::kMirror);
}

Axis locate(const TextureDescriptor& t, unsigned axis, long x, long size) {
  if (t.normalized_coordinates) {
    if (repeats(t, axis)) {
      const bool mirrored = t.addressing[axis] == TextureAddressing::kMirror &&
                            floor_mod(floor_div(x, kUnit), 2) != 0;
      x = floor_mod(x, kUnit);
      if (mirrored) x = kUnit - x;
    }
    x *= size;
  }
  if (t.filter == TextureFilter::kPoint) return {floor_div(x, kUnit), 0};
  x -= kUnit / 2;
  return {floor_div(x, kUnit), (floor_mod(x, kUnit) * 256 + kUnit / 2) / kUnit};
}

/// Within the texture, or nothing: the border.
std::optional<long> within(const TextureDescriptor& t, unsigned axis, long i, long size) {
  if (i >= 0 && i < size) return i;
  if (t.addressing[axis] == TextureAddressing::kBorder) return std::nullopt;
  if (repeats(t, axis) && t.addressing[axis] == TextureAddressing::kWrap) return floor_mod(i, size);
  return i < 0 ? 0 : size - 1;
}

float half_value(std::uint32_t h) {
  const float sign = (h & 0x8000u) != 0 ? -1.0f : 1.0f;
  return sign * std::ldexp(static_cast<float>((h & 0x3ffu) | 0x400u),
                           static_cast<int>(h >> 10 & 31u) - 25);
}

/// A channel as a float.
float value(const TextureDescriptor& t, std::uint32_t raw) {
  if (t.type == TexelType::kFloat) {
    if (t.channel_bytes == 2) return half_value(raw);
    float f;
    std::memcpy(&f, &raw, sizeof f);
    return f;
  }
  if (t.type == TexelType::kUnsigned) {
    return static_cast<float>(raw) / (t.channel_bytes == 1 ? 255.0f : 65535.0f);
  }
  const int v =
      t.channel_bytes == 1 ? static_cast<std::int8_t>(raw) : static_cast<std::int16_t>(raw);
  return std::max(-1.0f, static_cast<float>(v) / (t.channel_bytes == 1 ? 127.0f : 32767.0f));
}

std::array<long, 3> sizes(const TextureDescriptor& t) {
  return {t.width, t.dimensions > 1 ? t.height : 1, t.dimensions > 2 ? t.depth : 1};
}

/// The bits that a fetch gives for one channel.
std::uint32_t expected(const KernelRunner& k, const TextureDescriptor& t,
                       const std::array<long, 3>& at, long layer, unsigned channel) {
  const bool floats = t.type == TexelType::kFloat || t.normalized_read;
  if (channel >= t.channels) return channel < 3 ? 0 : floats ? float_bits(1.0f) : 1;
  const std::array<long, 3> size = sizes(t);
  layer = std::min(layer, std::max(0l, static_cast<long>(t.layers) - 1));
  std::array<Axis, 3> axis{};
  for (unsigned a = 0; a < t.dimensions; ++a) axis[a] = locate(t, a, at[a], size[a]);
  const bool linear = t.filter == TextureFilter::kLinear;
  long double sum = 0;
  for (unsigned c = 0; c < (linear ? 1u << t.dimensions : 1u); ++c) {
    long weight = 1;
    std::array<long, 3> place{};
    bool outside = false;
    for (unsigned a = 0; a < t.dimensions; ++a) {
      const bool upper = (c >> a & 1u) != 0;
      if (linear) weight *= upper ? axis[a].weight : 256 - axis[a].weight;
      const auto i = within(t, a, axis[a].index + (upper ? 1 : 0), size[a]);
      if (i) {
        place[a] = *i;
      } else {
        outside = true;
      }
    }
    const std::uint32_t raw =
        outside ? 0 : raw_channel(k, t, place[0], place[1], place[2], layer, channel);
    if (!floats) {
      if (outside) return float_bits(t.border[channel]);
      const unsigned shift = 32 - 8 * t.channel_bytes;
      return t.type == TexelType::kSigned
                 ? static_cast<std::uint32_t>(static_cast<std::int32_t>(raw << shift) >> shift)
                 : raw;
    }
    sum += static_cast<long double>(weight) *
           static_cast<long double>(outside ? t.border[channel] : value(t, raw));
  }
  if (linear) sum /= std::pow(256.0l, static_cast<long double>(t.dimensions));
  return float_bits(static_cast<float>(sum));
}

template <class T>
T pick(std::mt19937& random, std::initializer_list<T> list) {
  return *(list.begin() + random() % list.size());
}

TextureDescriptor random_texture(std::mt19937& random) {
  TextureDescriptor t;
  t.dimensions = 1 + random() % 3;
  t.width = 1 + random() % 9;
  t.height = 1 + random() % 7;
  t.depth = 1 + random() % 5;
  if (t.dimensions < 3 && random() % 2 == 0) t.layers = 1 + random() % 3;
  t.channels = pick(random, {1u, 2u, 4u});
  t.type = pick(random, {TexelType::kFloat, TexelType::kUnsigned, TexelType::kSigned});
  t.channel_bytes =
      t.type == TexelType::kFloat ? pick(random, {2u, 4u}) : pick(random, {1u, 2u, 4u});
  t.normalized_read = t.type != TexelType::kFloat && t.channel_bytes < 4 && random() % 2 == 0;
  t.normalized_coordinates = random() % 2 == 0;
  for (auto& a : t.addressing) {
    a = pick(random, {TextureAddressing::kWrap, TextureAddressing::kClamp,
                      TextureAddressing::kMirror, TextureAddressing::kBorder});
  }
  if (t.type == TexelType::kFloat || t.normalized_read) {
    t.filter = pick(random, {TextureFilter::kPoint, TextureFilter::kLinear});
  }
  t.border = {0.25f, -3.0f, 7.5f, 0.5f};
  return t;
}

/// Anywhere, on borders of texels, and far outside.
long random_coordinate(std::mt19937& random, const TextureDescriptor& t, long size) {
  const long whole = t.normalized_coordinates ? kUnit : kUnit * size;
  const long texel = whole / size;
  switch (random() % 4) {
    case 0:
      return static_cast<long>(random() % (3 * static_cast<unsigned long>(whole))) - whole;
    case 1:
      return (static_cast<long>(random() % 40) - 20) * texel;
    case 2:
      return (static_cast<long>(random() % 41) - 20) * whole + static_cast<long>(random() % 3) - 1;
    default:
      return static_cast<long>(random() % static_cast<unsigned long>(whole));
  }
}

std::string describe(const TextureDescriptor& t) {
  std::string text = geometry_of(t) + ", " + std::to_string(t.channels) + " channels of " +
                     std::to_string(t.channel_bytes) + " bytes, type " +
                     std::to_string(static_cast<int>(t.type)) + ", filter " +
                     std::to_string(static_cast<int>(t.filter)) + ", addressing";
  for (const auto a : t.addressing) text += " " + std::to_string(static_cast<int>(a));
  return text + (t.normalized_coordinates ? ", normalised" : "") +
         (t.normalized_read ? ", read as floats" : "");
}

constexpr unsigned kThreads = 96;

/// Fetches at random coordinates, of one random texture; returns how many results differ.
void check_one(unsigned seed, bool carried) {
  std::mt19937 random(seed);
  TextureDescriptor t = random_texture(random);
  const bool floats = t.type == TexelType::kFloat || t.normalized_read;
  const std::string type = floats ? "f32" : t.type == TexelType::kSigned ? "s32" : "u32";
  const std::string r = floats ? "%f" : "%r";
  KernelRunner k(fetch_text("tex." + geometry_of(t) + ".v4." + type + ".f32 {" + r + "8, " + r +
                                "9, " + r + "10, " + r + "11}, [%rd3, " + tuple_of(t, false) +
                                "];\n",
                            floats));
  place_texture(k, t, random);
  k.more_arguments = {KernelArgument::of(k.textures.add(t))};
  std::vector<std::array<long, 3>> at(kThreads);
  std::vector<long> layer(kThreads);
  for (unsigned i = 0; i < kThreads; ++i) {
    layer[i] = static_cast<long>(random() % 4);
    k.set_input<std::uint32_t>(4 * i, static_cast<std::uint32_t>(layer[i]));
    for (unsigned a = 0; a < 3; ++a) {
      at[i][a] = random_coordinate(random, t, sizes(t)[a]);
      k.set_input<float>(4 * i + 1 + a, static_cast<float>(at[i][a]) / kUnit);
    }
  }
  if (carried)
    k.run_carried({48, 1, 1}, {2, 1, 1}, seed);
  else
    k.run({48, 1, 1}, {2, 1, 1});
  for (unsigned i = 0; i < kThreads; ++i) {
    for (unsigned c = 0; c < 4; ++c) {
      std::uint32_t got;
      std::memcpy(&got, k.memory.at(k.out + 16 * i + 4 * c), 4);
      const std::uint32_t want = expected(k, t, at[i], layer[i], c);
      if (got == want) continue;
      INFO("seed " << seed << ": " << describe(t) << ", " << sizes(t)[0] << "x" << sizes(t)[1]
                   << "x" << sizes(t)[2] << "; thread " << i << ", channel " << c << ", at "
                   << at[i][0] / 4096.0 << " " << at[i][1] / 4096.0 << " " << at[i][2] / 4096.0);
      REQUIRE(got == want);
    }
  }
  SUCCEED();
}

}  // namespace

TEST_CASE("fetches follow the guide's formulas, values at issue") {
  for (unsigned seed = 0; seed < 400; ++seed) check_one(seed, false);
}

TEST_CASE("fetches follow the guide's formulas, values through memory") {
  for (unsigned seed = 0; seed < 400; ++seed) check_one(seed, true);
}

}  // namespace tessera::texture_fetch_test
