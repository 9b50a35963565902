// SPDX-License-Identifier: Apache-2.0
// A slice as a cache of other GPUs' lines in front of the RDMA engine (DualOpt section 4.2).
#include <algorithm>

#include "modules/llc/llc_slice.h"

namespace tessera {

/// Atomics (section 4.4), and what may be cached by nobody on the way.
bool LlcSlice::must_reach_home(const MemoryRequest& r) {
  return r.kind == RequestKind::kAtomic || r.bypass_l1;
}

/// Sends an access to its home after a lookup, behind the bytes that are dirty here.
LlcSlice::Outcome LlcSlice::write_back_and_forward(const Access& a, CacheArray::Frame frame,
                                                   Tick t) {
  if (frame != CacheArray::kNone) {
    if (array_.locked(frame)) return stall(a, stats_.stalls_mshr);
    if (!array_.dirty(frame).none()) write_back(frame, t);
    array_.invalidate(frame);
  }
  ++stats_.bypasses;
  pass_to_memory(a, t, 0);
  return Outcome::kDone;
}

/// `tag`: kHoldsEntry + port, or 0.
void LlcSlice::pass_to_memory(const Access& a, Tick due, std::uint32_t tag) {
  a.request->push_route(static_cast<std::uint16_t>(a.port));
  ++outstanding_bypasses_;
  to_memory_.queue.push(due, tag, a.payload);
}

/// Whether an answer from `memory` is to a fetch or a write-back, and not to what passed by.
bool LlcSlice::is_own_response(Payload& payload) {
  if (payload.is_write()) {
    return std::find(writes_.begin(), writes_.end(), &payload) != writes_.end();
  }
  return mshr_.find(line_of(payload), &payload) != nullptr;
}

}  // namespace tessera
