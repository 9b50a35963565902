// SPDX-License-Identifier: Apache-2.0
// "ske": CTAs in turn to the GPUs (UMH section 6, scalable kernel execution), and in order to the
// SMs of a GPU.
#include <vector>

#include "policies/cta_scheduler.h"

namespace tessera::cta_scheduler::ske {

namespace {

class Ske final : public CtaScheduler {
 public:
  explicit Ske(unsigned gpus) : next_(gpus) {}

  void begin(const CtaGrid& grid, unsigned sm_count) override {
    count_ = grid.count();
    sms_per_gpu_ = sm_count / static_cast<unsigned>(next_.size());
    for (unsigned g = 0; g < next_.size(); ++g) next_[g] = g;
  }

  std::optional<CtaId> next(SmId sm) override {
    std::uint64_t& cta = next_[sm.value / sms_per_gpu_];
    if (cta >= count_) return std::nullopt;
    const CtaId id(static_cast<std::uint32_t>(cta));
    cta += next_.size();
    return id;
  }
  bool has_more(SmId sm) const override { return next_[sm.value / sms_per_gpu_] < count_; }

 private:
  std::vector<std::uint64_t> next_;  ///< of each GPU
  std::uint64_t count_ = 0;
  unsigned sms_per_gpu_ = 1;
};

std::unique_ptr<CtaScheduler> make(const PolicyContext& c) {
  return std::make_unique<Ske>(c.tree.gpus);
}

const PolicyRegistration<CtaScheduler> kRegistered(
    "ske", "CTAs in turn to the GPUs, and to the next SM of the GPU that has room (UMH section 6)",
    make);

}  // namespace

}  // namespace tessera::cta_scheduler::ske
