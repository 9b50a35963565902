// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_reduction_uint4 {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto values = in.values<std::uint32_t>("in");
    std::vector<std::uint32_t> sums(values.size() / 512);
    for (std::uint64_t i = 0; i < values.size(); ++i) sums[i / 2048 * 4 + i % 4] += values[i];
    return std::vector<Expectation>{
        {"partial", [sums](std::uint64_t i) { return Element64::exactly(sums[i]); }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_reduction_uint4
