// SPDX-License-Identifier: Apache-2.0
#pragma once

// Half precision (IEEE binary16) and bfloat16 in software, on bits, round to nearest even.
// Templates on a tag, so that the build of the handlers for each instruction set has its own copy.

#include <cstdint>

#include "common/small_float.h"

namespace tessera {

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
    using Format = SmallFloat<Tag, 10, 15, 0x7bff, 0x7c00>;
    return static_cast<std::uint16_t>(Format::magnitude(v) | (bits >> 63) << 15);
  }

  /// a*b + c rounded once. The product is exact.
  static std::uint16_t fma(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
    return from_double(sum_to_odd<Tag>(double{to_float(a)} * double{to_float(b)}, to_float(c)));
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
};

}  // namespace tessera
