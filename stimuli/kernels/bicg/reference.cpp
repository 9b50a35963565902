// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_bicg {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto r = in.values<float>("r");
    const auto p = in.values<float>("p");
    const auto rows = static_cast<std::uint64_t>(in.size("rows"));
    const auto columns = static_cast<std::uint64_t>(in.size("columns"));
    // Every thread adds its products in order.
    std::vector<FloatSum> s(columns);
    std::vector<FloatSum> q(rows);
    for (std::uint64_t i = 0; i < rows; ++i) {
      for (std::uint64_t j = 0; j < columns; ++j) {
        const double element = double{a[i * columns + j]};
        s[j].add(double{r[i]} * element);
        q[i].add(element * double{p[j]});
      }
    }
    return std::vector<Expectation>{{"s", [s](std::uint64_t j) { return s[j].expectation(); }},
                                    {"q", [q](std::uint64_t i) { return q[i].expectation(); }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_bicg
