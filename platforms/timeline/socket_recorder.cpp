// SPDX-License-Identifier: Apache-2.0
#include "platforms/timeline/socket_recorder.h"

#include "modules/kernel/sc_time.h"
#include "modules/protocol/link_packet.h"
#include "modules/protocol/memory_request.h"

namespace tessera {

namespace {

/// Whether the response can come to another socket than the request.
bool is_message(const MemoryRequest& request) {
  return request.kind == RequestKind::kProbe || request.forwarding != Forwarding::kNone;
}

}  // namespace

SocketRecorder::SocketRecorder(const sc_core::sc_module_name& name, const RecordedLink& link,
                               const ClockDomain& l1_clock, RequestTracer& tracer,
                               CoherenceTracer* coherence, std::vector<std::int64_t>& in_flight)
    : SocketSplice(name),
      link_(link),
      l1_clock_(l1_clock),
      tracer_(tracer),
      coherence_(coherence),
      in_flight_(in_flight) {}

void SocketRecorder::request(tlm::tlm_generic_payload& payload, Tick arrival) {
  const auto* const request = payload.get_extension<MemoryRequest>();
  if (request == nullptr) {
    const auto* const packet = dynamic_cast<const LinkPacket*>(&payload);
    if (packet == nullptr) return;
    const bool response = packet->channel != PacketClass::kRequest;
    for (const LinkPacket::Content& c : *packet) {
      tracer_.move(*c.payload, link_.to, arrival, response);
    }
    return;
  }
  if (!is_message(*request)) ++in_flight_[link_.to];
  if (link_.to_l1) {
    const bool followed = tracer_.issue(payload, link_.from, link_.to, now());
    if (followed && coherence_ != nullptr) coherence_->follow(payload, link_.to);
  } else {
    tracer_.move(payload, link_.to, link_.from_l1 ? now() : arrival, false);
  }
}

void SocketRecorder::response(tlm::tlm_generic_payload& payload, Tick arrival) {
  const auto* const request = payload.get_extension<MemoryRequest>();
  if (request == nullptr) return;  // a packet has been accepted
  if (!is_message(*request)) --in_flight_[link_.to];
  if (link_.to_l1) {
    if (coherence_ != nullptr) coherence_->forget(payload);
    tracer_.complete(payload, arrival);
  } else {
    tracer_.move(payload, link_.from, link_.from_l1 ? l1_clock_.after(arrival, 0) : arrival, true);
  }
}

tlm::tlm_sync_enum SocketRecorder::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return SocketSplice::nb_transport_fw(payload, phase, delay);
  request(payload, now() + delay.value());
  const tlm::tlm_sync_enum sync = SocketSplice::nb_transport_fw(payload, phase, delay);
  if (sync == tlm::TLM_COMPLETED || (sync == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
    response(payload, now() + delay.value());
  }
  return sync;
}

tlm::tlm_sync_enum SocketRecorder::nb_transport_bw(tlm::tlm_generic_payload& payload,
                                                   tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_RESP) response(payload, now() + delay.value());
  return SocketSplice::nb_transport_bw(payload, phase, delay);
}

}  // namespace tessera
