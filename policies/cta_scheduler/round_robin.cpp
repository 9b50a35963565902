// SPDX-License-Identifier: Apache-2.0
// "round-robin": CTAs in order, each to whichever SM (of the GPU whose range it is) asks next.
#include "policies/cta_scheduler/built_in.h"

namespace tessera {

namespace {

class RoundRobin final : public CtaScheduler {
 public:
  explicit RoundRobin(unsigned gpus) : ranges_(gpus) {}

  void begin(const CtaGrid& grid, unsigned sm_count) override { ranges_.begin(grid, sm_count); }
  std::optional<CtaId> next(SmId sm) override { return ranges_.take(ranges_.gpu_of(sm)); }
  std::uint64_t pending() const override { return ranges_.pending(); }

 private:
  GpuRanges ranges_;
};

}  // namespace

std::unique_ptr<CtaScheduler> make_round_robin_scheduler(const CtaSchedulerOptions& options) {
  return std::make_unique<RoundRobin>(options.gpus);
}

}  // namespace tessera
