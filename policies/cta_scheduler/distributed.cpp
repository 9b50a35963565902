// SPDX-License-Identifier: Apache-2.0
// "distributed": SM s gets the contiguous CTAs [s N / S, (s + 1) N / S) (MCM-GPU; NUBA section 6).
#include <cstddef>
#include <vector>

#include "policies/cta_scheduler.h"

namespace tessera::cta_scheduler::distributed {

namespace {

class Distributed final : public CtaScheduler {
 public:
  void begin(const CtaGrid& grid, unsigned sm_count) override {
    const std::uint64_t count = grid.count();
    ranges_.resize(sm_count);
    // s N / S without overflow: quotient and remainder are scaled separately.
    const std::uint64_t whole = sm_count == 0 ? 0 : count / sm_count;
    const std::uint64_t rest = sm_count == 0 ? 0 : count % sm_count;
    for (std::uint64_t s = 0; s < sm_count; ++s) {
      ranges_[s] = {s * whole + s * rest / sm_count, (s + 1) * whole + (s + 1) * rest / sm_count};
    }
  }

  std::optional<CtaId> next(SmId sm) override {
    Range& r = ranges_[sm.value];
    if (r.next == r.end) return std::nullopt;
    return CtaId(static_cast<std::uint32_t>(r.next++));
  }
  bool has_more(SmId sm) const override { return ranges_[sm.value].next != ranges_[sm.value].end; }

 private:
  struct Range {
    std::uint64_t next = 0;
    std::uint64_t end = 0;
  };
  std::vector<Range> ranges_;
};

std::unique_ptr<CtaScheduler> make(const PolicyContext&) { return std::make_unique<Distributed>(); }

const PolicyRegistration<CtaScheduler> kRegistered(
    "distributed",
    "contiguous ranges per SM that differ by one at most, GPUs or not (MCM-GPU; NUBA section 6)",
    make);

}  // namespace

}  // namespace tessera::cta_scheduler::distributed
