// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_reduction {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    // There are fewer than 2^24 elements of -1, 0 or 1, so that every partial sum is exact in float
    // for any order, and so is the result.
    std::int64_t sum = 0;
    for (const float v : in.values<float>("in")) sum += static_cast<std::int64_t>(v);
    return std::vector<Expectation>{
        {"sum", [sum](std::uint64_t) { return Element64::about(static_cast<double>(sum), 0); }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_reduction
