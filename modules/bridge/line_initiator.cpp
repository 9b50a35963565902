// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/line_initiator.h"

#include <algorithm>
#include <string>

namespace tessera {

LineInitiator::LineInitiator(const sc_core::sc_module_name& name, RtlClock& clock,
                             LineRequestPins& request, LineResponsePins& response,
                             LineInitiatorOwner& owner, bool connected)
    : sc_module(name),
      clock_(clock),
      request_(request),
      response_(response),
      owner_(owner),
      connected_(connected) {
  out.register_nb_transport_bw(this, &LineInitiator::backward);
  clock.add(*this);
}

void LineInitiator::end_of_elaboration() {
  if (!connected_) return;
  sender_.bind(out.operator->());
  receiver_.bind(out.operator->());
}

tlm::tlm_sync_enum LineInitiator::backward(Payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  const Tick at = now() + delay.value();
  sender_.end_request(payload, at);
  if (sender_.free_at() != kNever) {
    clock_.timer().at(next_send_edge(clock_.clock(), sender_, now(), now()));
  }
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  const tlm::tlm_sync_enum sync = receiver_.begin(payload, phase, delay, 0);
  arrive(payload, at);
  return sync;
}

void LineInitiator::arrive(Payload& payload, Tick at) {
  responses_.push(clock_.clock().after(at, 0), 0, &payload);
  clock_.wake(at);
}

void LineInitiator::drive(Tick t) {
  request_.space = connected_ && sender_.free(clock_.next_edge(t));
  response_.valid = responses_.due(t);
  if (response_.valid) owner_.answer(*this, *responses_.front(), response_);
}

void LineInitiator::sample(Tick t) {
  if (!response_.valid || !response_.ready) return;
  taken_ = true;
  owner_.finished(*this, *responses_.front(), t);
}

void LineInitiator::collect(Tick t) {
  if (taken_) {
    taken_ = false;
    response_.valid = false;
    responses_.pop();
    receiver_.release();
    --outstanding_;
  }
  if (issued_for_ > t) return;
  request_.ready = false;
  const Tick next = clock_.next_edge(t);
  if (!request_.valid) return;
  if (!sender_.free(next)) {
    if (sender_.free_at() != kNever) {
      clock_.timer().at(next_send_edge(clock_.clock(), sender_, t, t));
    }
    return;
  }
  if (!connected_) {
    const std::string text = std::string(name()) +
                             ": the block sends a request, and the platform "
                             "has no way for it";
    SC_REPORT_ERROR("/tessera/bridge/line", text.c_str());
    return;
  }
  Payload& payload = owner_.issue(*this, request_);
  request_.ready = true;
  issued_for_ = next;
  ++outstanding_;
  const SendOutcome outcome = sender_.send(payload, next - t);
  if (outcome.responded) {
    receiver_.count_early();
    // Not at the edge at which the request transfers.
    arrive(payload, std::max(outcome.response_at, next + 1));
  }
}

void LineInitiator::describe_waiting(std::vector<Waiting>& out_list) const {
  const std::string base = std::string(name()) + ".";
  if (outstanding_ != 0)
    out_list.push_back({base + "requests", outstanding_, WaitKind::kDataDependence, "responses"});
  if (sender_.waiting_for() != nullptr) {
    out_list.push_back({base + "request", 1, WaitKind::kQueueFull, "END_REQ from the target"});
  }
}

void LineInitiator::reset() {
  sender_.reset();
  receiver_.reset();
  responses_.clear();
  request_ = {};
  response_ = {};
  outstanding_ = 0;
  taken_ = false;
  issued_for_ = 0;
}

}  // namespace tessera
