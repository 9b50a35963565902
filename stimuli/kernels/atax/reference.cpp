// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_atax {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto x = in.values<float>("x");
    const auto rows = static_cast<std::uint64_t>(in.size("rows"));
    const auto columns = static_cast<std::uint64_t>(in.size("columns"));
    // Every thread adds its products in order. Errors of tmp propagate to y.
    std::vector<FloatSum> tmp(rows);
    std::vector<FloatSum> y(columns);
    for (std::uint64_t i = 0; i < rows; ++i) {
      for (std::uint64_t j = 0; j < columns; ++j) {
        tmp[i].add(double{a[i * columns + j]} * double{x[j]});
      }
      for (std::uint64_t j = 0; j < columns; ++j) {
        const double weight = double{a[i * columns + j]};
        y[j].add(weight * tmp[i].value(), std::fabs(weight) * tmp[i].error());
      }
    }
    return std::vector<Expectation>{
        {"tmp", [tmp](std::uint64_t i) { return tmp[i].expectation(); }},
        {"y", [y](std::uint64_t j) { return y[j].expectation(); }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_atax
