// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_2dconv {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto rows = static_cast<std::uint64_t>(in.size("rows"));
    const auto columns = static_cast<std::uint64_t>(in.size("columns"));
    // The kernel's weights are float literals.
    constexpr float kWeights[3][3] = {
        {0.5f, -0.25f, 0.125f}, {0.3f, 0.7f, -0.9f}, {-0.6f, 0.2f, 0.4f}};
    // Nine products and eight sums, each rounded: at most nine roundings of the first product. The
    // border remains zero.
    return std::vector<Expectation>{{"b", [=](std::uint64_t at) {
                                       const std::uint64_t i = at / columns;
                                       const std::uint64_t j = at % columns;
                                       if (i == 0 || j == 0 || i + 1 == rows || j + 1 == columns)
                                         return Element64::about(0, 0);
                                       double sum = 0;
                                       double magnitude = 0;
                                       for (std::uint64_t di = 0; di < 3; ++di) {
                                         for (std::uint64_t dj = 0; dj < 3; ++dj) {
                                           const double term =
                                               double{kWeights[di][dj]} *
                                               double{a[(i + di - 1) * columns + j + dj - 1]};
                                           sum += term;
                                           magnitude += std::fabs(term);
                                         }
                                       }
                                       return Element64::about(sum, float_error(9, magnitude));
                                     }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_2dconv
