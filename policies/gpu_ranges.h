// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/cta_scheduler.h"

namespace tessera {

/// The CTAs of each GPU, in order. Each of several GPUs runs a contiguous range of CTAs. A range's
/// length is the GPU's number of SMs times the CTAs per SM of the system, rounded up, so that few
/// CTAs fill only the first GPUs (MGPUSim's unified multi-GPU).
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
  /// The next CTA of a GPU; nothing if its range is exhausted.
  std::optional<CtaId> take(unsigned gpu);
  bool has_more(unsigned gpu) const { return ranges_[gpu].next != ranges_[gpu].end; }

 private:
  std::vector<Range> ranges_;
  unsigned sms_per_gpu_ = 1;
};

}  // namespace tessera
