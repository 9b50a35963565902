// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stimuli/kernels/part.h"

namespace tessera::kernels {

Part spmv_part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto start = in.values<std::int32_t>("row_start");
    const auto column = in.values<std::int32_t>("columns");
    const auto value = in.values<float>("values");
    const auto x = in.values<float>("x");
    // A sum of as many products as the row has, each product and each addition rounded.
    return std::vector<Expectation>{
        {"y", [=](std::uint64_t row) {
           double sum = 0;
           double magnitude = 0;
           const auto begin = static_cast<std::size_t>(start[row]);
           const auto end = static_cast<std::size_t>(start[row + 1]);
           for (std::size_t e = begin; e < end; ++e) {
             const double term = double{value[e]} * double{x[static_cast<std::size_t>(column[e])]};
             sum += term;
             magnitude += std::fabs(term);
           }
           return Element64::about(sum, float_error(end - begin + 1, magnitude));
         }}};
  };
  return part;
}

}  // namespace tessera::kernels
