// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {

Part atax_part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto a = in.values<float>("a");
    const auto x = in.values<float>("x");
    const auto rows = static_cast<std::uint64_t>(in.size("rows"));
    const auto columns = static_cast<std::uint64_t>(in.size("columns"));
    std::vector<double> tmp(rows), tmp_size(rows), y(columns), y_size(columns);
    for (std::uint64_t i = 0; i < rows; ++i) {
      for (std::uint64_t j = 0; j < columns; ++j) {
        const double term = double{a[i * columns + j]} * double{x[j]};
        tmp[i] += term;
        tmp_size[i] += std::fabs(term);
      }
    }
    for (std::uint64_t i = 0; i < rows; ++i) {
      for (std::uint64_t j = 0; j < columns; ++j) {
        const double weight = double{a[i * columns + j]};
        y[j] += weight * tmp[i];
        y_size[j] += std::fabs(weight) * tmp_size[i];
      }
    }
    // A dot product of `columns` terms, then one of `rows` terms over its results: the relative
    // errors of the two add up, on the magnitude of all terms.
    return std::vector<Expectation>{
        {"tmp",
         [=](std::uint64_t i) {
           return Element64::about(tmp[i], float_error(columns + 1, tmp_size[i]));
         }},
        {"y", [=](std::uint64_t j) {
           return Element64::about(y[j], float_error(rows + columns + 2, y_size[j]));
         }}};
  };
  return part;
}

}  // namespace tessera::kernels
