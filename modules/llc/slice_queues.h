// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "modules/core/channels.h"
#include "modules/core/memory_request.h"
#include "modules/core/timed_queue.h"

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

}  // namespace tessera
