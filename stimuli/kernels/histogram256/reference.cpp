// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_histogram256 {

Part part() {
  Part part;
  part.reference = [](const Inputs& in) {
    constexpr std::size_t kBins = 256;
    const auto data = in.values<std::uint32_t>("data");
    const auto ctas = static_cast<std::size_t>(in.size("ctas"));
    std::vector<std::int64_t> partial(ctas * kBins);
    const std::size_t section = data.size() / ctas;
    for (std::size_t i = 0; i < data.size(); ++i) ++partial[i / section * kBins + data[i]];
    return std::vector<Expectation>{
        {"partial", [partial](std::uint64_t i) { return Element64::exactly(partial[i]); }}};
  };
  return part;
}

}  // namespace tessera::kernels::workload_histogram256
