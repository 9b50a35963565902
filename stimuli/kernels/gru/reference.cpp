// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "stimuli/kernels/bounded.h"

namespace tessera::kernels {
namespace {

constexpr double kU = kFloatRounding;
/// PTX's relative error bound of ex2.approx.
constexpr double kApproximation = 0x1p-22;

Bounded bounded(const FloatSum& sum) { return Bounded::within(sum.value(), sum.error()); }

/// The slope is at most 1/4; the exponential inherits its argument's two roundings; the sum below
/// the fraction bar and the quotient round once each.
Bounded sigmoid(const Bounded& v) {
  return Bounded::within(1 / (1 + std::exp(-v.value())),
                         (v.error() + 2 * kU * std::fabs(v.value()) + kApproximation) / 4 + 2 * kU);
}

/// The kernel's formula: 2 sigmoid(2 v) - 1, with the rounding of the subtraction.
Bounded tanh(const Bounded& v) {
  const Bounded s = sigmoid(Bounded::within(2 * v.value(), 2 * v.error()));
  return Bounded::within(2 * s.value() - 1, 2 * s.error() + 2 * kU);
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto x = in.values<float>("x");
  const auto w = in.values<float>("w");
  const auto u = in.values<float>("u");
  const auto bias = in.values<float>("bias");
  const auto initial = in.values<float>("states");
  const auto inputs = static_cast<std::size_t>(in.size("inputs"));
  const auto hidden = static_cast<std::size_t>(in.size("hidden"));
  const auto batch = static_cast<std::size_t>(in.size("batch"));
  const auto steps = static_cast<std::size_t>(in.size("steps"));
  std::vector<Bounded> states(initial.size());
  for (std::size_t i = 0; i < batch * hidden; ++i) states[i] = initial[i];
  for (std::size_t sample = 0; sample < steps * batch; ++sample) {
    const Bounded* before = &states[sample * hidden];
    for (std::size_t j = 0; j < hidden; ++j) {
      // Every thread adds its products in order: the bias, the inputs', the state's.
      FloatSum gates[3];
      FloatSum recurrent;
      for (std::size_t g = 0; g < 3; ++g) {
        gates[g].add(double{bias[g * hidden + j]});
        for (std::size_t k = 0; k < inputs; ++k) {
          gates[g].add(double{x[sample * inputs + k]} * double{w[(g * inputs + k) * hidden + j]});
        }
        FloatSum& state_sum = g == 2 ? recurrent : gates[g];
        for (std::size_t k = 0; k < hidden; ++k) {
          const double weight = double{u[(g * hidden + k) * hidden + j]};
          state_sum.add(before[k].value() * weight, before[k].error() * std::fabs(weight));
        }
      }
      const Bounded z = sigmoid(bounded(gates[0]));
      const Bounded r = sigmoid(bounded(gates[1]));
      gates[2].add(r.value() * recurrent.value(),
                   r.error() * (std::fabs(recurrent.value()) + recurrent.error()) +
                       r.value() * recurrent.error());
      const Bounded c = tanh(bounded(gates[2]));
      // c + z (before - c): z is between 0 and 1, the difference below 2 and all within 1.
      const Bounded& b = before[j];
      states[(sample + batch) * hidden + j] =
          Bounded::within(c.value() + z.value() * (b.value() - c.value()),
                          2 * c.error() + b.error() + 2 * z.error() + float_error(3, 5));
    }
  }
  return {expected("states", std::move(states))};
}

}  // namespace

Part part_of_gru() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels
