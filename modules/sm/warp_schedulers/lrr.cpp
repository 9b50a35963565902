// SPDX-License-Identifier: Apache-2.0
// "lrr": loose round-robin. Selects the next slot after the one that issued last and skips warps
// that cannot issue.
#include <memory>

#include "modules/sm/warp_scheduler.h"

namespace tessera::warp_schedulers::lrr {

namespace {

class LooseRoundRobin final : public WarpScheduler {
 public:
  std::uint32_t choose(const WarpCandidates& c) override {
    const bool from_the_start = c.last >= WarpTable::kMaxSlots - 1;
    const std::uint64_t after =
        from_the_start ? 0 : c.usable & ~((WarpTable::bit(c.last) << 1) - 1);
    return WarpTable::first(after != 0 ? after : c.usable);
  }
};

std::unique_ptr<WarpScheduler> make(const WarpScheduler::Context& /*context*/) {
  return std::make_unique<LooseRoundRobin>();
}

const PolicyRegistration<WarpScheduler> kRegistered("lrr", "the next slot whose warp can issue",
                                                    make);

}  // namespace

}  // namespace tessera::warp_schedulers::lrr
