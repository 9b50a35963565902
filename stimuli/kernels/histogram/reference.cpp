// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_histogram {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    std::vector<std::int64_t> counts(256);
    for (const std::uint8_t v : in.values<std::uint8_t>("data")) ++counts[v];
    return std::vector<Expectation>{
        {"bins", [counts](std::uint64_t i) { return Element64::exactly(counts.at(i)); }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_histogram
