// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "stimuli/runner/bounded.h"

namespace tessera::kernels::workload_gru {
namespace {

constexpr double kU = kFloatRounding;
/// PTX's relative error bound of ex2.approx.
constexpr double kApproximation = 0x1p-22;

Bounded bounded(const FloatSum& sum) { return Bounded::within(sum.value(), sum.error()); }

Bounded hard_sigmoid(const Bounded& v) {
  return min(max(Bounded(0.2f) * v + Bounded(0.5f), Bounded(0.0f)), Bounded(1.0f));
}

/// 2 / (1 + exp(-2 v)) - 1. The slope is at most 1; the exponential inherits its argument's two
/// roundings, and its error is halved at most; the sum below the fraction bar, the quotient and the
/// subtraction round once each.
Bounded tanh(const Bounded& v) {
  const double inherited = v.error() + (4 * kU * std::fabs(v.value()) + kApproximation) / 2;
  return Bounded::within(std::tanh(v.value()), inherited + 6 * kU);
}

/// The state of one sequence after a step.
std::vector<Bounded> step(const std::vector<Bounded>& state, float x, const Values<float>& w,
                          const Values<float>& u, const Values<float>& bias) {
  const std::size_t units = state.size();
  // Every thread adds its products in order. Errors of the states propagate.
  const auto gate = [&](std::size_t g, std::size_t j, const std::vector<Bounded>& factors) {
    FloatSum sum;
    for (std::size_t k = 0; k < units; ++k) {
      const double weight = double{u[(g * units + k) * units + j]};
      sum.add(factors[k].value() * weight, factors[k].error() * std::fabs(weight));
    }
    return Bounded(x) * Bounded(w[g * units + j]) + bounded(sum) + Bounded(bias[g * units + j]);
  };
  std::vector<Bounded> reset(units);
  for (std::size_t j = 0; j < units; ++j) reset[j] = hard_sigmoid(gate(1, j, state)) * state[j];
  std::vector<Bounded> out(units);
  for (std::size_t j = 0; j < units; ++j) {
    const Bounded z = hard_sigmoid(gate(0, j, state));
    out[j] = (Bounded(1.0f) - z) * state[j] + z * tanh(gate(2, j, reset));
  }
  return out;
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto x = in.values<float>("x");
  const auto w = in.values<float>("w");
  const auto u = in.values<float>("u");
  const auto bias = in.values<float>("bias");
  const auto initial = in.values<float>("states");
  const std::size_t units = bias.size() / 3;
  const std::size_t sequences = initial.size() / units;
  std::vector<Bounded> states;
  for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
    std::vector<Bounded> state;
    for (std::size_t j = 0; j < units; ++j) state.emplace_back(initial[sequence * units + j]);
    for (std::size_t at = sequence; at < x.size(); at += sequences) {
      state = step(state, x[at], w, u, bias);
    }
    states.insert(states.end(), state.begin(), state.end());
  }
  return {expected("states", std::move(states))};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_gru
