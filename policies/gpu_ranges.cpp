// SPDX-License-Identifier: Apache-2.0
#include "policies/gpu_ranges.h"

#include <algorithm>

namespace tessera {

void GpuRanges::begin(const CtaGrid& grid, unsigned sm_count) {
  const std::uint64_t count = grid.count();
  sms_per_gpu_ = sm_count / static_cast<unsigned>(ranges_.size());
  const std::uint64_t per_gpu = (count + sm_count - 1) / sm_count * sms_per_gpu_;
  for (std::size_t g = 0; g < ranges_.size(); ++g) {
    ranges_[g] = {std::min(count, g * per_gpu), std::min(count, (g + 1) * per_gpu)};
  }
}

std::optional<CtaId> GpuRanges::take(unsigned gpu) {
  Range& r = ranges_[gpu];
  if (r.next == r.end) return std::nullopt;
  return CtaId(static_cast<std::uint32_t>(r.next++));
}

}  // namespace tessera
