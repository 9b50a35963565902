// SPDX-License-Identifier: Apache-2.0
// "gto": greedy-then-oldest (NUBA Table 1). Selects the warp that issued last; if it cannot issue,
// the warp that has been on the SM for longest.
#include <memory>

#include "modules/sm/warp_scheduler.h"

namespace tessera::warp_schedulers::gto {

namespace {

class GreedyThenOldest final : public WarpScheduler {
 public:
  std::uint32_t choose(const WarpCandidates& c) override {
    if (c.last != WarpCandidates::kNone && (c.usable & WarpTable::bit(c.last)) != 0) return c.last;
    std::uint32_t oldest = WarpTable::first(c.usable);
    for (std::uint64_t left = c.usable & (c.usable - 1); left != 0; left &= left - 1) {
      const std::uint32_t slot = WarpTable::first(left);
      if (c.warps[slot].age < c.warps[oldest].age) oldest = slot;
    }
    return oldest;
  }
};

std::unique_ptr<WarpScheduler> make(const WarpScheduler::Context& /*context*/) {
  return std::make_unique<GreedyThenOldest>();
}

const PolicyRegistration<WarpScheduler> kRegistered(
    "gto", "the warp that issued last, then the one that has been on the SM for longest", make);

}  // namespace

}  // namespace tessera::warp_schedulers::gto
