// SPDX-License-Identifier: Apache-2.0
#pragma once

// Half precision (IEEE binary16) and bfloat16 in software, on bits, round to nearest even.
// Templates on a tag, so that the build of the handlers for each instruction set has its own copy.

#include <cstdint>

namespace tessera::ptx {

template <class Tag>
struct HalfBits {
  static float to_float(std::uint16_t h) {
    const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000u) << 16;
    const std::uint32_t exponent = (h >> 10) & 0x1fu;
    const std::uint32_t fraction = h & 0x3ffu;
    if (exponent == 0) {
      // Subnormal: fraction * 2^-24, exact in single precision.
      const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
      return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t bits = exponent == 31 ? (fraction != 0 ? 0x7fffffffu : sign | 0x7f800000u)
                                              : sign | ((exponent + 112) << 23) | (fraction << 13);
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
  }

  /// Rounds a double once; canonical NaN 0x7fff.
  static std::uint16_t from_double(double v) {
    if (v != v) return 0x7fff;
    std::uint64_t bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    const auto sign = static_cast<std::uint16_t>((bits >> 48) & 0x8000u);
    const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
    const std::uint64_t significand = (bits & 0xfffffffffffffu) | (std::uint64_t{1} << 52);
    if (exponent > 15) return sign | 0x7c00u;
    if (exponent < -25) return sign;
    // Bits to drop: 42 for a normal result, more below the smallest normal exponent.
    const int drop = exponent >= -14 ? 42 : 42 + (-14 - exponent);
    const std::uint64_t kept = significand >> drop;
    const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1);
    const std::uint64_t tie = std::uint64_t{1} << (drop - 1);
    const std::uint64_t rounded = kept + (rest > tie || (rest == tie && (kept & 1) != 0) ? 1 : 0);
    // A carry out of the fraction increments the exponent field.
    const std::uint64_t biased =
        exponent >= -14 ? static_cast<std::uint64_t>(exponent + 14) << 10 : 0;
    const std::uint64_t result = biased + rounded;
    return static_cast<std::uint16_t>(sign | (result > 0x7c00u ? 0x7c00u : result));
  }

  /// a*b + c rounded once.
  static std::uint16_t fma(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
    const double product = static_cast<double>(to_float(a)) * static_cast<double>(to_float(b));
    const double addend = to_float(c);
    const double sum = product + addend;
    // The product is exact but the sum can be inexact: it is rounded to odd, so that the last
    // rounding takes the dropped bits into account.
    const double back = sum - product;
    const double error = (product - (sum - back)) + (addend - back);
    if (error != 0 && error == error) {
      std::uint64_t bits;
      __builtin_memcpy(&bits, &sum, sizeof bits);
      if ((bits & 1) == 0) {
        bits += (error > 0) == (sum > 0) ? 1 : ~std::uint64_t{0};
        double odd;
        __builtin_memcpy(&odd, &bits, sizeof odd);
        return from_double(odd);
      }
    }
    return from_double(sum);
  }
};

template <class Tag>
struct BfloatBits {
  static float to_float(std::uint16_t b) {
    const std::uint32_t bits = static_cast<std::uint32_t>(b) << 16;
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
  }
  static std::uint16_t from_float(float v) {
    if (v != v) return 0x7fff;
    std::uint32_t bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
};

}  // namespace tessera::ptx
