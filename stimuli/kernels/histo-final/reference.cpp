// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "common/error.h"
#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_histo_final {
namespace {

/// In order of parts instead of bins; exact.
std::vector<Expectation> reference(const Inputs& in) {
  const auto parts = in.values<std::uint8_t>("sub_histograms");
  const auto histogram = in.values<std::uint32_t>("histogram");
  if (in.scalar("first_hot") < 0) throw InputError("histo-final: bins must be at least 28672");
  const auto first_hot = static_cast<std::size_t>(in.scalar("first_hot"));
  const auto hot = static_cast<std::size_t>(in.scalar("hot"));
  std::vector<std::int64_t> counts(histogram.begin(), histogram.end());
  for (std::size_t i = 0; i < parts.size(); ++i) counts[first_hot + i % hot] += parts[i];
  return {{"result", [counts](std::uint64_t i) {
             return Element64::exactly(std::min<std::int64_t>(counts[i], 255));
           }}};
}

}  // namespace

Part part() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels::workload_histo_final
