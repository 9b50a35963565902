// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_saxpy {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const double alpha = in.scalar("alpha");
    const auto x = in.values<float>("x");
    const auto y = in.values<float>("y");
    // A product and a sum, each rounded (or one fused, which is closer).
    return std::vector<Expectation>{
        {"y", [=](std::uint64_t i) {
           const double product = alpha * double{x[i]};
           return Element64::about(product + double{y[i]},
                                   float_error(2, std::fabs(product) + std::fabs(double{y[i]})));
         }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_saxpy
