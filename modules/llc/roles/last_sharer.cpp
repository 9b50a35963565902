// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/roles/last_sharer.h"

#include "modules/kernel/stats.h"
#include "modules/llc/slice_pipeline.h"

namespace tessera {

LastSharerRole::LastSharerRole(SliceStages& slice, const SliceSite& site)
    : SliceRole(slice, site),
      first_core_(site.first_core),
      cores_(site.cores),
      first_core_exit_(site.first_core_exit),
      sharers_(slice.array_.all_ways()) {}

std::uint32_t LastSharerRole::core_of(const Access& a) const {
  const MemoryRequest& r = *a.request;
  if (r.kind != RequestKind::kLoad || r.bypass_l1 || r.fine_grained || !r.requester.is_sm()) {
    return kNoCore;
  }
  const std::uint32_t core = r.requester.sm().value - first_core_;
  return core < cores_ ? core : kNoCore;
}

bool LastSharerRole::forwards_hit(const Access& a, CacheArray::Way way, Tick t) {
  MemoryRequest& request = *a.request;
  if (request.forwarding != Forwarding::kPermitted) return false;
  Sharer& sharer = sharers_[way];
  const std::uint32_t requester = core_of(a);
  if (sharer.line != slice_.line_of(*a.payload) || sharer.core == kNoCore ||
      sharer.core == requester) {
    return false;
  }
  if (slice_.to_remote_.requests.queue.size() >= slice_.config().remote_queue_depth) {
    ++queue_full_;
    return false;
  }
  ++forwarded_;
  request.forwarding = Forwarding::kForwarded;
  request.set_home(Home(SliceId(first_core_exit_ + sharer.core)), a.payload->get_address());
  slice_.to_remote_.requests.queue.push(t, 0, a.payload);
  if (slice_.config().last_sharer == SharerRecord::kRead) sharer.core = requester;
  return true;
}

/// Records the core of a load that the slice responds to.
bool LastSharerRole::may_leave(const Access& a, Tick) {
  const std::uint64_t line = slice_.line_of(*a.payload);
  Sharer& sharer = sharers_[slice_.array_.find(set_index(a.request->home()), line)];
  if (a.request->forwarding == Forwarding::kReturned) ++returned_;
  const std::uint32_t core = core_of(a);
  if (core != kNoCore || sharer.line != line) sharer = {line, core};
  return true;
}

void LastSharerRole::reset() {
  sharers_.assign(sharers_.size(), {});
  forwarded_ = returned_ = queue_full_ = 0;
}

void LastSharerRole::register_statistics(StatisticsRegistry& registry) const {
  const auto add = [&](const char* name, const Counter& counter, const char* what) {
    registry.counter(slice_.name(), name, counter, "load", what);
  };
  add("forwarded_hits", forwarded_, "hits forwarded to the line's last sharer");
  add("returned_loads", returned_,
      "loads that were forwarded to the line's last sharer, returned, and got the slice's "
      "response");
  add("forward_queue_full", queue_full_,
      "hits with a last sharer that the slice responded to because its queue was full");
}

namespace {

const PolicyRegistration<LlcSlice> kLastSharerRole(
    "last_sharer", "home that forwards read hits to the L1 that got the line last",
    make_slice<LastSharerRole>);

}  // namespace

}  // namespace tessera
