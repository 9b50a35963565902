// SPDX-License-Identifier: Apache-2.0
// "lrr": loose round-robin. The next slot after the one that issued last, without those that
// cannot issue.
#include "modules/sm/warp_scheduler.h"

namespace tessera {

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

std::shared_ptr<WarpScheduler> make() {
  static const auto shared = std::make_shared<LooseRoundRobin>();
  return shared;
}

}  // namespace

extern "C" {
extern const bool tessera_warp_scheduler_lrr;
const bool tessera_warp_scheduler_lrr = register_warp_scheduler("lrr", make);
}

}  // namespace tessera
