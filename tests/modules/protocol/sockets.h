// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bare sockets for tests that play one side of a handshake by hand.

#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/sc_time.h"
#include "modules/kernel/time.h"

namespace tessera::test {

/// One call of a non-blocking transport function.
struct Phase {
  const tlm::tlm_generic_payload* payload;
  tlm::tlm_phase phase;
  Tick at;  ///< when it takes effect
  friend bool operator==(const Phase& a, const Phase& b) {
    return a.payload == b.payload && a.phase == b.phase && a.at == b.at;
  }
};

using NonBlocking = std::function<tlm::tlm_sync_enum(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                                     sc_core::sc_time&)>;

inline tlm::tlm_sync_enum accept(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  return tlm::TLM_ACCEPTED;
}

/// Responds with `sync` and, unless it is TLM_ACCEPTED, this phase and that much more delay.
inline NonBlocking response(tlm::tlm_sync_enum sync, tlm::tlm_phase_enum phase, Tick later = 0) {
  return [=](tlm::tlm_generic_payload&, tlm::tlm_phase& p, sc_core::sc_time& delay) {
    if (sync != tlm::TLM_ACCEPTED) {
      p = phase;
      delay += to_sc_time(later);
    }
    return sync;
  };
}

struct BareTarget final : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
  tlm::tlm_target_socket<> socket{"socket"};
  NonBlocking on_forward = accept;
  std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> on_blocking;
  std::vector<Phase> seen;

  explicit BareTarget(sc_core::sc_module_name name) : sc_module(name) {
    socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase,
                              Tick delay = 0) {
    sc_core::sc_time d = to_sc_time(delay);
    return socket->nb_transport_bw(payload, phase, d);
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    seen.push_back({&payload, phase, now() + delay.value()});
    return on_forward(payload, phase, delay);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    if (on_blocking) on_blocking(payload, delay);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return payload.get_data_length();
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
    dmi.set_start_address(7);
    return true;
  }
};

struct BareInitiator final : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  tlm::tlm_initiator_socket<> socket{"socket"};
  NonBlocking on_backward = accept;
  std::vector<Phase> seen;
  std::uint64_t invalidated = 0;

  explicit BareInitiator(sc_core::sc_module_name name) : sc_module(name) {
    socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase,
                             Tick delay = 0) {
    sc_core::sc_time d = to_sc_time(delay);
    return socket->nb_transport_fw(payload, phase, d);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    seen.push_back({&payload, phase, now() + delay.value()});
    return on_backward(payload, phase, delay);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64) override {
    invalidated = first;
  }
};

}  // namespace tessera::test
