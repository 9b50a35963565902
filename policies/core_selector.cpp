// SPDX-License-Identifier: Apache-2.0
#include "policies/core_selector.h"

#include <algorithm>
#include <numeric>

namespace tessera {

CoreSelector::CoreSelector(std::uint32_t core, std::uint32_t cores, CoreOrder order,
                           std::uint64_t period)
    : core_(core), order_(order), period_(period), supplied_(cores, 0), random_(core) {}

std::vector<std::uint64_t> CoreSelector::weights() const {
  std::uint64_t lowest = 0;
  for (const std::uint64_t n : supplied_) {
    if (n != 0 && (lowest == 0 || n < lowest)) lowest = n;
  }
  std::vector<std::uint64_t> weights;
  for (const std::uint64_t n : supplied_) {
    weights.push_back(n != 0 ? 2 * n : std::max<std::uint64_t>(lowest, 1));
  }
  weights[core_] = 0;
  return weights;
}

std::vector<std::uint32_t> CoreSelector::select(std::uint32_t count, std::uint64_t cycle) {
  std::vector<std::uint32_t> chosen;
  const auto others = static_cast<std::uint32_t>(supplied_.size()) - 1;
  count = std::min(count, others);
  if (order_ == CoreOrder::kIndex) {
    for (std::uint32_t c = 0; chosen.size() < count; ++c) {
      if (c != core_) chosen.push_back(c);
    }
    return chosen;
  }
  if (cycle / period_ != number_) {
    number_ = cycle / period_;
    std::fill(supplied_.begin(), supplied_.end(), 0);
  }
  std::vector<std::uint64_t> left = weights();
  std::uint64_t total = std::accumulate(left.begin(), left.end(), std::uint64_t{0});
  while (chosen.size() < count) {
    std::uint64_t draw = random_() % total;
    std::uint32_t c = 0;
    while (draw >= left[c]) draw -= left[c++];
    chosen.push_back(c);
    total -= left[c];
    left[c] = 0;
  }
  return chosen;
}

std::vector<std::vector<std::uint32_t>> divided(const std::vector<std::uint32_t>& cores,
                                                std::uint32_t probes) {
  const auto all = static_cast<std::uint32_t>(cores.size());
  probes = std::min(probes, all);
  std::vector<std::vector<std::uint32_t>> parts;
  auto from = cores.begin();
  for (std::uint32_t i = 0; i < probes; ++i) {
    const auto to = from + all / probes + (i < all % probes ? 1 : 0);
    parts.emplace_back(from, to);
    from = to;
  }
  return parts;
}

void describe(ParameterVisitor& v, ProbeRate& p) {
  v.integer("coverage", p.coverage, "core",
            "C: cores that a miss searches; at most the other cores of the GPU (remote-core "
            "section III-B)",
            1, 1023);
  v.integer("probes", p.probes, "probe", "S: most probes of a miss (remote-core section III-B)", 1,
            32);
  v.real("rate", p.rate, "",
         "P: share of misses with S probes; the others have S - 1 (remote-core section III-B)", 0,
         1);
  v.choice("selector", p.selector,
           "which cores are searched, and in which order: those that supply most, or by their "
           "numbers (remote-core section III-C)",
           {{"supplier", CoreOrder::kSupplier}, {"index", CoreOrder::kIndex}});
  v.integer("period", p.period, "cycle",
            "supplier: cycles after which the counts are reset (remote-core section III-F)", 1,
            1 << 30);
}

ProbePlanner::ProbePlanner(std::uint32_t core, std::uint32_t cores, const ProbeRate& rate)
    : rate_(rate),
      selector_(core, cores, rate.selector, rate.period),
      random_(std::uint64_t{cores} + core) {}

std::vector<std::vector<std::uint32_t>> ProbePlanner::plan(std::uint64_t cycle) {
  const double draw = static_cast<double>(random_() >> 11) * 0x1p-53;
  const std::uint32_t probes = draw < rate_.rate ? rate_.probes : rate_.probes - 1;
  if (probes == 0) return {};
  return divided(selector_.select(rate_.coverage, cycle), probes);
}

}  // namespace tessera
