// SPDX-License-Identifier: Apache-2.0
#include "stimuli/kernels/part.h"

namespace tessera::kernels {

Part part_of_reduction() {
  Part part;
  part.reference = [](const Inputs& in) {
    // The elements are -1, 0 and 1, fewer than 2^24 of them: every partial sum is a float, whatever
    // the order, and the result is exact.
    std::int64_t sum = 0;
    for (const float v : in.values<float>("in")) sum += static_cast<std::int64_t>(v);
    return std::vector<Expectation>{
        {"sum", [sum](std::uint64_t) { return Element64::about(static_cast<double>(sum), 0); }}};
  };
  return part;
}

}  // namespace tessera::kernels
