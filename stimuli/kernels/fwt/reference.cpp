// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_fwt {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto before = in.values<float>("data");
    // The elements are -1, 0 or 1 and the transform only adds and subtracts, so that it is exact in
    // float if no sum exceeds 2^24. This is impossible for up to 2^24 elements; the sums of 2^26
    // random elements are about ten thousand.
    std::vector<float> data = before.vector();
    for (std::size_t stride = data.size() / 2; stride > 0; stride /= 2) {
      for (std::size_t first = 0; first < data.size(); first += 2 * stride) {
        for (std::size_t at = first; at < first + stride; ++at) {
          const float sum = data[at] + data[at + stride];
          data[at + stride] = data[at] - data[at + stride];
          data[at] = sum;
        }
      }
    }
    const Values<float> after(std::move(data));
    return std::vector<Expectation>{
        {"data", [after](std::uint64_t i) { return Element64::about(double{after[i]}, 0); }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_fwt
