// SPDX-License-Identifier: Apache-2.0
// "round-robin": CTAs in order, each to the next SM with free resources (of the GPU that runs its
// range).
#include "policies/gpu_ranges.h"

namespace tessera::cta_scheduler::round_robin {

namespace {

class RoundRobin final : public CtaScheduler {
 public:
  explicit RoundRobin(unsigned gpus) : ranges_(gpus) {}

  void begin(const CtaGrid& grid, unsigned sm_count) override { ranges_.begin(grid, sm_count); }
  std::optional<CtaId> next(SmId sm) override { return ranges_.take(ranges_.gpu_of(sm)); }
  bool has_more(SmId sm) const override { return ranges_.has_more(ranges_.gpu_of(sm)); }

 private:
  GpuRanges ranges_;
};

std::unique_ptr<CtaScheduler> make(const PolicyContext& c) {
  return std::make_unique<RoundRobin>(c.tree.gpus);
}

const PolicyRegistration<CtaScheduler> kRegistered(
    "round-robin", "CTAs in order, each to the next SM of its GPU that has room", make);

}  // namespace

}  // namespace tessera::cta_scheduler::round_robin
