// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <tlm>
#include <vector>

#include "modules/kernel/stats.h"
#include "modules/protocol/memory_request.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/response_port.h"

namespace tessera {

/// A request in a slice.
struct SliceAccess {
  tlm::tlm_generic_payload* payload = nullptr;
  MemoryRequest* request = nullptr;
  std::uint32_t port = 0;
  /// Of an access that has joined a fetch: the slice's cycle of its lookup, modulo 2^32.
  std::uint32_t joined_at = 0;
};

/// The slice's ends of its channels.
using SliceInput = UnscheduledResponsePort<QueuedOutput<ResponseSender>>;
using SliceOutput = UnscheduledRequestPort<QueuedOutput<RequestSender>>;

/// Adds the cycles from `due` to t.
inline void count_wait(Counter& cycles, const ClockDomain& clock, Tick due, Tick t) {
  if (due < t) cycles += clock.cycles_in(t - due);
}

/// Stamps the departure of a response, unless the slice is not the home and another block has.
inline void stamp_departure(MemoryRequest& request, ServedBy as, Tick at) {
  Tick& left = request.stamp(Hop::kFromLlc);
  if (as != ServedBy::kHome && left != kNever) return;
  left = at;
  request.served_by = as;
}

/// A walk over the ways that writes back dirty lines.
struct SliceWalk {
  LaunchSlot launch;
  bool keeps_lines = false;  ///< write_back_copies(); otherwise flush()
  bool walked = false;       ///< keeps_lines: the walk is over
  Tick began = 0;
  Tick at = 0;                                     ///< of the next visit
  std::vector<tlm::tlm_generic_payload*> awaited;  ///< keeps_lines: write-backs without a response
  std::function<void()> done;
};

}  // namespace tessera
