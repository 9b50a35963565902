// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/bridge/clocked_part.h"
#include "modules/bridge/line_pins.h"
#include "modules/bridge/rtl_clock.h"
#include "modules/kernel/timed_queue.h"
#include "modules/kernel/waiting.h"
#include "modules/protocol/channels.h"

namespace tessera {

class LineInitiator;

/// The block that a LineInitiator belongs to.
class LineInitiatorOwner {
 public:
  virtual ~LineInitiatorOwner() = default;
  /// The payload of the request on the pins of `from`, which leaves.
  virtual tlm::tlm_generic_payload& issue(LineInitiator& from, const LineRequestPins& request) = 0;
  /// Puts the response of a payload on the pins; `valid` is set by the transactor.
  virtual void answer(LineInitiator& from, tlm::tlm_generic_payload& payload,
                      LineResponsePins& pins) = 0;
  /// The block has taken the response at the edge at t.
  virtual void finished(LineInitiator& from, tlm::tlm_generic_payload& payload, Tick t) = 0;
};

/// Transactor from an RTL block's ready/valid channels of lines to a TLM initiator socket: requests
/// of the block, and the responses to it.
///
/// Timing: a request that is VALID before an edge arrives at the target at that edge; READY is 0
/// while the target withholds END_REQ. A response that arrives at the clock edge c is VALID at that
/// edge, one a cycle, until READY. Each outstanding request has an entry for its response.
///
/// Phases: all four.
class LineInitiator final : public sc_core::sc_module, public ClockedPart {
 public:
  tlm_utils::simple_initiator_socket_optional<LineInitiator> out{"out"};

  /// All references must outlive the transactor. `connected`: `out` will be bound; otherwise a
  /// request is an SC_ERROR.
  LineInitiator(const sc_core::sc_module_name& name, RtlClock& clock, LineRequestPins& request,
                LineResponsePins& response, LineInitiatorOwner& owner, bool connected);

  std::size_t outstanding() const { return outstanding_; }
  bool idle() const { return outstanding_ == 0; }
  void describe_waiting(std::vector<Waiting>& out) const;
  void reset();

  void drive(Tick t) override;
  void sample(Tick t) override;
  void collect(Tick t) override;
  bool quiet() const override { return responses_.empty() && !taken_; }

 private:
  using Payload = tlm::tlm_generic_payload;

  void end_of_elaboration() override;
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void arrive(Payload& payload, Tick at);

  RtlClock& clock_;
  LineRequestPins& request_;
  LineResponsePins& response_;
  LineInitiatorOwner& owner_;
  const bool connected_;
  RequestSender sender_;
  ResponseReceiver receiver_{ResponseReceiver::kUnlimited};
  TimedQueue<Payload*> responses_;
  std::size_t outstanding_ = 0;
  bool taken_ = false;   ///< the response on the pins transfers at this edge
  Tick issued_for_ = 0;  ///< the edge at which a forwarded request transfers
};

}  // namespace tessera
