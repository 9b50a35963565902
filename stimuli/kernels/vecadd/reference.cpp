// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_vecadd {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto b = in.values<float>("b");
    // One rounded addition.
    return std::vector<Expectation>{{"c", [a, b](std::uint64_t i) {
                                       const double sum = double{a[i]} + double{b[i]};
                                       return Element64::about(sum, float_error(1, std::fabs(sum)));
                                     }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_vecadd
