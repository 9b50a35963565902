// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parametric formats narrower than single precision: FP8 (OCP 8-bit floating point 1.0) and
// bfloat16. Templates on a tag, as in half.h.

#include <cstdint>

namespace tessera::ptx {

/// kFraction: bits of the fraction; kBias: exponent bias; kTop: code of the largest finite value;
/// kOverflow: code of larger values (kTop if conversions saturate).
template <class Tag, int kFraction, int kBias, std::uint32_t kTop, std::uint32_t kOverflow>
struct SmallFloat {
  /// The code of the magnitude of `v`, rounded once to nearest even. `v` must not be a NaN.
  static std::uint32_t magnitude(double v) {
    constexpr int kLeast = 1 - kBias;  // exponent of the smallest normal value
    std::uint64_t bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
    const std::uint64_t significand = (bits & 0xfffffffffffffu) | (std::uint64_t{1} << 52);
    if (exponent > kBias + 1) return kOverflow;  // also infinities
    if (exponent < kLeast - kFraction - 1) return 0;
    const int drop = 52 - kFraction + (exponent >= kLeast ? 0 : kLeast - exponent);
    const std::uint64_t kept = significand >> drop;
    const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1);
    const std::uint64_t tie = std::uint64_t{1} << (drop - 1);
    const std::uint64_t up = rest > tie || (rest == tie && (kept & 1) != 0) ? 1 : 0;
    // A carry out of the fraction increments the exponent field.
    const std::uint64_t biased =
        exponent >= kLeast ? static_cast<std::uint64_t>(exponent - kLeast) << kFraction : 0;
    const std::uint64_t code = biased + kept + up;
    return code > kTop ? kOverflow : static_cast<std::uint32_t>(code);
  }

  /// The value of a finite code without its sign.
  static double value(std::uint32_t code) {
    const auto exponent = static_cast<int>(code >> kFraction);
    const std::uint32_t fraction = code & ((1u << kFraction) - 1);
    const std::uint32_t whole = exponent != 0 ? fraction | 1u << kFraction : fraction;
    const int scale = (exponent != 0 ? exponent : 1) - kBias - kFraction;
    // 2^scale, a normal double.
    const std::uint64_t bits = static_cast<std::uint64_t>(scale + 1023) << 52;
    double power;
    __builtin_memcpy(&power, &bits, sizeof power);
    return whole * power;
  }
};

/// product + addend in double precision, rounded to odd. Rounding the result to a format of at most
/// 51 bits gives the sum rounded once.
template <class Tag>
double sum_to_odd(double product, double addend) {
  const double sum = product + addend;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (addend - back);
  if (error == 0 || error != error) return sum;
  std::uint64_t bits;
  __builtin_memcpy(&bits, &sum, sizeof bits);
  if ((bits & 1) != 0) return sum;
  bits += (error > 0) == (sum > 0) ? 1 : ~std::uint64_t{0};
  double odd;
  __builtin_memcpy(&odd, &bits, sizeof odd);
  return odd;
}

}  // namespace tessera::ptx
