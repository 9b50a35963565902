// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tlm>
#include <unordered_map>
#include <vector>

#include "modules/kernel/time.h"
#include "modules/protocol/memory_request.h"
#include "platforms/timeline/event_trace.h"

namespace tessera {

/// Follows sampled requests of SMs through the blocks of a platform, by their payloads, which go
/// from block to block and return with the response (docs/decisions/one-transaction-per-miss.md).
///
/// A request is a slice on the track of its SM, from the call that sends it to the arrival of its
/// response. A hop is a slice on the track of the block where the request is. A hop ends when the
/// next one begins, so that hops add up to the request's slice. Each end has the exact length in
/// femtoseconds ("fs"). The flow of a request joins its hops.
class RequestTracer {
 public:
  RequestTracer(EventTrace& trace, const PlatformPlan& plan);

  /// A request leaves its SM for the L1. Returns whether it is followed.
  bool issue(const tlm::tlm_generic_payload& payload, PlannedBlockId sm, PlannedBlockId l1,
             Tick at);
  /// The request, or its response, is at a block from `at` on. No effect on a request that is not
  /// followed.
  void move(const tlm::tlm_generic_payload& payload, PlannedBlockId block, Tick at, bool response) {
    if (open_.empty()) return;
    const auto found = open_.find(&payload);
    if (found != open_.end()) move(found->second, block, at, response);
  }
  /// The response has arrived at the SM.
  void complete(const tlm::tlm_generic_payload& payload, Tick at);
  /// The number of a request that is followed.
  std::uint64_t id_of(const tlm::tlm_generic_payload& payload) const {
    return open_.at(&payload).id;
  }
  /// Ends the slices of requests that are under way.
  void finish(Tick at);

 private:
  struct Open {
    std::uint64_t id = 0;  ///< of the flow; from 1 on
    PlannedBlockId sm = 0;
    std::size_t sm_lane = 0;
    Tick issued = 0;
    PlannedBlockId block = 0;  ///< of the present hop
    std::size_t lane = 0;
    Tick since = 0;
    RequestKind kind = RequestKind::kLoad;
  };
  void begin_hop(Open& open, PlannedBlockId block, Tick at, bool response);
  void end_hop(const Open& open, Tick at);
  void move(Open& open, PlannedBlockId block, Tick at, bool response);
  void close(const Open& open, Tick at, bool complete);

  EventTrace& trace_;
  std::vector<EventLanes*> lanes_;      ///< by block; of its requests
  std::vector<std::uint64_t> counted_;  ///< by SM's block: requests so far
  std::unordered_map<const void*, Open> open_;
  std::uint64_t last_id_ = 0;
};

}  // namespace tessera
