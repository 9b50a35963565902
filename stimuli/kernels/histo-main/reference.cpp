// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stimuli/runner/part.h"

namespace tessera::kernels::workload_histo_main {
namespace {

constexpr std::uint32_t kRange = 4096;
constexpr std::uint32_t kRanges = 10;
constexpr std::uint32_t kHotRanges = 7;
constexpr std::size_t kThreads = 256;

/// Two uniform halves added up, scaled to the bins: the middle bins are the most frequent.
std::vector<std::uint32_t> bins_of(const Inputs& in) {
  std::vector<std::uint32_t> bins = in.values<std::uint32_t>("addresses").vector();
  for (std::uint32_t& b : bins) {
    const std::uint64_t sum = (b & 0xffff) + (b >> 16);
    b = static_cast<std::uint32_t>(sum * (kRanges * kRange) >> 17);
  }
  return bins;
}

void host(HostSession& session) {
  session.write("addresses", bins_of(session.inputs()));
  session.launch_all();
}

std::vector<Expectation> reference(const Inputs& in) {
  const auto first_range = static_cast<std::uint32_t>(in.scalar("first_range"));
  const auto columns = static_cast<std::size_t>(in.size("columns"));
  std::vector<std::int64_t> rare(std::size_t{kRanges} * kRange);
  std::vector<std::int64_t> hot(columns * kHotRanges * kRange);
  const std::vector<std::uint32_t> bins = bins_of(in);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const std::uint32_t range = bins[i] / kRange;
    if (range < first_range || range >= first_range + kHotRanges) {
      ++rare[bins[i]];
    } else {
      // Blocks of a CTA's size are assigned to columns round robin.
      const std::size_t part = i / kThreads % columns * kHotRanges + range - first_range;
      ++hot[part * kRange + bins[i] % kRange];
    }
  }
  return {{"rare", [rare](std::uint64_t i) { return Element64::exactly(rare[i]); }},
          {"sub_histograms", [hot](std::uint64_t i) {
             std::int64_t word = 0;
             for (std::size_t b = 0; b < 4; ++b) {
               word |= std::min<std::int64_t>(hot[4 * i + b], 255) << (8 * b);
             }
             return Element64::exactly(word);
           }}};
}

}  // namespace

Part part() { return Part{host, reference}; }

}  // namespace tessera::kernels::workload_histo_main
