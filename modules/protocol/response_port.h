// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tlm>
#include <utility>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/stats.h"
#include "modules/kernel/timed_queue.h"
#include "modules/kernel/unlikely.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/paced_output.h"
#include "modules/protocol/payload_check.h"

namespace tessera {

/// A ResponsePort whose block enqueues the requests and schedules its process for them. For blocks
/// with several request queues, or that wake later than at each request. Without references to the
/// block, because the ports of a block that is called for each request must fit few host cache
/// lines. `Responses`: an output of paced_output.h.
template <class Responses>
class UnscheduledResponsePort {
 public:
  using Payload = tlm::tlm_generic_payload;

  Responses responses;

  /// The port holds `capacity` requests, from BEGIN_REQ until release().
  explicit UnscheduledResponsePort(std::size_t capacity) : receiver_(capacity) {}

  /// At end_of_elaboration: `socket.operator->()`.
  void bind(tlm::tlm_bw_transport_if<>* initiator) {
    receiver_.bind(initiator);
    responses.sender.bind(initiator);
  }

  /// BEGIN_REQ of a request that the block has enqueued; returns the result of nb_transport_fw. The
  /// link is busy for `occupancy` after the arrival.
  tlm::tlm_sync_enum accept(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay,
                            Tick occupancy = 0) {
    return receiver_.begin(payload, phase, delay, occupancy);
  }
  /// END_RESP; returns the result of nb_transport_fw. Wakes the process for the next response.
  tlm::tlm_sync_enum end_response(Payload& payload, const sc_core::sc_time& delay,
                                  const ClockDomain& clock, ProcessTimer& wake) {
    responses.sender.end_response(payload, now() + delay.value());
    responses.schedule_next(clock, wake, now());
    return tlm::TLM_COMPLETED;
  }

  /// A request has left its queue: frees its entry now, and sends a withheld END_REQ.
  void release() { receiver_.release(); }

  /// Does not release payloads.
  void reset() {
    receiver_.reset();
    responses.reset();
  }

 private:
  RequestReceiver receiver_;
};

/// A block's end of the base protocol behind a target socket: receives requests and sends
/// responses. Both halves of channels.h, with their queues and the wake-up of the block's process.
/// The block acts on a request when it is due, not in the call that announces it. `Responses`:
/// PacedOutput or UnqueuedOutput of a ResponseSender. `Request`: item of the request queue.
template <class Responses = PacedOutput<ResponseSender>, class Request = tlm::tlm_generic_payload*>
class ResponsePort : public UnscheduledResponsePort<Responses> {
 public:
  using Base = UnscheduledResponsePort<Responses>;
  using typename Base::Payload;

  /// The referenced objects are the block's. `requests`: its ports can share one queue, in which
  /// `index` is the port. A request is due `latency` cycles after the clock edge at or after its
  /// arrival. The port holds `capacity` requests, from BEGIN_REQ until release().
  ResponsePort(const ClockDomain& clock, ProcessTimer& wake, TimedQueue<Request>& requests,
               std::size_t capacity, std::uint32_t index = 0, std::uint64_t latency = 0)
      : Base(capacity),
        clock_(clock),
        wake_(wake),
        requests_(requests),
        latency_(latency),
        index_(index) {}

  /// nb_transport_fw of `socket`; returns its result. A request that `check` refuses is completed
  /// with its error status and counted in `errors`, if given.
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay,
                             PayloadCheck& check, const sc_core::sc_object& socket,
                             Counter* errors = nullptr) {
    if (phase == tlm::END_RESP) return end_response(payload, delay);
    if (unlikely(check.admit(payload, phase) == nullptr)) {
      if (errors != nullptr && phase == tlm::BEGIN_REQ) ++*errors;
      return check.refuse(socket, payload, phase);
    }
    return accept(payload, phase, delay, &payload);
  }

  // The parts of forward(), for a block with a check of its own.

  /// BEGIN_REQ of a request that the block serves: enqueues `request`.
  tlm::tlm_sync_enum accept(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay,
                            Request request) {
    const Tick due = clock_.after(now() + delay.value(), latency_);
    requests_.push(due, index_, std::move(request));
    wake_.at(due);
    return Base::accept(payload, phase, delay);
  }
  /// END_RESP.
  tlm::tlm_sync_enum end_response(Payload& payload, const sc_core::sc_time& delay) {
    return Base::end_response(payload, delay, clock_, wake_);
  }

  /// Clears the queue of the requests, too. Does not release payloads.
  void reset() {
    Base::reset();
    requests_.clear();
  }

 private:
  const ClockDomain& clock_;
  ProcessTimer& wake_;
  TimedQueue<Request>& requests_;
  std::uint64_t latency_;
  std::uint32_t index_;
};

}  // namespace tessera
