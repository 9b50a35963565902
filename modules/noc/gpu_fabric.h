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

/// The fabric between the RDMA engines of GPUs (DualOpt section 5, Table 1: PCIe-like): each GPU
/// has one link with a direction to the switch (egress) and one from it (ingress), each a flit a
/// cycle. Requests and responses share the wires, but no buffer: a class that is not taken never
/// stops the other.
///
/// Timing contract (L = latency in cycles, n = a packet's flits):
/// * A packet that arrives between clock edges counts from the next edge. It stands in its port's
///   buffer of `port_packets` per class.
/// * Egress, when free, serves the classes with a packet for which the switch has room, round
///   robin; it is then busy for n cycles. Room: a source and class may have switch_packets + L
///   packets between the beginning of egress and that of ingress, one for each stage of the
///   head's way and those that wait.
/// * L cycles after egress began, the head stands at its output (virtual cut-through), in a queue
///   per destination, source and class, first in, first out.
/// * Ingress, when free, serves these queues round robin, without those whose receiver would not
///   take the packet when it arrives; it is then busy for n cycles, and the packet is delivered
///   with its tail. So a lone packet that arrives at an edge is delivered L + n cycles later: no
///   cycle is added for handshakes.
///
/// Phases: those of posted packets (modules/core/posted_channels.h) on both sides. BEGIN_REQ to
/// the receiver is sent when ingress begins and carries the n cycles as delay: receivers count no
/// link time of their own (occupancy 0). A port takes one packet of a class a cycle.
///
/// b_transport is a platform error, transport_dbg reaches 0 bytes, DMI is denied: debug accesses
/// go round the fabric in the platform.
///
/// Not modelled: more than one switch, credits' way back, errors and retransmission, energy.
class GpuFabric final : public sc_core::sc_module, public Block {
 public:
  /// A destination's queues have a bit each.
  static constexpr unsigned kMostGpus = 64 / kPacketClasses;

  /// Index: GPU * kPacketClasses + PacketClass. All must be bound.
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<GpuFabric>> in;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<GpuFabric>> out;

  /// `gpus`: 2 to kMostGpus. A configuration with faults is an SC_FATAL that lists them.
  GpuFabric(const sc_core::sc_module_name& name, const GpuFabricConfig& config, unsigned gpus);

  const GpuFabricConfig& config() const { return config_; }
  unsigned gpus() const { return static_cast<unsigned>(egress_.size()); }
  const GpuFabricStats& stats() const { return stats_; }
  /// Since the last reset of statistics, headers included.
  std::uint64_t bytes(unsigned from, unsigned to) const { return stats_.bytes[from * gpus() + to]; }
  std::uint64_t packets(unsigned from, unsigned to) const {
    return stats_.packets[from * gpus() + to];
  }
  /// Of a packet of that many bytes (1 or more) from an edge on, in cycles.
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
  /// A GPU's way to the switch.
  struct Egress {
    explicit Egress(std::size_t entries)
        : receivers{PostedReceiver(entries), PostedReceiver(entries)} {}
    std::array<TimedQueue<LinkPacket*>, kPacketClasses> waiting;  ///< due when arrived (cycle)
    std::array<PostedReceiver, kPacketClasses> receivers;
    std::array<std::uint64_t, kPacketClasses> in_switch{};
    Cycle free_at = 0;
    Cycle next = kNever;  ///< when to look at it again, as far as is known
    unsigned last = kPacketClasses - 1;
  };
  /// The way from the switch to a GPU. Queue: source * kPacketClasses + class.
  struct Ingress {
    std::vector<TimedQueue<Item>> queues;
    std::array<PostedSender, kPacketClasses> senders;
    std::uint64_t ready = 0;  ///< a bit for each queue that is not empty
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
  const std::uint64_t room_;  ///< of the switch, for each source and class
  std::vector<Egress> egress_;
  std::vector<Ingress> ingress_;
  /// Between egress's beginning and the output; port: queue.
  TimedQueue<Item> crossing_;
  std::size_t held_ = 0;  ///< packets in any queue
  GpuFabricStats stats_;
  ProcessTimer wake_;
};

}  // namespace tessera
