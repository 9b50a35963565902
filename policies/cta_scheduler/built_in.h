// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "policies/cta_scheduler.h"

namespace tessera {

std::unique_ptr<CtaScheduler> make_distributed_scheduler();
std::unique_ptr<CtaScheduler> make_greedy_scheduler(const CtaSchedulerOptions& options);
std::unique_ptr<CtaScheduler> make_partition_scheduler(const CtaSchedulerOptions& options);
std::unique_ptr<CtaScheduler> make_round_robin_scheduler(const CtaSchedulerOptions& options);

/// The CTAs of each GPU, in order.
class GpuRanges {
 public:
  explicit GpuRanges(unsigned gpus) : ranges_(gpus) {}

  void begin(const CtaGrid& grid, unsigned sm_count);
  unsigned gpu_of(SmId sm) const { return sm.value / sms_per_gpu_; }
  unsigned sms_per_gpu() const { return sms_per_gpu_; }
  struct Range {
    std::uint64_t next = 0;
    std::uint64_t end = 0;
  };
  Range& operator[](unsigned gpu) { return ranges_[gpu]; }
  /// The next CTA of a GPU, or nothing.
  std::optional<CtaId> take(unsigned gpu);
  std::uint64_t pending() const { return pending_; }
  void taken() { --pending_; }

 private:
  std::vector<Range> ranges_;
  unsigned sms_per_gpu_ = 1;
  std::uint64_t pending_ = 0;
};

}  // namespace tessera
