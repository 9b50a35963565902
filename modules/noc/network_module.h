// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/block.h"
#include "modules/noc/duplex_network.h"

namespace tessera {

/// The sc_module of a network of several ports: the sockets of a BasicDuplexNetwork. Base of
/// Crossbar, Ring and Mesh, which state contract and limits.
///
/// Phases: all four of the base protocol on both sides, with early completion by targets.
/// b_transport adds the zero-load latency; transport_dbg is routed by address; no DMI. The BEGIN to
/// a receiver arrives with the packet's tail, so that receivers add no link time (occupancy 0).
template <class Fabric>
class NetworkModule : public sc_core::sc_module, public Block {
 public:
  using Config = typename Fabric::Config;
  using Stats = NocStats;  ///< of a direction

  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<NetworkModule>> in;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<NetworkModule>> out;

  const Config& config() const { return config_; }
  const NocStats& requests() const { return network_.requests(); }
  const NocStats& responses() const { return network_.responses(); }
  /// Zero-load latency of one direction for a packet of `bytes` bytes, with header.
  Tick zero_load_latency(std::uint32_t bytes, unsigned entry = 0, unsigned exit = 0) const {
    return network_.zero_load_latency(bytes, entry, exit);
  }

  bool idle() const override { return network_.idle(); }
  void describe_waiting(std::vector<Waiting>& waiting) const override;
  void reset() override { network_.reset(); }
  void register_statistics(StatisticsRegistry& registry) const override;

 protected:
  NetworkModule(const sc_core::sc_module_name& name, const Config& config, unsigned entries,
                unsigned exits, NocRouting routing);

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

  const Config config_;
  BasicDuplexNetwork<Fabric> network_;
};

extern template class NetworkModule<SwitchFabric>;
extern template class NetworkModule<RingFabric>;
extern template class NetworkModule<MeshFabric>;

}  // namespace tessera
