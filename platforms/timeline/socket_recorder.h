// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/kernel/time.h"
#include "modules/plan/plan.h"
#include "modules/protocol/socket_splice.h"
#include "platforms/timeline/coherence_tracer.h"
#include "platforms/timeline/request_tracer.h"

namespace tessera {

/// What a SocketRecorder says of the link into which it is spliced.
struct RecordedLink {
  PlannedBlockId from = 0;
  PlannedBlockId to = 0;
  bool to_l1 = false;    ///< `from` is an SM: requests begin here
  bool from_l1 = false;  ///< misses leave the L1 here
};

/// Tells a RequestTracer of the requests and responses that pass, and counts the requests that a
/// block has not answered.
///
/// A request is at the next block when it arrives there, as its annotated delay says, but a miss is
/// there from the call with which it leaves the L1, so that the L1's statistic of miss latencies
/// begins at the same time. A response is at an L1 from the L1's clock edge at or after its
/// arrival. A packet between GPUs moves the requests and responses that it carries.
class SocketRecorder final : public SocketSplice {
 public:
  /// `coherence`: null without coherence connections. `in_flight`: by block, requests that it has
  /// not answered. What is referred to must outlive it.
  SocketRecorder(const sc_core::sc_module_name& name, const RecordedLink& link,
                 const ClockDomain& l1_clock, RequestTracer& tracer, CoherenceTracer* coherence,
                 std::vector<std::int64_t>& in_flight);

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;

  void request(tlm::tlm_generic_payload& payload, Tick arrival);
  void response(tlm::tlm_generic_payload& payload, Tick arrival);

  const RecordedLink link_;
  const ClockDomain& l1_clock_;
  RequestTracer& tracer_;
  CoherenceTracer* const coherence_;
  std::vector<std::int64_t>& in_flight_;
};

}  // namespace tessera
