// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_sgemm {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto b = in.values<float>("b");
    const auto m = static_cast<std::uint64_t>(in.size("m"));
    const auto n = static_cast<std::uint64_t>(in.size("n"));
    const auto k = static_cast<std::uint64_t>(in.size("k"));
    // Every thread adds its products in the order of the inner dimension.
    return std::vector<Expectation>{{"c", [=](std::uint64_t at) {
                                       const std::uint64_t row = at % m;
                                       const std::uint64_t column = at / m;
                                       FloatSum sum;
                                       for (std::uint64_t i = 0; i < k; ++i) {
                                         sum.add(double{a[i * m + row]} *
                                                 double{b[i * n + column]});
                                       }
                                       return sum.expectation();
                                     }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_sgemm
