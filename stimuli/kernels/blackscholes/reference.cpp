// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/option_price.h"
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_blackscholes {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto price = in.values<float>("price");
    const auto strike = in.values<float>("strike");
    const auto years = in.values<float>("years");
    const auto rate = static_cast<float>(in.scalar("rate"));
    const auto volatility = static_cast<float>(in.scalar("volatility"));
    const auto prices = [=](std::uint64_t i) {
      return option_prices(price[i], strike[i], years[i], rate, volatility);
    };
    return std::vector<Expectation>{
        {"call", [prices](std::uint64_t i) { return prices(i).call.expectation(); }},
        {"put", [prices](std::uint64_t i) { return prices(i).put.expectation(); }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_blackscholes
