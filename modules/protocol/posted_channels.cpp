// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/posted_channels.h"

#include <string>
#include <systemc>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"

namespace tessera {
namespace {

void unexpected(const tlm::tlm_phase& phase) {
  const std::string text = std::string(phase.get_name()) + " of a posted packet: only BEGIN_REQ " +
                           "and the receiver's completion come";
  SC_REPORT_ERROR(report::kProtocol, text.c_str());
}

}  // namespace

void PostedSender::send(tlm::tlm_generic_payload& payload, Tick delay) {
  const Tick current = now();
  sc_assert(delay > 0 && free(current + delay));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  payload.acquire();
  held_ = &payload;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time annotated = to_sc_time(delay);
  // The receiver can call nb_transport_bw before this call returns.
  begun(payload);
  const tlm::tlm_sync_enum sync = peer().nb_transport_fw(payload, phase, annotated);
  if (sync == tlm::TLM_ACCEPTED) return;
  if (sync != tlm::TLM_COMPLETED) unexpected(phase);
  responded_at(payload, current + annotated.value());
  held_ = nullptr;
  payload.release();
}

tlm::tlm_sync_enum PostedSender::end(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase,
                                     const sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_RESP || held_ != &payload) {
    unexpected(phase);
    return tlm::TLM_ACCEPTED;
  }
  ended(payload, now() + delay.value());
  held_ = nullptr;
  payload.release();
  return tlm::TLM_COMPLETED;
}

void PostedSender::reset() {
  if (held_ != nullptr) held_->release();
  held_ = nullptr;
  ChannelSender::reset();
}

tlm::tlm_sync_enum PostedReceiver::begin(tlm::tlm_generic_payload& payload,
                                         const tlm::tlm_phase& phase, sc_core::sc_time& delay,
                                         Tick occupancy) {
  if (phase != tlm::BEGIN_REQ) {
    unexpected(phase);
    return tlm::TLM_ACCEPTED;
  }
  if (!take(payload, delay, occupancy)) return tlm::TLM_ACCEPTED;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return tlm::TLM_COMPLETED;
}

void PostedReceiver::release() {
  if (!give_back()) return;
  sc_core::sc_time delay;
  tlm::tlm_generic_payload* const payload = handle_withheld(delay);
  if (payload == nullptr) return;
  if (delay.value() == 0) delay = to_sc_time(1);
  payload->set_response_status(tlm::TLM_OK_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  peer().nb_transport_bw(*payload, phase, delay);
}

}  // namespace tessera
