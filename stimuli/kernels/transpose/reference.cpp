// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_transpose {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto from = in.values<float>("in");
    const auto rows = static_cast<std::uint64_t>(in.size("rows"));
    const auto columns = static_cast<std::uint64_t>(in.size("columns"));
    // Exact, because nothing is computed.
    return std::vector<Expectation>{{"out", [=](std::uint64_t at) {
                                       return Element64::about(
                                           double{from[(at % rows) * columns + at / rows]}, 0);
                                     }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_transpose
