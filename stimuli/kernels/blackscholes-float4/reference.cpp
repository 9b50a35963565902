// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/option_price.h"
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_blackscholes_float4 {
namespace {

Bounded between(float low, float high, float random) {
  return low * Bounded(random) + high * (1.0f - Bounded(random));
}

OptionPrices random_option(float random) {
  const Bounded price = between(10.0f, 100.0f, random);
  return option_prices(price, price, between(1.0f, 10.0f, random), between(0.01f, 0.05f, random),
                       between(0.01f, 0.1f, random));
}

}  // namespace

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto random = in.values<float>("random");
    return std::vector<Expectation>{
        {"call", [=](std::uint64_t i) { return random_option(random[i]).call.expectation(); }},
        {"put", [=](std::uint64_t i) { return random_option(random[i]).put.expectation(); }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_blackscholes_float4
