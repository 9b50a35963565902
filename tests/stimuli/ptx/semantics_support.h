// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs one instruction on edge values and compares it with a host function.

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::test {

template <class T>
T from_bits(std::uint64_t bits) {
  T v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
template <class T>
std::uint64_t bits_of(T v) {
  std::uint64_t b = 0;
  std::memcpy(&b, &v, sizeof v);
  return b;
}

inline const std::vector<std::uint64_t> kWords = {0,
                                                  1,
                                                  2,
                                                  3,
                                                  5,
                                                  31,
                                                  32,
                                                  33,
                                                  63,
                                                  64,
                                                  65,
                                                  255,
                                                  0x7fff,
                                                  0x8000,
                                                  0xffff,
                                                  0x10000,
                                                  0x7fffffff,
                                                  0x80000000,
                                                  0x80000001,
                                                  0xfffffffe,
                                                  0xffffffff,
                                                  0x12345678,
                                                  0xdeadbeef,
                                                  100,
                                                  0x00ff00ff,
                                                  7,
                                                  0xfffffff9,
                                                  0x100000000,
                                                  0x7fffffffffffffff,
                                                  0x8000000000000000,
                                                  0xffffffffffffffff,
                                                  0x123456789abcdef0};

inline const std::vector<std::uint64_t> kFloats = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40490fdb, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc12345, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800000, 0x00000001, 0x807fffff, 0x00400000,
    0x3f7fffff, 0x3f800001, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf800000, 0x3f000000,
    0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4b000001, 0x7e967699, 0x0da24260, 0x501502f9};

inline const std::vector<std::uint64_t> kDoubles = [] {
  std::vector<std::uint64_t> v;
  for (const std::uint64_t f : kFloats) v.push_back(bits_of(double{from_bits<float>(f)}));
  v[9] = bits_of(std::numeric_limits<double>::max());
  v[11] = bits_of(std::numeric_limits<double>::min());
  v[13] = bits_of(std::numeric_limits<double>::denorm_min());
  v[16] = 0x3fefffffffffffffu;
  v[28] = bits_of(4503599627370497.5);
  v[29] = bits_of(1e300);
  v[30] = bits_of(1e-300);
  return v;
}();

/// Runs `op` on all pairs of the values, 32 pairs a warp; loads are of `type`, the result is
/// stored as `to`. Registers: a = %r1/%rd4/%f1/%fd1 by type.
struct Registers {
  const char* a;
  const char* b;
  const char* c;
  const char* d;
};
inline Registers registers_of(const std::string& type) {
  if (type == "f32") return {"%f1", "%f2", "%f3", "%f4"};
  if (type == "f64") return {"%fd1", "%fd2", "%fd3", "%fd4"};
  if (type == "b64" || type == "u64" || type == "s64") return {"%rd4", "%rd5", "%rd6", "%rd7"};
  if (type == "b16" || type == "u16" || type == "s16" || type == "f16") {
    return {"%rs1", "%rs2", "%rs3", "%rs4"};
  }
  return {"%r1", "%r2", "%r3", "%r4"};
}
inline std::string storage(const std::string& type) { return type == "f16" ? "b16" : type; }

using Reference = std::function<std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t)>;

/// Checks an instruction of `sources` operands (the third is a rotated copy of the values).
inline void check(const std::string& instruction, const std::string& to, const std::string& from,
                  const std::string& from_b, unsigned sources,
                  const std::vector<std::uint64_t>& values, const Reference& reference,
                  std::uint64_t keep, const std::string& from_c = {}) {
  const auto n = static_cast<unsigned>(values.size());
  const Registers a = registers_of(from);
  const Registers b = registers_of(from_b);
  const Registers c = registers_of(from_c.empty() ? from : from_c);
  const Registers d = registers_of(to);
  std::string body =
      "mov.u64 %rd8, %rd2;\nmul.wide.u32 %rd9, %r0, 24;\nadd.u64 %rd8, %rd8, %rd9;\n";
  body += "ld.global." + storage(from) + " " + a.a + ", [%rd8];\n";
  if (sources > 1) body += "ld.global." + storage(from_b) + " " + b.b + ", [%rd8+8];\n";
  if (sources > 2) {
    body += "ld.global." + storage(from_c.empty() ? from : from_c) + " " + c.c + ", [%rd8+16];\n";
  }
  body += instruction + " " + d.d + ", " + a.a;
  if (sources > 1) body += std::string(", ") + b.b;
  if (sources > 2) body += std::string(", ") + c.c;
  body += ";\nst.global." + storage(to) + " [%rd1], " + d.d + ";\n";
  KernelRunner k(kernel_text(body));
  unsigned i = 0;
  std::vector<std::array<std::uint64_t, 3>> cases;
  for (unsigned x = 0; x < n; ++x) {
    for (unsigned y = 0; y < (sources > 1 ? n : 1); ++y) {
      cases.push_back({values[x], values[y], values[(x * 7 + y * 3 + 1) % n]});
    }
  }
  for (const auto& one : cases) {
    for (unsigned s = 0; s < 3; ++s) k.set_input(3 * i + s, one[s]);
    ++i;
  }
  k.run({32, 1, 1}, {(i + 31) / 32, 1, 1});
  for (unsigned j = 0; j < i; ++j) {
    const std::uint64_t got = k.result<std::uint64_t>(j) & keep;
    const std::uint64_t want = reference(cases[j][0], cases[j][1], cases[j][2]) & keep;
    if (got != want) {
      INFO(instruction << " of " << std::hex << cases[j][0] << ", " << cases[j][1] << ", "
                       << cases[j][2]);
      REQUIRE(got == want);
    }
  }
  SUCCEED();
}

inline constexpr std::uint64_t kLow32 = 0xffffffffu;
inline constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

template <class T>
void check_integer(const std::string& op, const std::string& type,
                   const std::function<T(T, T, T)>& f, unsigned sources = 2) {
  check(
      op + "." + type, type, type, type, sources, kWords,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        return static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(
            f(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c))));
      },
      sizeof(T) == 8   ? kAllBits
      : sizeof(T) == 4 ? kLow32
                       : 0xffffu);
}

inline float flushed(float v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v;
}
inline std::uint64_t settled(float v) { return std::isnan(v) ? 0x7fffffffu : bits_of(v); }
inline std::uint64_t settled(double v) { return std::isnan(v) ? 0xfff8000000000000u : bits_of(v); }

inline void check_f32(const std::string& op, unsigned sources,
                      const std::function<float(float, float, float)>& f) {
  check(
      op, "f32", "f32", "f32", sources, kFloats,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        return settled(f(from_bits<float>(a), from_bits<float>(b), from_bits<float>(c)));
      },
      kLow32);
}
inline void check_f64(const std::string& op, unsigned sources,
                      const std::function<double(double, double, double)>& f) {
  check(
      op, "f64", "f64", "f64", sources, kDoubles,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        return settled(f(from_bits<double>(a), from_bits<double>(b), from_bits<double>(c)));
      },
      kAllBits);
}

}  // namespace tessera::test
