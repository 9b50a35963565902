// SPDX-License-Identifier: Apache-2.0
#include "stimuli/traces/trace_source.h"

namespace tessera::traces {

LocalSlots LocalMemories::of(std::uint64_t thread_bytes, const DeviceSlots& slots) {
  // Whole elements of the widest access.
  const std::uint64_t warp_bytes =
      (thread_bytes + kMaxLaneBytes - 1) / kMaxLaneBytes * kMaxLaneBytes * kWarpLanes;
  LocalSlots& out = all_[warp_bytes];
  if (out.begin != 0) return out;
  const std::uint64_t page = slots.page_bytes;
  out.warp_bytes = warp_bytes;
  out.sm_bytes = (warp_bytes * slots.warps + page - 1) / page * page;
  const std::string number = all_.size() == 1 ? "" : " " + std::to_string(all_.size());
  out.begin = device_.allocate("local memory" + number, out.sm_bytes * slots.sms);
  return out;
}

std::unique_ptr<KernelProgram> TraceSource::make(const LaunchRequest& /*request*/,
                                                 const LaunchEnvironment& environment) {
  LocalSlots local;
  if (spool_->local_end() != 0 && environment.slots.sms != 0) {
    const Address begin = spool_->local_begin() / kMaxLaneBytes * kMaxLaneBytes;
    local = locals_->of(spool_->local_end() - begin, environment.slots);
  }
  return std::make_unique<TraceProgram>(spool_, map_, local);
}

}  // namespace tessera::traces
