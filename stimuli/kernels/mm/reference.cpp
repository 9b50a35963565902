// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {

Part mm_part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto b = in.values<float>("b");
    const auto n = static_cast<std::uint64_t>(in.size("n"));
    const auto k = static_cast<std::uint64_t>(in.size("k"));
    // A sum of k products, each product and each addition rounded.
    return std::vector<Expectation>{{"c", [=](std::uint64_t at) {
                                       const std::uint64_t row = at / n;
                                       const std::uint64_t column = at % n;
                                       double sum = 0;
                                       double magnitude = 0;
                                       for (std::uint64_t i = 0; i < k; ++i) {
                                         const double product =
                                             double{a[row * k + i]} * double{b[i * n + column]};
                                         sum += product;
                                         magnitude += std::fabs(product);
                                       }
                                       return Element64::about(sum, float_error(k + 1, magnitude));
                                     }}};
  };
  return part;
}

}  // namespace tessera::kernels
