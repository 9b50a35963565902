// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/block.h"
#include "modules/noc/gpu_fabric_config.h"
#include "modules/noc/gpu_fabric_port.h"
#include "modules/noc/gpu_fabric_stats.h"
#include "modules/noc/noc_config.h"

namespace tessera {

struct FabricSite;

/// The fabric between the RDMA engines of GPUs (DualOpt section 5, Table 1: PCIe-like).
///
/// Hardware: one switch. Each GPU has one link with a direction to the switch (egress) and one from
/// the switch (ingress), each with one flit per cycle. Requests and responses share the wires but
/// no buffers, so that a stalled class never blocks the other.
///
/// Timing contract (L = latency in cycles, n = a packet's flits):
/// * A packet that arrives between clock edges counts from the next edge. It waits in its port's
///   buffer of `port_packets` entries per class.
/// * A free egress arbitrates round robin between the classes that have a packet and a credit; it
/// is
///   then busy for n cycles. Each source and class has switch_packets + 2 L credits: L packets can
///   be in the pipeline of the head and switch_packets in queues, and L credits on their way back.
/// * L cycles after the start of egress, the head is at its output (virtual cut-through), in a
/// queue
///   per destination, source and class, first in, first out.
/// * A free ingress arbitrates round robin between those queues whose receiver can accept the
///   packet at its arrival; it is then busy for n cycles, and the packet is delivered with its
///   tail. The zero-load latency of a packet that arrives at an edge is therefore L + n cycles;
///   handshakes add no cycle.
/// * The credit is at its source L cycles after the start of ingress, and can be used in this
/// cycle.
///
/// Phases: those of posted packets (modules/protocol/posted_channels.h) on both sides. BEGIN_REQ to
/// the receiver is sent at the start of ingress with a delay of n cycles, so that receivers add no
/// link time (occupancy 0). A port accepts one packet per class and cycle.
///
/// b_transport is a platform error, transport_dbg transfers 0 bytes, and DMI is denied, because the
/// platform's debug accesses bypass the fabric.
///
/// Domains: each GPU's part (GpuFabricPort) can belong to a domain of its own, that of the blocks
/// behind this GPU's sockets. Packets and credits between parts are DomainLink messages with a
/// latency of L cycles less one tick.
///
/// Not modelled: more than one switch, width of the credits' path, errors and retransmission,
/// energy.
class GpuFabric final : public sc_core::sc_module, public Block {
 public:
  using Config = GpuFabricConfig;
  using Stats = GpuFabricStats;
  using Site = FabricSite;

  /// Limit: one bit for each queue of a destination, in 64 bits.
  static constexpr unsigned kMostGpus = GpuFabricConfig::kMostGpus;

  /// Index: GPU * kPacketClasses + PacketClass. All must be bound.
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<GpuFabric>> in;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<GpuFabric>> out;

  /// `gpus`: 2 to kMostGpus. `domains`: of each GPU's part; none: all in the domain under
  /// construction. An invalid configuration is an SC_FATAL that lists all errors.
  GpuFabric(const sc_core::sc_module_name& name, const GpuFabricConfig& config, unsigned gpus,
            const std::vector<Domain*>& domains = {});

  const GpuFabricConfig& config() const { return config_; }
  unsigned gpus() const { return static_cast<unsigned>(ports_.size()); }
  /// The counters of all parts, joined.
  GpuFabricStats stats() const;
  const GpuFabricPort& port(unsigned gpu) const { return *ports_[gpu]; }
  /// Bytes, with headers.
  std::uint64_t bytes(unsigned from, unsigned to) const { return port(to).stats().bytes[from]; }
  std::uint64_t packets(unsigned from, unsigned to) const { return port(to).stats().packets[from]; }
  /// Latency in cycles of a packet of `bytes` bytes (1 or more) that arrives at an edge.
  Cycle zero_load_latency(std::uint32_t bytes) const {
    return config_.latency_cycles() + config_.flits(bytes);
  }

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& waiting) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum forward(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void blocking(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(int port, tlm::tlm_generic_payload& payload);
  std::vector<const GpuFabricPortStats*> parts() const;

  const GpuFabricConfig config_;
  std::vector<std::unique_ptr<GpuFabricPort>> ports_;  ///< by GPU
};

}  // namespace tessera
