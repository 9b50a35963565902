// SPDX-License-Identifier: Apache-2.0
// "partition": each GPU's range of CTAs is divided into contiguous parts of equal length, one per
// SM. The last parts can be short or empty.
#include <algorithm>

#include "policies/gpu_ranges.h"

namespace tessera::cta_scheduler::partition {

namespace {

class Partition final : public CtaScheduler {
 public:
  explicit Partition(unsigned gpus) : gpus_(gpus), ranges_(gpus) {}

  void begin(const CtaGrid& grid, unsigned sm_count) override {
    ranges_.begin(grid, sm_count);
    const unsigned sms = ranges_.sms_per_gpu();
    parts_.resize(sm_count);
    for (unsigned g = 0; g < gpus_; ++g) {
      const GpuRanges::Range& all = ranges_[g];
      const std::uint64_t part = (all.end - all.next + sms - 1) / sms;
      for (unsigned i = 0; i < sms; ++i) {
        parts_[g * sms + i] = {std::min(all.end, all.next + i * part),
                               std::min(all.end, all.next + (i + 1) * part)};
      }
    }
  }

  std::optional<CtaId> next(SmId sm) override {
    GpuRanges::Range& part = parts_[sm.value];
    if (part.next == part.end) return std::nullopt;
    return CtaId(static_cast<std::uint32_t>(part.next++));
  }
  bool has_more(SmId sm) const override { return parts_[sm.value].next != parts_[sm.value].end; }

 private:
  unsigned gpus_;
  GpuRanges ranges_;
  std::vector<GpuRanges::Range> parts_;
};

std::unique_ptr<CtaScheduler> make(const PolicyContext& c) {
  return std::make_unique<Partition>(c.tree.gpus);
}

const PolicyRegistration<CtaScheduler> kRegistered(
    "partition", "contiguous ranges per SM, equal but for the last (DualOpt Table 1, MGPUSim)",
    make);

}  // namespace

}  // namespace tessera::cta_scheduler::partition
