// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>
#include <tlm>

#include "modules/core/block.h"
#include "modules/noc/duplex_network.h"

namespace tessera {

/// A bidirectional ring of nodes (LADM Table III: between the chiplets of a GPU): what enters at
/// `in[i]` does so at node i, what leaves by `out[j]` at node j. Requests and answers have a ring
/// each, so that answers never wait for requests.
///
/// Timing: RingFabric's contract. A packet's head is at its node when its BEGIN arrives; END_REQ /
/// END_RESP take effect when its tail is in, and are withheld while two packets stand at the port
/// for want of room at the node. The BEGIN to the receiver arrives when the tail does: receivers
/// count no link time of their own (occupancy 0).
///
/// Phases: all four of the base protocol on both sides, early completion by targets included.
/// b_transport adds the lone-packet latency; transport_dbg is routed by address; no DMI.
///
/// Not modelled: flits apart from their packet, slotted or token access, errors.
class Ring final : public sc_core::sc_module, public Block {
 public:
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<Ring>> in;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<Ring>> out;

  Ring(const sc_core::sc_module_name& name, const RingConfig& config, unsigned nodes,
       NocRouting routing);

  const RingConfig& config() const { return config_; }
  const NocStats& requests() const { return network_.requests(); }
  const NocStats& responses() const { return network_.responses(); }
  /// Lone-packet latency for a packet of that many bytes, header included, between two nodes.
  Tick zero_load_latency(std::uint32_t bytes, unsigned from, unsigned to) const {
    return network_.zero_load_latency(bytes, from, to);
  }

  bool idle() const override { return network_.idle(); }
  void describe_waiting(std::vector<Waiting>& waiting) const override;
  void reset() override { network_.reset(); }
  void reset_statistics() { network_.reset_statistics(); }
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum forward(int entry, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(int exit, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void blocking(int entry, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(int entry, tlm::tlm_generic_payload& payload);
  bool direct(int entry, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

  const RingConfig config_;
  BasicDuplexNetwork<RingFabric> network_;
};

}  // namespace tessera
