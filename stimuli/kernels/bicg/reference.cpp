// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {

Part bicg_part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto r = in.values<float>("r");
    const auto p = in.values<float>("p");
    const auto rows = static_cast<std::uint64_t>(in.size("rows"));
    const auto columns = static_cast<std::uint64_t>(in.size("columns"));
    std::vector<double> s(columns), s_size(columns), q(rows), q_size(rows);
    for (std::uint64_t i = 0; i < rows; ++i) {
      for (std::uint64_t j = 0; j < columns; ++j) {
        const double element = double{a[i * columns + j]};
        s[j] += double{r[i]} * element;
        s_size[j] += std::fabs(double{r[i]} * element);
        q[i] += element * double{p[j]};
        q_size[i] += std::fabs(element * double{p[j]});
      }
    }
    // Dot products: each product and each addition is rounded.
    return std::vector<Expectation>{
        {"s",
         [=](std::uint64_t j) { return Element64::about(s[j], float_error(rows + 1, s_size[j])); }},
        {"q", [=](std::uint64_t i) {
           return Element64::about(q[i], float_error(columns + 1, q_size[i]));
         }}};
  };
  return part;
}

}  // namespace tessera::kernels
