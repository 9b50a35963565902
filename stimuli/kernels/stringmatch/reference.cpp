// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_stringmatch {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    const auto text = in.values<std::uint8_t>("text");
    const auto starts = in.values<std::int32_t>("starts");
    const auto keyword = in.values<std::uint8_t>("keyword");
    // Matches can overlap.
    return std::vector<Expectation>{{"matches", [=](std::uint64_t line) {
                                       const auto end = text.begin() + starts[line + 1];
                                       std::int64_t found = 0;
                                       for (auto at = text.begin() + starts[line];; ++at, ++found) {
                                         at = std::search(at, end, keyword.begin(), keyword.end());
                                         if (at == end) return Element64::exactly(found);
                                       }
                                     }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_stringmatch
