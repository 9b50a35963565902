// SPDX-License-Identifier: Apache-2.0
// "round-robin": CTAs in order, each to whichever SM asks next.
#include "policies/cta_scheduler/built_in.h"

namespace tessera {

namespace {

class RoundRobin final : public CtaScheduler {
 public:
  void begin(const CtaGrid& grid, unsigned) override {
    next_ = 0;
    count_ = grid.count();
  }

  std::optional<CtaId> next(SmId) override {
    if (next_ == count_) return std::nullopt;
    return CtaId(static_cast<std::uint32_t>(next_++));
  }

  std::uint64_t pending() const override { return count_ - next_; }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<CtaScheduler> make_round_robin_scheduler() {
  return std::make_unique<RoundRobin>();
}

}  // namespace tessera
