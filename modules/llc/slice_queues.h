// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <tlm>
#include <vector>

#include "modules/protocol/memory_request.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/response_port.h"

namespace tessera {

/// A request in a slice.
struct SliceAccess {
  tlm::tlm_generic_payload* payload = nullptr;
  MemoryRequest* request = nullptr;
  std::uint32_t port = 0;
};

/// The slice's ends of its channels.
using SliceInput = UnscheduledResponsePort<QueuedOutput<ResponseSender>>;
using SliceOutput = UnscheduledRequestPort<QueuedOutput<RequestSender>>;

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
