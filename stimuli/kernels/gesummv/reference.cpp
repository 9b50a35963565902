// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {

Part part_of_gesummv() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto b = in.values<float>("b");
    const auto x = in.values<float>("x");
    const double alpha = in.scalar("alpha");
    const double beta = in.scalar("beta");
    const std::uint64_t n = x.size();
    // Every thread adds the products of its rows in order. Errors of the two sums propagate to y.
    return std::vector<Expectation>{{"y", [=](std::uint64_t i) {
                                       FloatSum ax;
                                       FloatSum bx;
                                       for (std::uint64_t j = 0; j < n; ++j) {
                                         ax.add(double{a[i * n + j]} * double{x[j]});
                                         bx.add(double{b[i * n + j]} * double{x[j]});
                                       }
                                       FloatSum y;
                                       y.add(alpha * ax.value(), std::fabs(alpha) * ax.error());
                                       y.add(beta * bx.value(), std::fabs(beta) * bx.error());
                                       return y.expectation();
                                     }}};
  };
  return part;
}

}  // namespace tessera::kernels
