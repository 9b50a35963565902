// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/channels.h"

#include <algorithm>
#include <string>
#include <systemc>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

Tick detail::next_send_edge(const ClockDomain& clock, Tick free_at, Tick usable_from, Tick due,
                            Tick t, std::uint64_t cycles) {
  const Tick soonest = std::max({due, t, usable_from});
  if (free_at <= soonest) return clock.after(soonest, 0);
  const std::uint64_t cycle = clock.cycle_from(soonest);
  const std::uint64_t free_cycle = clock.cycle_from(free_at);
  return clock.time_of(std::max(cycle, free_cycle < cycles ? 0 : free_cycle - cycles));
}

SendOutcome RequestSender::send(tlm::tlm_generic_payload& payload, Tick delay) {
  const Tick current = now();
  sc_assert(delay > 0 && free(current + delay));
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time annotated = to_sc_time(delay);
  // The target can call nb_transport_bw before this call returns.
  begun(payload);
  const tlm::tlm_sync_enum sync = peer().nb_transport_fw(payload, phase, annotated);
  if (sync == tlm::TLM_ACCEPTED) return {};
  const Tick at = current + annotated.value();
  responded_at(payload, at);
  if (sync == tlm::TLM_COMPLETED) return {true, at};
  if (phase != tlm::BEGIN_RESP) return {};
  // A BEGIN_RESP on the return path needs an END_RESP, too.
  phase = tlm::END_RESP;
  peer().nb_transport_fw(payload, phase, annotated);
  return {true, at};
}

void ResponseSender::send(tlm::tlm_generic_payload& payload, Tick delay) {
  const Tick current = now();
  sc_assert(delay > 0 && free(current + delay));
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time annotated = to_sc_time(delay);
  begun(payload);
  const tlm::tlm_sync_enum sync = peer().nb_transport_bw(payload, phase, annotated);
  if (sync != tlm::TLM_ACCEPTED) responded_at(payload, current + annotated.value());
}

void ResponseSender::report_stray_end(const tlm::tlm_generic_payload& payload) {
  const std::string text = "END_RESP of a transaction whose response is not under way (address " +
                           std::to_string(payload.get_address()) +
                           "): bind a ProtocolChecker to see who sent it";
  SC_REPORT_ERROR(report::kProtocol, text.c_str());
}

namespace {

[[gnu::cold, gnu::noinline]] void report_early_begin() {
  SC_REPORT_ERROR(report::kProtocol, "a BEGIN before the END of the message before it");
}

}  // namespace

template <class Peer>
bool ChannelReceiver<Peer>::take(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay,
                                 Tick occupancy) {
  if (unlikely(withheld_ != nullptr)) report_early_begin();
  ++used_;
  const Tick current = now();
  link_free_at_ = current + delay.value() + occupancy;
  if (used_ >= capacity_) {
    withheld_ = &payload;
    return false;
  }
  // Without occupancy, the END takes effect at the arrival, which `delay` already holds.
  if (occupancy != 0) delay = to_sc_time(link_free_at_ - current);
  return true;
}

template <class Peer>
tlm::tlm_generic_payload* ChannelReceiver<Peer>::handle_withheld(sc_core::sc_time& delay) {
  if (used_ >= capacity_) return nullptr;
  tlm::tlm_generic_payload* const payload = withheld_;
  withheld_ = nullptr;
  const Tick current = now();
  delay = to_sc_time(std::max(link_free_at_, current) - current);
  return payload;
}

tlm::tlm_sync_enum RequestReceiver::begin(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                          sc_core::sc_time& delay, Tick occupancy) {
  if (!take(payload, delay, occupancy)) return tlm::TLM_ACCEPTED;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void RequestReceiver::end_withheld() {
  sc_core::sc_time delay;
  tlm::tlm_generic_payload* const payload = handle_withheld(delay);
  if (payload == nullptr) return;
  tlm::tlm_phase phase = tlm::END_REQ;
  peer().nb_transport_bw(*payload, phase, delay);
}

tlm::tlm_sync_enum ResponseReceiver::begin(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay, Tick occupancy) {
  if (!take(payload, delay, occupancy)) {
    payload.acquire();
    return tlm::TLM_ACCEPTED;
  }
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void ResponseReceiver::end_withheld() {
  sc_core::sc_time delay;
  tlm::tlm_generic_payload* const payload = handle_withheld(delay);
  if (payload == nullptr) return;
  tlm::tlm_phase phase = tlm::END_RESP;
  peer().nb_transport_fw(*payload, phase, delay);
  payload->release();
}

template class ChannelReceiver<tlm::tlm_fw_transport_if<>>;
template class ChannelReceiver<tlm::tlm_bw_transport_if<>>;

}  // namespace tessera
