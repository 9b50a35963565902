// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>
#include <unordered_set>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/link_packet.h"
#include "modules/core/memory_request.h"
#include "modules/core/paced_output.h"
#include "modules/core/payload_check.h"
#include "modules/core/posted_channels.h"
#include "modules/core/process_timer.h"
#include "modules/core/timed_queue.h"
#include "modules/rdma/codec.h"
#include "modules/rdma/rdma_config.h"
#include "policies/transfer_policy.h"

namespace tessera {

/// A GPU's RDMA engine: the way of its SMs to other GPUs' lines, and of other GPUs to its own, with
/// the CoDec unit (DualOpt sections 2.3 and 4.1.3).
///
/// Hardware: a request of an own SM becomes a packet of the request class for the GPU where the
/// line lives; that GPU's engine hands it to its home slices and packs the answer into a packet of
/// the response class. Fine-grained answers wait in staging buffers, one for each other GPU, until
/// they fill a packet or time out, while RemoteAccessMode::coalesce says so; all others go straight
/// on. An answer that is too large for a coalesced packet travels as a whole line (ours).
///
/// Timing: what arrives at cycle c is at the other side of the engine at c + latency_cycles at the
/// earliest. A cycle moves one packet of each class to the fabric, one request to the home slices,
/// one answer to each of local_in's ports, and one packet out of the staging buffers, which costs
/// no time of its own. Requests of all ports go by age.
///
/// Phases: all four on local_in and local_out; posted packets (core/posted_channels.h) on the
/// fabric. A request is held back while `port_depth` stand before it. fabric_in[response] takes
/// whatever comes: the answers on their way are bounded by the requests. Why nothing deadlocks:
/// docs/blocks/rdma.md.
/// Where values travel, a fine-grained answer's bytes outside `pieces` are overwritten with kPoison
/// when it comes back: whoever uses bytes that did not travel computes nonsense.
///
/// Not modelled: address translation in the engine, packet checks and retransmission, the decoding
/// time of ids.
class RdmaEngine final : public sc_core::sc_module, public Block {
 public:
  using Payload = tlm::tlm_generic_payload;
  static constexpr unsigned char kPoison = 0xA5;

  /// An engine's place in the platform. Every field must be set; what is pointed to outlives it.
  struct Role {
    GpuId self;
    unsigned gpus = 0;   ///< 2 or more
    unsigned ports = 0;  ///< of local_in; 1 or more
    /// The GPU of a request's line: another one than `self`.
    std::function<GpuId(const MemoryRequest&)> home_of;
    /// May change during the run.
    const RemoteAccessMode* transfer = nullptr;
    PacketPool* packets = nullptr;
    /// transport_dbg and b_transport of local_in: debug_home() and blocking_home() of the engine of
    /// the line's GPU.
    std::function<unsigned(Payload&)> debug_at_home;
    std::function<void(Payload&, sc_core::sc_time&)> blocking_at_home;
  };

  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<RdmaEngine>> local_in;
  tlm_utils::simple_initiator_socket<RdmaEngine> local_out;
  /// Indexed by PacketClass.
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<RdmaEngine>> fabric_out;
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<RdmaEngine>> fabric_in;

  /// A fault in `config` or `role` is an SC_FATAL.
  RdmaEngine(const sc_core::sc_module_name& name, const RdmaConfig& config, const Role& role);

  const RdmaConfig& config() const { return config_; }
  const RdmaStats& stats() const { return stats_; }

  /// Accesses of other GPUs to this one's lines, past the fabric: straight to the home slices.
  unsigned debug_home(Payload& payload) { return local_out->transport_dbg(payload); }
  void blocking_home(Payload& payload, sc_core::sc_time& delay);

  /// Caches drop other GPUs' lines now: so does the ideal merge buffer of figure 6.
  void kernel_ended() { asked_.clear(); }

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  /// An answer of the home slices.
  struct Answer {
    Payload* payload = nullptr;
    MemoryRequest* request = nullptr;
    GpuId to;
    bool held = true;  ///< has an entry of home_in_; else it came with its request's return
  };

  void check() const;
  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum local_fw(int port, Payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  tlm::tlm_sync_enum home_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum fabric_bw(int channel, Payload& payload, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
  tlm::tlm_sync_enum fabric_fw(int channel, Payload& payload, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
  void blocking(int port, Payload& payload, sc_core::sc_time& delay);
  unsigned debug(int, Payload& payload) {
    return PayloadCheck::admits_debug(payload) ? role_.debug_at_home(payload) : 0;
  }
  bool direct(int, Payload&, tlm::tlm_dmi&) { return false; }

  void request_arrives(LinkPacket& packet, Tick at);
  void answer_arrives(const LinkPacket::Content& content, Tick at);
  void home_answers(Payload& payload, Tick at, bool held);

  void process();
  void send_answers(Tick t);
  void send_packet(PacketClass channel, Tick t);
  void handle_responses(Tick t);
  void pack(Tick t);
  void handle_requests(Tick t);
  void send_home(Tick t);
  void schedule_next(Tick t);

  bool outgoing_full(PacketClass channel) const;
  bool at_other_gpu(const MemoryRequest& request) const;
  /// Whether a packet may come on this channel, with these contents.
  bool belongs(const LinkPacket& packet, int channel) const;
  /// What was announced at this instant does not count yet: our process may have run before.
  bool may_send_home() const {
    const std::size_t early = announced_at_ == now() ? announced_ : 0;
    return from_home_.size() - early < config_.port_depth;
  }
  LinkPacket& new_packet(PacketClass channel, GpuId to);
  void enqueue(LinkPacket& packet, Tick t);
  void count_request(const Payload& payload, const MemoryRequest& request);
  /// Staging buffers are numbered without the own GPU.
  std::size_t buffer_of(GpuId gpu) const {
    return gpu.value < role_.self.value ? gpu.value : gpu.value - 1;
  }
  GpuId gpu_of(std::size_t buffer) const {
    return GpuId(static_cast<std::uint32_t>(buffer < role_.self.value ? buffer : buffer + 1));
  }

  const RdmaConfig config_;
  const PacketFormat format_;
  const ClockDomain clock_;
  const Role role_;
  PayloadCheck check_;

  // Requester's side.
  TimedQueue<Payload*> from_local_;
  std::vector<RequestReceiver> local_receivers_;
  std::vector<PacedOutput<ResponseSender>> responses_;
  std::uint64_t awaiting_ = 0;  ///< own requests that left and have not been answered

  // Home's side.
  PacedOutput<RequestSender, LinkPacket*> to_home_;
  TimedQueue<Answer> from_home_;
  ResponseReceiver home_in_;
  std::size_t announced_ = 0;  ///< answers that the home slices began at `announced_at_`
  Tick announced_at_ = kNever;
  ResponseCoalescer<LinkPacket::Content> coalescer_;
  ResponseCoalescer<LinkPacket::Content>::Packet packed_;  ///< the last packet taken
  std::uint64_t next_pack_cycle_ = 0;
  std::uint64_t serving_ = 0;  ///< others' requests that the home slices have not answered

  std::array<PacedOutput<PostedSender, LinkPacket*>, kPacketClasses> to_fabric_;
  std::array<PostedReceiver, kPacketClasses> from_fabric_;

  std::unordered_set<std::uint64_t> asked_;  ///< lines, where ideal_coalescing wants them
  ProcessTimer wake_;
  RdmaStats stats_;
};

}  // namespace tessera
