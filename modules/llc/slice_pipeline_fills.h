// SPDX-License-Identifier: Apache-2.0
#pragma once

// SlicePipeline's handling of fills and of completed accesses. Included by
// modules/llc/slice_pipeline.h.

#include "modules/llc/slice_pipeline.h"

namespace tessera {

template <class Role>
void SlicePipeline<Role>::fill(Payload& payload, Tick t) {
  if (unlikely(failed(payload))) {
    refuse_fill(payload, t);
    return;
  }
  Mshr<Access>::Entry& entry = *mshr_.find(line_of(payload));
  const CacheArray::Way f = entry.way;
  const ByteMask& whole = array_.whole_line();
  const bool held_bytes = !array_.valid(f).none();
  if (request_of(payload).carries_data) {
    copy_masked(array_.data(f), payload.get_data_ptr(), whole.without(array_.valid(f)),
                config_.line_bytes);
  }
  array_.set_valid(f, whole);
  array_.lock(f, false);
  MemoryRequest& first = *entry.first().request;
  const bool copy = role_.is_copy(first.home());
  if (role_.owns(first.home())) {
    // Both stamps are written here, because at the lookup the host cache line with the stamps is
    // not in the host's caches.
    first.stamp(Hop::kToDram) = entry.sent;
    first.stamp(Hop::kFromDram) = t;
  }
  stats_.miss_latency.add(clock_.cycles_in(t - entry.sent));
  bool wanted_here = held_bytes;
  if (entry.waiting() > 1) count_merged(entry, t);
  entry.for_each_waiting([&](const Access& a) {
    wanted_here = wanted_here || role_.keeps(a);
    apply(a, f);
    finish(a, t);
  });
  const bool keep = entry.keep && (wanted_here || !array_.dirty(f).none());
  if (entry.first().payload != &payload) payload.release();
  mshr_.release(entry);
  if (!keep) {
    // A copy that has been dropped during its fetch; a running kernel can have written it.
    drop_clean_bytes(f);
  } else if (copy) {
    holds_copies_ = true;
  }
}

/// Completes an access that has taken effect. The response is sent when no other slice holds a
/// stale copy.
template <class Role>
void SlicePipeline<Role>::finish(const Access& a, Tick t) {
  a.payload->set_response_status(tlm::TLM_OK_RESPONSE);
  if (role_.may_leave(a, t)) respond(a.port, t, *a.payload);
}

}  // namespace tessera
