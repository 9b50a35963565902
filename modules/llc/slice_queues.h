// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <tlm>
#include <vector>

#include "modules/kernel/timed_queue.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/memory_request.h"

namespace tessera {

/// A request in a slice.
struct SliceAccess {
  tlm::tlm_generic_payload* payload = nullptr;
  MemoryRequest* request = nullptr;
  std::uint32_t port = 0;
};

// Each is a queue with the slice's end of a channel.

struct SliceOutput {
  TimedQueue<tlm::tlm_generic_payload*> queue;
  RequestSender sender;
};

struct SliceResponseOutput {
  TimedQueue<tlm::tlm_generic_payload*> queue;
  ResponseSender sender;
};

struct SliceResponseInput {
  TimedQueue<tlm::tlm_generic_payload*> queue;
  ResponseReceiver receiver{ResponseReceiver::kUnlimited};
};

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
