// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {
namespace {

constexpr double kU = kFloatRounding;
/// PTX's error bounds of ex2.approx (relative) and lg2.approx (absolute).
constexpr double kApproximation = 0x1p-22;

/// A value with the error bound of the kernel's value.
struct Bounded {
  double value;
  double error;
};

/// The kernel's polynomial. Its slope is the normal density's, below 0.5.
Bounded normal(const Bounded& d) {
  const double k = 1 / (1 + 0.2316419 * std::fabs(d.value));
  const double series =
      k *
      (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
  const double square = d.value * d.value;
  const double upper = 0.39894228 * std::exp(-0.5 * square) * series;
  // The terms of the series add up to less than 6 in magnitude, times 0.4, with at most 16
  // roundings. The error of the exponent is that of three roundings.
  const double error = 0.5 * d.error + 0.4 * 6 * 16 * kU + kApproximation + 2 * square * kU;
  return {d.value > 0 ? 1 - upper : upper, error};
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto price = in.values<float>("price");
  const auto strike = in.values<float>("strike");
  const auto years = in.values<float>("years");
  const double rate = in.scalar("rate");
  const double volatility = in.scalar("volatility");
  const auto option = [=](std::uint64_t i, bool call) {
    const double s = double{price[i]};
    const double x = double{strike[i]};
    const double t = double{years[i]};
    const double deviation = volatility * std::sqrt(t);
    const double drift = (rate + 0.5 * volatility * volatility) * t;
    const double log = std::log(s / x);
    Bounded d1{(log + drift) / deviation, 0};
    // Roundings of the quotient, the logarithm and its product, the drift and the sum; then of the
    // deviation and the last quotient.
    d1.error = (kU + kApproximation + 6 * kU * (std::fabs(log) + drift)) / deviation +
               4 * kU * std::fabs(d1.value);
    const Bounded d2{d1.value - deviation, d1.error + kU * (std::fabs(d1.value) + 4 * deviation)};
    const Bounded n1 = normal(d1);
    const Bounded n2 = normal(d2);
    const double discounted = x * std::exp(-rate * t);
    const double value = call ? s * n1.value - discounted * n2.value
                              : discounted * (1 - n2.value) - s * (1 - n1.value);
    const double error = s * n1.error + discounted * n2.error +
                         discounted * (kApproximation + 3 * rate * t * kU) +
                         8 * kU * (s + discounted);
    return Element64::about(value, error);
  };
  return {{"call", [option](std::uint64_t i) { return option(i, true); }},
          {"put", [option](std::uint64_t i) { return option(i, false); }}};
}

}  // namespace

Part part_of_blackscholes() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels
