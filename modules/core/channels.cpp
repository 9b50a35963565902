// SPDX-License-Identifier: Apache-2.0
#include "modules/core/channels.h"

#include <algorithm>
#include <systemc>

#include "modules/core/report.h"

namespace tessera {

SendOutcome RequestSender::send(tlm::tlm_generic_payload& payload, Tick delay) {
  const Tick current = now();
  sc_assert(delay > 0 && free(current + delay));
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time annotated = to_sc_time(delay);
  // The target may answer through nb_transport_bw before this call returns.
  pending_ = &payload;
  free_at_ = kNever;
  const tlm::tlm_sync_enum sync = target_->nb_transport_fw(payload, phase, annotated);
  if (sync == tlm::TLM_ACCEPTED) return {};
  const Tick at = current + annotated.value();
  if (pending_ == &payload) {
    pending_ = nullptr;
    free_at_ = at;
  }
  if (sync == tlm::TLM_COMPLETED) return {true, at};
  if (phase != tlm::BEGIN_RESP) return {};
  // A BEGIN_RESP on the return path wants its END_RESP like any other.
  phase = tlm::END_RESP;
  target_->nb_transport_fw(payload, phase, annotated);
  return {true, at};
}

tlm::tlm_sync_enum RequestReceiver::begin(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                          sc_core::sc_time& delay, Tick occupancy) {
  if (withheld_ != nullptr) {
    SC_REPORT_ERROR(report::kProtocol, "BEGIN_REQ before the END_REQ of the request before it");
  }
  ++used_;
  link_free_at_ = now() + delay.value() + occupancy;
  if (used_ >= capacity_) {
    withheld_ = &payload;
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_REQ;
  delay = to_sc_time(link_free_at_ - now());
  return tlm::TLM_UPDATED;
}

void RequestReceiver::release() {
  sc_assert(used_ > 0);
  --used_;
  if (withheld_ == nullptr || used_ >= capacity_) return;
  tlm::tlm_generic_payload& payload = *withheld_;
  withheld_ = nullptr;
  const Tick current = now();
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = to_sc_time(std::max(link_free_at_, current) - current);
  initiator_->nb_transport_bw(payload, phase, delay);
}

void ResponseSender::send(tlm::tlm_generic_payload& payload, Tick delay) {
  const Tick current = now();
  sc_assert(delay > 0 && free(current + delay));
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time annotated = to_sc_time(delay);
  pending_ = &payload;
  free_at_ = kNever;
  const tlm::tlm_sync_enum sync = initiator_->nb_transport_bw(payload, phase, annotated);
  if (sync == tlm::TLM_ACCEPTED) return;
  if (pending_ == &payload) {
    pending_ = nullptr;
    free_at_ = current + annotated.value();
  }
}

tlm::tlm_sync_enum ResponseReceiver::begin(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay, Tick occupancy) {
  if (withheld_ != nullptr) {
    SC_REPORT_ERROR(report::kProtocol, "BEGIN_RESP before the END_RESP of the response before it");
  }
  ++used_;
  link_free_at_ = now() + delay.value() + occupancy;
  if (used_ >= capacity_) {
    withheld_ = &payload;
    payload.acquire();
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_RESP;
  delay = to_sc_time(link_free_at_ - now());
  return tlm::TLM_COMPLETED;
}

void ResponseReceiver::release() {
  sc_assert(used_ > 0);
  --used_;
  if (withheld_ == nullptr || used_ >= capacity_) return;
  tlm::tlm_generic_payload& payload = *withheld_;
  withheld_ = nullptr;
  const Tick current = now();
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay = to_sc_time(std::max(link_free_at_, current) - current);
  target_->nb_transport_fw(payload, phase, delay);
  payload.release();
}

}  // namespace tessera
