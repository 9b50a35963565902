// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>
#include <tlm>

#include "modules/core/block.h"
#include "modules/noc/duplex_network.h"

namespace tessera {

/// The crossbar between L1s and LLC slices (NUBA sections 2 and 6), or between the slices of
/// different partitions: a request network from `in` to `out` and a reply network back, each of
/// one switch, or of two stages of switches when there are more ports than a switch has (64x64:
/// two stages of eight 8x8 switches).
///
/// Timing: SwitchFabric's contract. A packet's head is at the first switch when its BEGIN arrives;
/// END_REQ / END_RESP take effect when its tail is in, and are withheld while two packets stand at
/// the port for want of room in the first switch. The BEGIN to the receiver arrives when the tail
/// does: receivers count no link time of their own (occupancy 0).
///
/// Phases: all four of the base protocol on both sides, early completion by targets included.
/// b_transport adds the lone-packet latency; transport_dbg is routed by address; no DMI.
///
/// Not modelled: virtual channels, credits' way back, energy (modules/power/noc_power.h),
/// more than one class of traffic per direction.
class Crossbar final : public sc_core::sc_module, public Block {
 public:
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<Crossbar>> in;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<Crossbar>> out;

  Crossbar(const sc_core::sc_module_name& name, const NocConfig& config, unsigned entries,
           unsigned exits, NocRouting routing);

  const NocConfig& config() const { return config_; }
  const NocStats& requests() const { return network_.requests(); }
  const NocStats& responses() const { return network_.responses(); }
  /// Lone-packet latency of one direction for a packet of that many bytes, header included.
  Tick zero_load_latency(std::uint32_t bytes) const { return network_.zero_load_latency(bytes); }

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

  const NocConfig config_;
  DuplexNetwork network_;
};

}  // namespace tessera
