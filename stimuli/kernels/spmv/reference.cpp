// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_spmv {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto start = in.values<std::int32_t>("row_start");
    const auto column = in.values<std::int32_t>("columns");
    const auto value = in.values<float>("values");
    const auto x = in.values<float>("x");
    // Every thread adds the products of its row in order.
    return std::vector<Expectation>{
        {"y", [=](std::uint64_t row) {
           const auto end = static_cast<std::size_t>(start[row + 1]);
           FloatSum sum;
           for (auto e = static_cast<std::size_t>(start[row]); e < end; ++e) {
             sum.add(double{value[e]} * double{x[static_cast<std::size_t>(column[e])]});
           }
           return sum.expectation();
         }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_spmv
