// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "modules/kernel/domain_link.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/kernel/waiting.h"
#include "modules/noc/gpu_fabric_config.h"
#include "modules/noc/gpu_fabric_stats.h"
#include "modules/noc/noc_config.h"
#include "modules/protocol/link_packet.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/posted_channels.h"

namespace tessera {

/// One GPU's part of the fabric between GPUs (modules/noc/gpu_fabric.h, which has the timing
/// contract): its link to the switch (egress), the switch's output queues for it, and its link from
/// the switch (ingress).
///
/// A part belongs to the domain in which it is constructed. It acts on other parts by messages
/// only, which take L cycles: packets to their output queue, and credits to the packets' sources.
class GpuFabricPort {
 public:
  using Backward = tlm::tlm_bw_transport_if<>;
  using Forward = tlm::tlm_fw_transport_if<>;

  /// `name`: of the part, for messages. Joins the domain under construction.
  GpuFabricPort(std::string name, const GpuFabricConfig& config, unsigned gpu, unsigned gpus);

  /// Makes the paths of packets from `from` to `to` and of their credits.
  static void connect(GpuFabricPort& from, GpuFabricPort& to);
  /// At end_of_elaboration: the sockets of a class, `in` and `out`.
  void bind(unsigned packet_class, Backward* in, Forward* out);

  /// nb_transport_fw of a class's `socket`.
  tlm::tlm_sync_enum forward(unsigned packet_class, const sc_core::sc_object& socket,
                             tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(unsigned packet_class, tlm::tlm_generic_payload& payload,
                              tlm::tlm_phase& phase, sc_core::sc_time& delay);

  const GpuFabricPortStats& stats() const { return stats_; }
  /// Packets between the start of egress and the output.
  std::size_t crossing() const { return crossing_.size(); }
  bool idle() const;
  /// Entries of all queues but crossing(). `fabric`: name of the whole.
  void describe_waiting(const std::string& fabric, std::vector<Waiting>& waiting) const;
  void reset();

 private:
  struct Item {
    LinkPacket* packet = nullptr;
    Cycle arrived = 0;
    std::uint32_t flits = 0;
  };
  /// Messages between parts. `due`: the cycle of their arrival.
  struct Head {
    Item item;
    Cycle due = 0;
    unsigned queue = 0;
  };
  struct Credit {
    Cycle due = 0;
    unsigned packet_class = 0;
  };
  /// The GPU's link to the switch.
  struct Egress {
    std::array<TimedQueue<LinkPacket*>, kPacketClasses> waiting;  ///< due when arrived (cycle)
    std::array<PostedReceiver, kPacketClasses> receivers;
    std::array<std::uint64_t, kPacketClasses> credits{};  ///< packets that the switch can take
    Cycle free_at = 0;
    Cycle next = kNever;  ///< next scheduled arbitration
    unsigned last = kPacketClasses - 1;
  };
  /// The link from the switch to the GPU. Queue index: source * kPacketClasses + class.
  struct Ingress {
    std::vector<TimedQueue<Item>> queues;
    std::array<PostedSender, kPacketClasses> senders;
    std::uint64_t ready = 0;  ///< one bit for each non-empty queue
    Cycle free_at = 0;
    Cycle next = kNever;
    unsigned last = 63;
  };

  bool addressed(const LinkPacket& packet, unsigned packet_class) const;
  void process();
  void take_credits(Cycle cycle);
  void reach_outputs(Cycle cycle);
  void serve_ingress(Cycle cycle);
  void deliver(unsigned queue, Cycle cycle);
  Cycle earliest(const PostedSender& sender, std::uint32_t flits) const;
  void serve_egress(Cycle cycle);
  bool needs_credit() const;
  void schedule_next();

  const std::string name_;
  Domain& domain_;
  const GpuFabricConfig config_;
  const unsigned gpu_;
  const unsigned gpus_;
  PayloadCheck check_;
  const ClockDomain clock_;
  const Cycle latency_;
  const std::uint64_t room_;  ///< credits of each class at first

  Egress egress_;
  Ingress ingress_;
  TimedQueue<Item> crossing_;     ///< packets to this GPU; the port is the queue's index
  TimedQueue<unsigned> credits_;  ///< classes; taken when the process runs
  std::size_t held_ = 0;          ///< packets in any queue
  GpuFabricPortStats stats_;
  ProcessTimer wake_;
  // By the other GPU; null for this one.
  std::vector<std::unique_ptr<DomainLink<Head>>> heads_to_;
  std::vector<std::unique_ptr<DomainLink<Credit>>> credits_to_;
};

}  // namespace tessera
