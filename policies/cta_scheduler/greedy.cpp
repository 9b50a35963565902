// SPDX-License-Identifier: Apache-2.0
// "greedy": CTAs in order, each to the lowest SM of its GPU with free resources.
#include "policies/gpu_ranges.h"

namespace tessera::cta_scheduler::greedy {

namespace {

class Greedy final : public CtaScheduler {
 public:
  explicit Greedy(unsigned gpus) : ranges_(gpus), served_(gpus) {}

  void begin(const CtaGrid& grid, unsigned sm_count) override { ranges_.begin(grid, sm_count); }
  void begin_round() override { served_.assign(served_.size(), false); }

  std::optional<CtaId> next(SmId sm) override {
    // The first call of a round is for the lowest SM with free resources.
    const unsigned gpu = ranges_.gpu_of(sm);
    if (served_[gpu]) return std::nullopt;
    served_[gpu] = true;
    return ranges_.take(gpu);
  }
  bool has_more(SmId sm) const override { return ranges_.has_more(ranges_.gpu_of(sm)); }

 private:
  GpuRanges ranges_;
  std::vector<bool>
      served_;  ///< GPUs whose lowest SM with free resources has been served in this round
};

std::unique_ptr<CtaScheduler> make(const PolicyContext& c) {
  return std::make_unique<Greedy>(c.tree.gpus);
}

const PolicyRegistration<CtaScheduler> kRegistered(
    "greedy", "CTAs in order, each to the lowest SM of its GPU that has room", make);

}  // namespace

}  // namespace tessera::cta_scheduler::greedy
