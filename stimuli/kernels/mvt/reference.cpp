// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_mvt {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto y1 = in.values<float>("y1");
    const auto y2 = in.values<float>("y2");
    const auto before1 = in.values<float>("x1");
    const auto before2 = in.values<float>("x2");
    const std::uint64_t n = y1.size();
    // Every thread starts from the element it updates and adds its products in order.
    std::vector<FloatSum> x1(n);
    std::vector<FloatSum> x2(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      x1[i].add(double{before1[i]});
      x2[i].add(double{before2[i]});
    }
    for (std::uint64_t i = 0; i < n; ++i) {
      for (std::uint64_t j = 0; j < n; ++j) {
        const double value = double{a[i * n + j]};
        x1[i].add(value * double{y1[j]});
        x2[j].add(value * double{y2[i]});
      }
    }
    return std::vector<Expectation>{{"x1", [x1](std::uint64_t i) { return x1[i].expectation(); }},
                                    {"x2", [x2](std::uint64_t j) { return x2[j].expectation(); }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_mvt
