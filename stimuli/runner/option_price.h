// SPDX-License-Identifier: Apache-2.0
#pragma once

// The prices that the kernels of blackscholes.cu compute, with error bounds.

#include <cmath>

#include "stimuli/runner/bounded.h"

namespace tessera::kernels {

struct OptionPrices {
  Bounded call;
  Bounded put;
};

namespace option_price {

/// PTX's error bounds of ex2.approx (relative) and lg2.approx (absolute).
constexpr double kApproximation = 0x1p-22;

/// By ex2.approx of a product.
inline Bounded exponential(const Bounded& a) {
  const double value = std::exp(a.value());
  const double relative =
      std::expm1(a.error() + 2 * kFloatRounding * a.magnitude()) + kApproximation;
  return Bounded::within(value, value * relative + 0x1p-126);
}

/// By the product of lg2.approx and a literal.
inline Bounded logarithm(const Bounded& a) {
  const double value = std::log(a.value());
  const double inherited = -std::log1p(-a.error() / a.value());
  return Bounded::within(
      value, inherited + kApproximation + 3 * kFloatRounding * (std::fabs(value) + inherited));
}

/// The kernel's polynomial for the normal distribution.
inline Bounded normal(const Bounded& d) {
  const Bounded k = Bounded(1.0f) / (1.0f + 0.2316419f * abs(d));
  const Bounded series =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const Bounded upper = 0.39894228f * exponential(-0.5f * d * d) * series;
  const Bounded out = d.value() > 0 ? 1.0f - upper : upper;
  // Both branches are within 1e-7 of 0.5 at 0.
  const double branch = std::fabs(d.value()) <= d.error() ? 2e-7 : 0;
  return Bounded::within(out.value(), out.error() + branch);
}

}  // namespace option_price

/// Prices of a European option.
/// \param years until expiry, > 0
inline OptionPrices option_prices(const Bounded& price, const Bounded& strike, const Bounded& years,
                                  const Bounded& rate, const Bounded& volatility) {
  using option_price::exponential;
  using option_price::normal;
  const Bounded deviation = volatility * sqrt(years);
  const Bounded drift = (rate + 0.5f * volatility * volatility) * years;
  const Bounded d1 = (option_price::logarithm(price / strike) + drift) / deviation;
  const Bounded n1 = normal(d1);
  const Bounded n2 = normal(d1 - deviation);
  const Bounded discounted = strike * exponential(-rate * years);
  return {price * n1 - discounted * n2, discounted * (1.0f - n2) - price * (1.0f - n1)};
}

}  // namespace tessera::kernels
