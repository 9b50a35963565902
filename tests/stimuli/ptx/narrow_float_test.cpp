// SPDX-License-Identifier: Apache-2.0
// FP8 conversions and bfloat16 arithmetic against the formats' definitions, and fns against the
// manual's loop. A reference rounds by searching all codes for the nearest value.

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::narrow_float_test {

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

using Wide = long double;

/// The value of a finite code of a format with that many bits of fraction and that bias.
Wide value_of(unsigned code, int fraction_bits, int bias) {
  const auto exponent = static_cast<int>(code >> fraction_bits);
  const unsigned fraction = code & ((1u << fraction_bits) - 1);
  if (exponent == 0) return std::ldexp(static_cast<Wide>(fraction), 1 - bias - fraction_bits);
  return std::ldexp(static_cast<Wide>(fraction + (1u << fraction_bits)),
                    exponent - bias - fraction_bits);
}

struct Format {
  int fraction_bits;
  int bias;
  unsigned top;  ///< largest finite code
  Wide value(unsigned code) const { return value_of(code, fraction_bits, bias); }
  /// The code nearest to a magnitude, ties to the even one; top + 1 from half a step above the
  /// largest value on.
  unsigned nearest(Wide magnitude) const {
    if (magnitude > 2 * value(top)) return top + 1;
    unsigned low = 0;
    unsigned high = top;
    while (low < high) {
      const unsigned middle = (low + high + 1) / 2;
      if (value(middle) <= magnitude) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    const Wide below = magnitude - value(low);
    const Wide above = value_of(low + 1, fraction_bits, bias) - magnitude;
    return above < below || (above == below && low % 2 == 1) ? low + 1 : low;
  }
};

constexpr Format kE4m3{3, 7, 0x7e};
constexpr Format kE5m2{2, 15, 0x7b};
constexpr Format kHalf{10, 15, 0x7bff};
constexpr Format kBfloat{7, 127, 0x7f7f};

std::uint8_t fp8_reference(const Format& f, double v, bool relu) {
  if (std::isnan(v)) return 0x7f;
  if (relu && std::signbit(v)) return 0;
  const unsigned code = std::isinf(v) ? f.top : std::min(f.top, f.nearest(std::fabs(v)));
  return static_cast<std::uint8_t>(code | (std::signbit(v) ? 0x80u : 0u));
}

double half_to_double(unsigned h) {
  const unsigned code = h & 0x7fffu;
  double v = code > 0x7c00u    ? std::numeric_limits<double>::quiet_NaN()
             : code == 0x7c00u ? std::numeric_limits<double>::infinity()
                               : static_cast<double>(kHalf.value(code));
  return (h & 0x8000u) != 0 ? -v : v;
}

double bfloat_to_double(unsigned b) {
  const std::uint32_t bits = b << 16;
  float v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

std::uint16_t bfloat_reference(Wide v) {
  if (std::isnan(v)) return 0x7fff;
  const unsigned code = std::isinf(v) ? 0x7f80 : kBfloat.nearest(std::fabs(v));
  return static_cast<std::uint16_t>(code | (std::signbit(v) ? 0x8000u : 0u));
}

std::vector<float> interesting_singles(const Format& f) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> all = {0,     infinity, std::numeric_limits<float>::quiet_NaN(),
                            1e30F, 1e-40F,   std::numeric_limits<float>::denorm_min()};
  for (unsigned code = 0; code <= f.top; ++code) {
    const auto v = static_cast<float>(f.value(code));
    const auto next = static_cast<float>(value_of(code + 1, f.fraction_bits, f.bias));
    const float middle = (v + next) / 2;
    for (const float x : {v, middle}) {
      all.push_back(x);
      all.push_back(std::nextafter(x, infinity));
      all.push_back(std::nextafter(x, 0.0F));
    }
  }
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) all.push_back(-all[i]);
  while (all.size() % 32 != 0) all.push_back(1);
  return all;
}

const char* name_of(const Format& f) { return f.fraction_bits == 3 ? "e4m3x2" : "e5m2x2"; }

/// One instruction on every lane: input words of 8 bytes, `%rd8` of each.
std::unique_ptr<KernelRunner> lanes(const std::string& body,
                                    const std::vector<std::uint64_t>& words) {
  auto k = std::make_unique<KernelRunner>(
      kernel_text("sub.u64 %rd7, %rd1, %rd0;\nadd.u64 %rd7, %rd2, %rd7;\n"
                  "ld.global.u64 %rd8, [%rd7];\nmov.b64 {%r1, %r2}, %rd8;\n" +
                  body),
      8 * words.size(), 8 * words.size());
  for (unsigned i = 0; i < words.size(); ++i) k->set_input(i, words[i]);
  k->run({32, 1, 1}, {static_cast<std::uint32_t>(words.size() / 32), 1, 1});
  return k;
}

std::uint64_t bits_of(float v) {
  std::uint32_t bits;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}

}  // namespace

TEST_CASE("singles become FP8 rounded to nearest even and saturated") {
  for (const Format& f : {kE4m3, kE5m2}) {
    const std::vector<float> values = interesting_singles(f);
    std::vector<std::uint64_t> words;
    for (std::size_t i = 0; i < values.size(); ++i) {
      words.push_back(bits_of(values[i]) | bits_of(values[values.size() - 1 - i]) << 32);
    }
    for (const bool relu : {false, true}) {
      const std::string name = std::string(relu ? ".relu." : ".") + name_of(f);
      INFO(name);
      // The first operand goes to the upper byte.
      const auto k = lanes("mov.b32 %f1, %r1;\nmov.b32 %f2, %r2;\ncvt.rn.satfinite" + name +
                               ".f32 %rs1, %f2, %f1;\nst.global.u16 [%rd1], %rs1;\n",
                           words);
      for (unsigned i = 0; i < values.size(); ++i) {
        const unsigned low = fp8_reference(f, values[i], relu);
        const unsigned high = fp8_reference(f, values[values.size() - 1 - i], relu);
        INFO(values[i] << " and " << values[values.size() - 1 - i]);
        REQUIRE(k->result<std::uint16_t>(i) == (high << 8 | low));
      }
    }
  }
}

TEST_CASE("all halves become FP8") {
  std::vector<std::uint64_t> words;
  for (unsigned h = 0; h < 65536; ++h) words.push_back(h | (h * 40503u & 0xffffu) << 16);
  for (const Format& f : {kE4m3, kE5m2}) {
    for (const bool relu : {false, true}) {
      const std::string name = std::string(relu ? ".relu." : ".") + name_of(f);
      INFO(name);
      const auto k = lanes(
          "cvt.rn.satfinite" + name + ".f16x2 %rs1, %r1;\nst.global.u16 [%rd1], %rs1;\n", words);
      for (unsigned i = 0; i < words.size(); ++i) {
        const unsigned low = fp8_reference(f, half_to_double(words[i] & 0xffff), relu);
        const unsigned high = fp8_reference(f, half_to_double(words[i] >> 16 & 0xffff), relu);
        INFO(std::hex << words[i]);
        REQUIRE(k->result<std::uint16_t>(i) == (high << 8 | low));
      }
    }
  }
}

TEST_CASE("all codes of FP8 become halves") {
  std::vector<std::uint64_t> words;
  for (unsigned c = 0; c < 256; ++c) words.push_back(c | (255 - c) << 8);
  for (const Format& f : {kE4m3, kE5m2}) {
    for (const bool relu : {false, true}) {
      const auto half_of = [&](unsigned code) -> unsigned {
        const unsigned magnitude = code & 0x7fu;
        const unsigned sign = (code & 0x80u) << 8;
        const bool infinite = f.top == 0x7b && magnitude == 0x7c;
        if (magnitude > f.top && !infinite) return 0x7fff;
        if (relu && sign != 0) return 0;
        return sign | (infinite ? 0x7c00 : kHalf.nearest(f.value(magnitude)));
      };
      const std::string name = std::string(relu ? ".relu" : "") + ".f16x2." + name_of(f);
      INFO(name);
      const auto k = lanes(
          "cvt.u16.u32 %rs1, %r1;\ncvt.rn" + name + " %r3, %rs1;\nst.global.u32 [%rd1], %r3;\n",
          words);
      for (unsigned c = 0; c < 256; ++c) {
        INFO(c);
        REQUIRE(k->result<std::uint32_t>(c) == (half_of(255 - c) << 16 | half_of(c)));
      }
    }
  }
}

TEST_CASE("bfloat16 arithmetic is rounded once") {
  std::mt19937 random(5);
  const std::vector<std::uint16_t> edges = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x3f80,
                                            0xbf80, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffff};
  std::vector<std::array<std::uint16_t, 3>> cases;
  for (const std::uint16_t a : edges) {
    for (const std::uint16_t b : edges) {
      for (const std::uint16_t c : edges) cases.push_back({a, b, c});
    }
  }
  while (cases.size() < 20000 || cases.size() % 32 != 0) {
    const auto any = [&] {
      // Exponents near one: sums and products are exact in the reference.
      const unsigned exponent = 117 + static_cast<unsigned>(random() % 20);
      return static_cast<std::uint16_t>((random() & 1) << 15 | exponent << 7 | (random() & 127));
    };
    cases.push_back({any(), any(), any()});
  }
  std::vector<std::uint64_t> words;
  for (const auto& c : cases) {
    words.push_back(c[0] | std::uint64_t{c[1]} << 16 | std::uint64_t{c[2]} << 32);
  }
  struct Operation {
    const char* name;
    unsigned operands;
    std::function<std::uint16_t(const std::array<std::uint16_t, 3>&, Wide, Wide, Wide)> reference;
  };
  const auto pick = [](bool largest, bool nan) {
    return [=](const std::array<std::uint16_t, 3>& c, Wide a, Wide b, Wide) -> std::uint16_t {
      if (std::isnan(a) && std::isnan(b)) return 0x7fff;
      if (std::isnan(a) || std::isnan(b)) return nan ? 0x7fff : std::isnan(a) ? c[1] : c[0];
      if (a == b) return (std::signbit(a) != 0) != largest ? c[0] : c[1];
      return (a > b) == largest ? c[0] : c[1];
    };
  };
  const std::vector<Operation> operations = {
      {"add.rn.bf16", 2, [](auto&, Wide a, Wide b, Wide) { return bfloat_reference(a + b); }},
      {"sub.bf16", 2, [](auto&, Wide a, Wide b, Wide) { return bfloat_reference(a - b); }},
      {"mul.bf16", 2, [](auto&, Wide a, Wide b, Wide) { return bfloat_reference(a * b); }},
      {"fma.rn.bf16", 3, [](auto&, Wide a, Wide b, Wide c) { return bfloat_reference(a * b + c); }},
      {"fma.rn.relu.bf16", 3,
       [](auto&, Wide a, Wide b, Wide c) {
         const std::uint16_t r = bfloat_reference(a * b + c);
         return (r & 0x8000) != 0 ? std::uint16_t{0} : r;
       }},
      {"neg.bf16", 1, [](auto& c, Wide, Wide, Wide) { return std::uint16_t(c[0] ^ 0x8000); }},
      {"abs.bf16", 1, [](auto& c, Wide, Wide, Wide) { return std::uint16_t(c[0] & 0x7fff); }},
      {"min.bf16", 2, pick(false, false)},
      {"max.bf16", 2, pick(true, false)},
      {"min.NaN.bf16", 2, pick(false, true)},
      {"max.NaN.bf16", 2, pick(true, true)}};
  for (const Operation& o : operations) {
    std::string one;
    std::string two;
    for (unsigned i = 0; i < o.operands; ++i) {
      one += ", %rs" + std::to_string(1 + i);
      two += ", %r" + std::to_string(11 + i);
    }
    // The pair has the operands in the upper half, and swapped ones in the lower.
    const auto k = lanes(
        "mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd8;\nmov.b32 %r11, {%rs2, %rs1};\n"
        "mov.b32 %r12, {%rs1, %rs2};\nmov.b32 %r13, {%rs3, %rs3};\n" +
            std::string(o.name) + " %rs5" + one + ";\n" + o.name + "x2 %r5" + two +
            ";\ncvt.u32.u16 %r6, %rs5;\nst.global.v2.u32 [%rd1], {%r6, %r5};\n",
        words);
    for (unsigned i = 0; i < cases.size(); ++i) {
      const auto& c = cases[i];
      const Wide a = bfloat_to_double(c[0]);
      const Wide b = bfloat_to_double(c[1]);
      const Wide third = bfloat_to_double(c[2]);
      const unsigned high = o.reference(c, a, b, third);
      const unsigned low = o.reference({c[1], c[0], c[2]}, b, a, third);
      INFO(o.name << std::hex << " " << c[0] << " " << c[1] << " " << c[2]);
      REQUIRE(k->result<std::uint64_t>(i) == (high | std::uint64_t{high << 16 | low} << 32));
    }
  }
}

TEST_CASE("bfloat16 converts from and to integers, truncates and compares") {
  const std::vector<std::uint64_t> words = [] {
    std::vector<std::uint64_t> w = {0,
                                    1,
                                    256,
                                    257,
                                    258,
                                    259,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x8080000000000001,
                                    0x7f80000000000001,
                                    0x0080800000000001};
    std::mt19937_64 random(9);
    while (w.size() < 512) w.push_back(random() >> random() % 60);
    return w;
  }();
  const auto k = lanes(
      "cvt.rn.bf16.s64 %rs1, %rd8;\ncvt.rn.bf16.u32 %rs2, %r1;\ncvt.rz.bf16.f32 %rs3, 0f3FFFFFFF;\n"
      "cvt.rzi.s32.bf16 %r3, %rs2;\nmov.b16 %rs4, 17280;\nsetp.lt.bf16 %p1, %rs2, %rs4;\n"
      "selp.b16 %rs3, %rs3, 0, %p1;\nmov.b32 %r4, {%rs1, %rs3};\n"
      "st.global.v2.u32 [%rd1], {%r3, %r4};\n",
      words);
  for (unsigned i = 0; i < words.size(); ++i) {
    INFO(std::hex << words[i]);
    const auto got = k->result<std::uint64_t>(i);
    const auto whole = static_cast<std::int64_t>(words[i]);
    CHECK((got >> 32 & 0xffff) == bfloat_reference(static_cast<Wide>(whole)));
    const double word =
        bfloat_to_double(bfloat_reference(static_cast<Wide>(static_cast<std::uint32_t>(whole))));
    CHECK((got >> 48) == (word < 256 ? 0x3fff : 0));
    const double most = 2147483647;
    CHECK(static_cast<std::int32_t>(got) == static_cast<std::int32_t>(std::min(word, most)));
  }
}

TEST_CASE("fns finds the n-th set bit") {
  std::mt19937_64 random(11);
  std::vector<std::uint64_t> words;
  for (unsigned i = 0; i < 4096; ++i) words.push_back(random());
  const auto k = lanes(
      "and.b32 %r3, %r2, 31;\nshr.u32 %r4, %r2, 8;\nrem.u32 %r4, %r4, 41;\nsub.s32 %r4, %r4, 20;\n"
      "fns.b32 %r5, %r1, %r3, %r4;\nst.global.u32 [%rd1], %r5;\n",
      words);
  for (unsigned i = 0; i < words.size(); ++i) {
    const auto mask = static_cast<std::uint32_t>(words[i]);
    const auto second = static_cast<std::uint32_t>(words[i] >> 32);
    const auto base = static_cast<int>(second & 31);
    const int offset = static_cast<int>((second >> 8) % 41) - 20;
    const auto set = [&](int at) { return (mask >> at & 1) != 0; };
    std::uint32_t expected = 0xffffffff;
    if (offset == 0) {
      if (set(base)) expected = static_cast<std::uint32_t>(base);
    } else {
      int count = std::abs(offset) - 1;
      for (int at = base; at >= 0 && at<32; at += offset> 0 ? 1 : -1) {
        if (!set(at)) continue;
        if (count-- != 0) continue;
        expected = static_cast<std::uint32_t>(at);
        break;
      }
    }
    INFO(std::hex << mask << std::dec << " " << base << " " << offset);
    REQUIRE(k->result<std::uint32_t>(i) == expected);
  }
}

TEST_CASE("conversions to half toward zero and either infinity take the neighbour on that side") {
  KernelRunner k(kernel_text(
      "mul.wide.u32 %rd9, %r0, 4;\nadd.u64 %rd8, %rd2, %rd9;\nld.global.f32 %f1, [%rd8];\n"
      "cvt.rz.f16.f32 %rs1, %f1;\ncvt.rm.f16.f32 %rs2, %f1;\ncvt.rp.f16.f32 %rs3, %f1;\n"
      "st.global.u16 [%rd1], %rs1;\nst.global.u16 [%rd1+2], %rs2;\n"
      "st.global.u16 [%rd1+4], %rs3;"));
  // 1 + 2^-11 is half way; 65519 and 70000 are above the largest half, 2^-26 below the smallest.
  const float values[] = {1.0f + 0x1p-11f, 1.0f, 0x1p-26f, 65519.0f, 70000.0f, 0.0f, 0x1.8p-24f};
  const std::uint16_t below[] = {0x3c00, 0x3c00, 0, 0x7bff, 0x7bff, 0, 1};
  const std::uint16_t above[] = {0x3c01, 0x3c00, 1, 0x7c00, 0x7c00, 0, 2};
  for (unsigned i = 0; i < 7; ++i) {
    k.set_input(i, values[i]);
    k.set_input(i + 7, -values[i]);
  }
  k.set_input(14, std::numeric_limits<float>::infinity());
  k.set_input(15, std::numeric_limits<float>::quiet_NaN());
  k.run({16, 1, 1});
  const auto got = [&](unsigned i, unsigned mode) {
    return static_cast<std::uint16_t>(k.result<std::uint64_t>(i) >> (16 * mode));
  };
  for (unsigned i = 0; i < 7; ++i) {
    INFO(values[i]);
    CHECK(got(i, 0) == below[i]);
    CHECK(got(i, 1) == below[i]);
    CHECK(got(i, 2) == above[i]);
    CHECK(got(i + 7, 0) == (below[i] | 0x8000));
    CHECK(got(i + 7, 1) == (above[i] | 0x8000));
    CHECK(got(i + 7, 2) == (below[i] | 0x8000));
  }
  CHECK(got(14, 0) == 0x7c00);
  CHECK(got(14, 2) == 0x7c00);
  CHECK(got(15, 1) == 0x7fff);
}

}  // namespace tessera::narrow_float_test
