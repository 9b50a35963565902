// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parametric formats narrower than single precision: half precision, bfloat16, FP8 (OCP 8-bit
// floating point 1.0), FP6 and FP4 (OCP Microscaling Formats 1.0). Templates on a tag, as in
// half.h.

#include <cstdint>

namespace tessera {

/// Rounding of a magnitude.
enum class MagnitudeRound { kNearestEven, kDown, kUp };

/// kFraction: bits of the fraction; kBias: exponent bias; kTop: code of the largest finite value;
/// kOverflow: code of larger values (kTop if conversions saturate).
template <class Tag, int kFraction, int kBias, std::uint32_t kTop, std::uint32_t kOverflow>
struct SmallFloat {
  /// The code of the magnitude of `v`, rounded once. `v` must not be a NaN.
  static std::uint32_t magnitude(double v, MagnitudeRound round = MagnitudeRound::kNearestEven) {
    constexpr int kLeast = 1 - kBias;  // exponent of the smallest normal value
    std::uint64_t bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
    const std::uint64_t significand = (bits & 0xfffffffffffffu) | (std::uint64_t{1} << 52);
    // Infinities overflow in any case.
    const std::uint32_t above =
        round == MagnitudeRound::kDown && exponent != 1024 ? kTop : kOverflow;
    if (exponent > kBias + 1) return above;
    if (exponent < kLeast - kFraction - 1) {
      return round == MagnitudeRound::kUp && (bits << 1) != 0 ? 1 : 0;
    }
    const int drop = 52 - kFraction + (exponent >= kLeast ? 0 : kLeast - exponent);
    const std::uint64_t kept = significand >> drop;
    const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1);
    const std::uint64_t tie = std::uint64_t{1} << (drop - 1);
    bool up = rest > tie || (rest == tie && (kept & 1) != 0);
    if (round != MagnitudeRound::kNearestEven) up = round == MagnitudeRound::kUp && rest != 0;
    // A carry out of the fraction increments the exponent field.
    const std::uint64_t biased =
        exponent >= kLeast ? static_cast<std::uint64_t>(exponent - kLeast) << kFraction : 0;
    const std::uint64_t code = biased + kept + (up ? 1 : 0);
    return code > kTop ? above : static_cast<std::uint32_t>(code);
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

/// FP8. kTop is 448 of e4m3, which has no infinities, and 57344 of e5m2.
template <class Tag>
using E4m3 = SmallFloat<Tag, 3, 7, 0x7e, 0x7e>;
template <class Tag>
using E5m2 = SmallFloat<Tag, 2, 15, 0x7b, 0x7b>;

/// The value of a code of FP8: E5m2 has the infinity 0x7c, and codes above are NaNs.
template <class Tag>
double fp8_value(bool is_e4m3, std::uint32_t code) {
  const std::uint32_t magnitude = code & 0x7fu;
  double v = 0;
  if (!is_e4m3 && magnitude == 0x7c) {
    v = __builtin_inf();
  } else if (magnitude > (is_e4m3 ? 0x7eu : 0x7bu)) {
    return __builtin_nan("");
  } else {
    v = is_e4m3 ? E4m3<Tag>::value(magnitude) : E5m2<Tag>::value(magnitude);
  }
  return (code & 0x80u) != 0 ? -v : v;
}

/// bfloat16, rounded once to nearest even, with subnormals; a NaN is 0x7fff.
template <class Tag>
struct Bf16 : SmallFloat<Tag, 7, 127, 0x7f7f, 0x7f80> {
  static std::uint16_t from_double(double v) {
    if (v != v) return 0x7fff;
    std::uint64_t bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    return static_cast<std::uint16_t>(Bf16::magnitude(v) | (bits >> 63) << 15);
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

}  // namespace tessera
