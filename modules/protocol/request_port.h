// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tlm>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/kernel/unlikely.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/paced_output.h"

namespace tessera {

/// The occupancy of a link that is free when a message has arrived.
struct NoOccupancy {
  Tick operator()(Tick /*arrival*/) const { return 0; }
};

/// A RequestPort whose block enqueues the responses and schedules its process: it passes both as
/// functions, which are inlined. For blocks that wake later than at each arrival, or that need the
/// response at another time than the next clock edge. Without references to the block, because the
/// ports of a block that is called for each request must fit few host cache lines. `Requests`: an
/// output of paced_output.h. `Response`: item of the response queue.
template <class Requests, class Response = tlm::tlm_generic_payload*>
class UnscheduledRequestPort {
 public:
  using Payload = tlm::tlm_generic_payload;

  Requests requests;
  TimedQueue<Response> responses;

  /// The port withholds END_RESP of a response that fills its `capacity` entries; kUnlimited if
  /// each request has an entry for its response (an MSHR).
  explicit UnscheduledRequestPort(std::size_t capacity = ResponseReceiver::kUnlimited)
      : receiver_(capacity) {}

  /// At end_of_elaboration: `socket.operator->()`.
  void bind(tlm::tlm_fw_transport_if<>* target) {
    requests.sender.bind(target);
    receiver_.bind(target);
  }

  /// Begins a request that arrives at now + delay (delay > 0); the channel must be free then.
  /// Calls `arrived(at)` for a response in the call.
  template <class Arrived>
  void send(Payload& payload, Tick delay, Arrived arrived) {
    const SendOutcome outcome = requests.sender.send(payload, delay);
    if (unlikely(outcome.responded)) {
      receiver_.count_early();
      arrived(outcome.response_at);
    }
  }

  /// nb_transport_bw; returns its result. Calls `ended()` for END_REQ, or `arrived(at)` for a
  /// BEGIN_RESP, which can imply END_REQ. `occupancy(at)`: the time for which the link is busy
  /// after the arrival.
  template <class Ended, class Arrived, class Occupancy = NoOccupancy>
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay,
                              Ended ended, Arrived arrived, Occupancy occupancy = {}) {
    const Tick at = now() + delay.value();
    requests.sender.end_request(payload, at);
    if (phase == tlm::END_REQ) {
      ended();
      return tlm::TLM_ACCEPTED;
    }
    const tlm::tlm_sync_enum sync = receiver_.begin(payload, phase, delay, occupancy(at));
    arrived(at);
    return sync;
  }

  /// Dequeues the first response, which must be due; frees its entry and sends a withheld END_RESP.
  Payload& pop_response() {
    Payload& payload = *responses.pop();
    receiver_.release();
    return payload;
  }

  /// Frees the entry of a response that the block has not enqueued, or has dequeued itself.
  void release() { receiver_.release(); }

  /// Does not release payloads, other than one whose END_RESP is withheld.
  void reset() {
    requests.reset();
    receiver_.reset();
    responses.clear();
  }

 private:
  ResponseReceiver receiver_;
};

/// A block's end of the base protocol behind an initiator socket: sends requests and receives
/// responses. Both halves of channels.h, with their queues and the wake-up of the block's process.
/// The block acts on a response when it is due, not in the call that announces it. Responses are
/// due at the clock edge at or after their arrival. `Requests`: PacedOutput or UnqueuedOutput of a
/// RequestSender.
template <class Requests = PacedOutput<RequestSender>>
class RequestPort : public UnscheduledRequestPort<Requests> {
 public:
  using Base = UnscheduledRequestPort<Requests>;
  using typename Base::Payload;

  /// The referenced objects are the block's.
  RequestPort(const ClockDomain& clock, ProcessTimer& wake,
              std::size_t capacity = ResponseReceiver::kUnlimited)
      : Base(capacity), clock_(clock), wake_(wake) {}

  /// Begins a request that arrives at now + delay (delay > 0); the channel must be free then. A
  /// response in the call is enqueued like one that comes by backward().
  void send(Payload& payload, Tick delay) {
    Base::send(payload, delay, [&](Tick at) { arrive(payload, at); });
  }

  /// nb_transport_bw; returns its result.
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const auto ended = [this] { this->requests.schedule_next(clock_, wake_, now()); };
    return Base::backward(payload, phase, delay, ended, [&](Tick at) {
      ended();
      arrive(payload, at);
    });
  }

 private:
  void arrive(Payload& payload, Tick at) {
    const Tick due = clock_.after(at, 0);
    this->responses.push(due, 0, &payload);
    wake_.at(due);
  }

  const ClockDomain& clock_;
  ProcessTimer& wake_;
};

}  // namespace tessera
