// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

namespace tessera {

/// What is spliced between two sockets: forwards every call unchanged and without delay. A derived
/// class overrides the calls that it observes.
///
///   sm.out.bind(splice.target);
///   splice.initiator.bind(llc.in);
class SocketSplice : public sc_core::sc_module,
                     protected tlm::tlm_fw_transport_if<>,
                     protected tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_target_socket<> target;        ///< bind the initiator's side to this
  tlm::tlm_initiator_socket<> initiator;  ///< bind this to the target's side

 protected:
  explicit SocketSplice(const sc_core::sc_module_name& name)
      : sc_module(name), target("target"), initiator("initiator") {
    target.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    initiator.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  }

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return initiator->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return target->nb_transport_bw(payload, phase, delay);
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    initiator->b_transport(payload, delay);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    return initiator->transport_dbg(payload);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override {
    return initiator->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    target->invalidate_direct_mem_ptr(first, last);
  }
};

}  // namespace tessera
