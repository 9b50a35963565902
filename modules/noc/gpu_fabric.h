// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/link_packet.h"
#include "modules/core/payload_check.h"
#include "modules/core/posted_channels.h"
#include "modules/core/process_timer.h"
#include "modules/core/timed_queue.h"
#include "modules/noc/gpu_fabric_config.h"
#include "modules/noc/gpu_fabric_stats.h"
#include "modules/noc/noc_config.h"

namespace tessera {

/// The fabric between the RDMA engines of GPUs (DualOpt section 5, Table 1: PCIe-like).
///
/// Hardware: one switch. Each GPU has one link with a direction to the switch (egress) and one from
/// the switch (ingress), each with one flit per cycle. Requests and responses share the wires but
/// no buffers, so that a stalled class never blocks the other.
///
/// Timing contract (L = latency in cycles, n = a packet's flits):
/// * A packet that arrives between clock edges counts from the next edge. It waits in its port's
///   buffer of `port_packets` entries per class.
/// * A free egress arbitrates round robin between the classes that have a packet and switch
///   capacity; it is then busy for n cycles. Switch capacity: each source and class can have
///   switch_packets + L packets between the start of egress and the start of ingress: L in the
///   pipeline of the head, and switch_packets in queues.
/// * L cycles after the start of egress, the head is at its output (virtual cut-through), in a
///   queue
///   per destination, source and class, first in, first out.
/// * A free ingress arbitrates round robin between those queues whose receiver can accept the
///   packet at its arrival; it is then busy for n cycles, and the packet is delivered with its
///   tail. The zero-load latency of a packet that arrives at an edge is therefore L + n cycles;
///   handshakes add no cycle.
///
/// Phases: those of posted packets (modules/core/posted_channels.h) on both sides. BEGIN_REQ to the
/// receiver is sent at the start of ingress with a delay of n cycles, so that receivers add no link
/// time (occupancy 0). A port accepts one packet per class and cycle.
///
/// b_transport is a platform error, transport_dbg transfers 0 bytes, and DMI is denied, because the
/// platform's debug accesses bypass the fabric.
///
/// Not modelled: more than one switch, return path of credits, errors and retransmission, energy.
class GpuFabric final : public sc_core::sc_module, public Block {
 public:
  /// Limit: one bit for each queue of a destination, in 64 bits.
  static constexpr unsigned kMostGpus = 64 / kPacketClasses;

  /// Index: GPU * kPacketClasses + PacketClass. All must be bound.
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<GpuFabric>> in;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<GpuFabric>> out;

  /// `gpus`: 2 to kMostGpus. An invalid configuration is an SC_FATAL that lists all errors.
  GpuFabric(const sc_core::sc_module_name& name, const GpuFabricConfig& config, unsigned gpus);

  const GpuFabricConfig& config() const { return config_; }
  unsigned gpus() const { return static_cast<unsigned>(egress_.size()); }
  const GpuFabricStats& stats() const { return stats_; }
  /// Bytes, with headers, since the last reset of statistics.
  std::uint64_t bytes(unsigned from, unsigned to) const { return stats_.bytes[from * gpus() + to]; }
  std::uint64_t packets(unsigned from, unsigned to) const {
    return stats_.packets[from * gpus() + to];
  }
  /// Latency in cycles of a packet of `bytes` bytes (1 or more) that arrives at an edge.
  Cycle zero_load_latency(std::uint32_t bytes) const { return latency_ + config_.flits(bytes); }

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& waiting) const override;
  void reset() override;
  void reset_statistics() { stats_.reset(now()); }
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  struct Item {
    LinkPacket* packet = nullptr;
    Cycle arrived = 0;
    std::uint32_t flits = 0;
  };
  /// A GPU's link to the switch.
  struct Egress {
    explicit Egress(std::size_t entries)
        : receivers{PostedReceiver(entries), PostedReceiver(entries)} {}
    std::array<TimedQueue<LinkPacket*>, kPacketClasses> waiting;  ///< due when arrived (cycle)
    std::array<PostedReceiver, kPacketClasses> receivers;
    std::array<std::uint64_t, kPacketClasses> in_switch{};
    Cycle free_at = 0;
    Cycle next = kNever;  ///< next scheduled arbitration
    unsigned last = kPacketClasses - 1;
  };
  /// The link from the switch to a GPU. Queue index: source * kPacketClasses + class.
  struct Ingress {
    std::vector<TimedQueue<Item>> queues;
    std::array<PostedSender, kPacketClasses> senders;
    std::uint64_t ready = 0;  ///< one bit for each non-empty queue
    Cycle free_at = 0;
    Cycle next = kNever;
    unsigned last = 63;
  };

  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum forward(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void blocking(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debug(int port, tlm::tlm_generic_payload& payload);
  bool addressed(const LinkPacket& packet, unsigned gpu, unsigned packet_class) const;

  void process();
  void reach_outputs(Cycle cycle);
  void serve_ingress(unsigned gpu, Cycle cycle);
  void deliver(unsigned gpu, unsigned queue, Cycle cycle);
  Cycle earliest(const PostedSender& sender, std::uint32_t flits) const;
  void serve_egress(unsigned gpu, Cycle cycle);
  void schedule_next();

  const GpuFabricConfig config_;
  PayloadCheck check_;
  const ClockDomain clock_;
  const Cycle latency_;
  const std::uint64_t room_;  ///< switch capacity in packets, per source and class
  std::vector<Egress> egress_;
  std::vector<Ingress> ingress_;
  /// Packets between the start of egress and the output; the port is the queue's index.
  TimedQueue<Item> crossing_;
  std::size_t held_ = 0;  ///< packets in any queue
  GpuFabricStats stats_;
  ProcessTimer wake_;
};

}  // namespace tessera
