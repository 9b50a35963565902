// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tlm>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/paced_output.h"

namespace tessera {

/// A block's end of the base protocol behind an initiator socket: sends requests and receives
/// responses. Both halves of channels.h, with their queues and the wake-up of the block's process.
/// The block acts on a response when it is due, not in the call that announces it. `Requests`:
/// PacedOutput or UnqueuedOutput of a RequestSender.
template <class Requests = PacedOutput<RequestSender>>
class RequestPort {
 public:
  using Payload = tlm::tlm_generic_payload;

  Requests requests;
  /// Due at the clock edge at or after their arrival. pop_response() dequeues.
  TimedQueue<Payload*> responses;

  /// The referenced objects are the block's. The port withholds END_RESP of a response that fills
  /// its `capacity` entries; kUnlimited if each request has an entry for its response (an MSHR).
  RequestPort(const ClockDomain& clock, ProcessTimer& wake,
              std::size_t capacity = ResponseReceiver::kUnlimited)
      : receiver_(capacity), clock_(clock), wake_(wake) {}

  /// At end_of_elaboration: `socket.operator->()`.
  void bind(tlm::tlm_fw_transport_if<>* target) {
    requests.sender.bind(target);
    receiver_.bind(target);
  }

  /// Begins a request that arrives at now + delay (delay > 0); the channel must be free then. A
  /// response in the call is enqueued like one that comes by backward().
  void send(Payload& payload, Tick delay) {
    const SendOutcome outcome = requests.sender.send(payload, delay);
    if (!outcome.responded) return;
    receiver_.count_early();
    arrive(payload, outcome.response_at);
  }

  /// nb_transport_bw; returns its result.
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const Tick at = now() + delay.value();
    requests.sender.end_request(payload, at);
    wake_.at(requests.next(clock_, now()));  // a BEGIN_RESP can imply END_REQ
    if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
    arrive(payload, at);
    return receiver_.begin(payload, phase, delay, 0);
  }

  /// Dequeues the first response, which must be due; frees its entry and sends a withheld END_RESP.
  Payload& pop_response() {
    Payload& payload = *responses.pop();
    receiver_.release();
    return payload;
  }

  /// Does not release payloads, other than one whose END_RESP is withheld.
  void reset() {
    requests.reset();
    receiver_.reset();
    responses.clear();
  }

 private:
  void arrive(Payload& payload, Tick at) {
    const Tick due = clock_.after(at, 0);
    responses.push(due, 0, &payload);
    wake_.at(due);
  }

  ResponseReceiver receiver_;
  const ClockDomain& clock_;
  ProcessTimer& wake_;
};

}  // namespace tessera
