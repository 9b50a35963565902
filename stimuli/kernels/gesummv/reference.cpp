// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_gesummv {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto b = in.values<float>("b");
    const auto x = in.values<float>("x");
    const double alpha = in.scalar("alpha");
    const double beta = in.scalar("beta");
    const std::uint64_t n = x.size();
    // Every thread adds the products of its rows in order.
    const auto row_sum = [=](const Values<float>& matrix, std::uint64_t i) {
      FloatSum sum;
      for (std::uint64_t j = 0; j < n; ++j) sum.add(double{matrix[i * n + j]} * double{x[j]});
      return sum;
    };
    // Errors of the two sums propagate to y.
    const auto result = [=](std::uint64_t i) {
      const FloatSum ax = row_sum(a, i);
      const FloatSum bx = row_sum(b, i);
      FloatSum y;
      y.add(alpha * ax.value(), std::fabs(alpha) * ax.error());
      y.add(beta * bx.value(), std::fabs(beta) * bx.error());
      return y.expectation();
    };
    return std::vector<Expectation>{
        {"tmp", [=](std::uint64_t i) { return row_sum(a, i).expectation(); }}, {"y", result}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_gesummv
