// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>
#include <tlm>

#include "modules/core/block.h"
#include "modules/noc/duplex_network.h"

namespace tessera {

/// A 2D mesh of routers (remote-core bandwidth paper, section III-A and Table II): a request
/// network from `in` to `out` and a response network back, each a mesh of its own. `in[i]` and
/// `out[i]` are ports of nodes, which MeshConfig places at routers.
///
/// Timing: the contract of MeshFabric. A packet's head reaches the ingress link when its BEGIN
/// arrives. END_REQ and END_RESP take effect when its tail has arrived. They are withheld while two
/// packets wait at the port because their router's buffer is full. The BEGIN to the receiver
/// arrives with the tail, so that receivers add no link time (occupancy 0).
///
/// Phases: all four of the base protocol on both sides, with early completion by targets.
/// b_transport adds the zero-load latency; transport_dbg is routed by address; no DMI.
///
/// Not modelled: routes other than XY, VCs for more than one class of traffic, speculative
/// allocation, errors.
class Mesh final : public sc_core::sc_module, public Block {
 public:
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<Mesh>> in;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<Mesh>> out;

  Mesh(const sc_core::sc_module_name& name, const MeshConfig& config, unsigned entries,
       unsigned exits, NocRouting routing);

  const MeshConfig& config() const { return config_; }
  const NocStats& requests() const { return network_.requests(); }
  const NocStats& responses() const { return network_.responses(); }
  /// Zero-load latency between two ports for a packet of `bytes` bytes, with header.
  Tick zero_load_latency(std::uint32_t bytes, unsigned entry, unsigned exit) const {
    return network_.zero_load_latency(bytes, entry, exit);
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

  const MeshConfig config_;
  BasicDuplexNetwork<MeshFabric> network_;
};

}  // namespace tessera
