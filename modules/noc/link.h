// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <systemc>
#include <tlm>

#include "modules/kernel/block_base.h"
#include "modules/noc/duplex_network.h"

namespace tessera {

/// A point-to-point link (NUBA section 2: SM to the LLC slices of its partition; UBA: slice to
/// memory controller). Requests use one direction and responses the other; each is `link_bytes`
/// wide and has a buffer at each end.
///
/// Timing and phases: those of a 1x1 crossbar. A head takes `latency` cycles; the zero-load latency
/// of a packet is latency + ceil(bytes / link_bytes) cycles.
///
/// Not modelled: errors and retransmission, flow-control traffic.
class Link final : public sc_core::sc_module, public Block {
 public:
  using Config = LinkConfig;
  using Stats = NocStats;  ///< of a direction
  using Site = NoSite;

  tlm_utils::passthrough_target_socket<Link> in;
  tlm_utils::simple_initiator_socket<Link> out;

  Link(const sc_core::sc_module_name& name, const LinkConfig& config);

  const LinkConfig& config() const { return config_; }
  const NocStats& requests() const { return network_.requests(); }
  const NocStats& responses() const { return network_.responses(); }
  Tick zero_load_latency(std::uint32_t bytes) const { return network_.zero_load_latency(bytes); }

  bool idle() const override { return network_.idle(); }
  void describe_waiting(std::vector<Waiting>& waiting) const override;
  void reset() override { network_.reset(); }
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void blocking(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);
  bool direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

  const LinkConfig config_;
  DuplexNetwork network_;
};

}  // namespace tessera
