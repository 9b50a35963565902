// SPDX-License-Identifier: Apache-2.0
#include "stimuli/kernels/part.h"

namespace tessera::kernels {
namespace {

constexpr std::size_t kBins = 256;
constexpr std::size_t kBytes = 4 * 256;  // block size; blocks are assigned to CTAs round robin

std::vector<Expectation> reference(const Inputs& in) {
  const auto data = in.values<std::uint8_t>("data");
  const auto ctas = static_cast<std::size_t>(in.size("ctas"));
  std::vector<std::int64_t> bins(kBins);
  std::vector<std::int64_t> partial(ctas * kBins);
  for (std::size_t i = 0; i < data.size(); ++i) {
    ++bins[data[i]];
    ++partial[i / kBytes % ctas * kBins + data[i]];
  }
  return {{"bins", [bins](std::uint64_t i) { return Element64::exactly(bins[i]); }},
          {"partial", [partial](std::uint64_t i) { return Element64::exactly(partial[i]); }}};
}

}  // namespace

Part part_of_histogram256() { return Part{nullptr, reference}; }

}  // namespace tessera::kernels
