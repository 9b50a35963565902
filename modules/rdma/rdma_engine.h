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

#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/protocol/link_packet.h"
#include "modules/protocol/memory_request.h"
#include "modules/protocol/paced_output.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/platform_interfaces.h"
#include "modules/protocol/posted_channels.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/response_port.h"
#include "modules/rdma/codec.h"
#include "modules/rdma/engine_site.h"
#include "modules/rdma/rdma_config.h"
#include "policies/transfer_policy.h"

namespace tessera {

struct RdmaSite;

/// A GPU's RDMA engine with the CoDec unit (DualOpt sections 2.3 and 4.1.3): forwards the requests
/// of the GPU's SMs for lines of other GPUs, and the requests of other GPUs for the GPU's lines.
///
/// Hardware: the engine sends a local SM's request as a packet of the request class to the line's
/// home GPU. The engine of that GPU forwards the request to its home slices and sends the response
/// as a packet of the response class. While RemoteAccessMode::coalesce is set, fine-grained
/// responses wait in staging buffers, one for each other GPU, until they fill a packet or time out;
/// all other responses bypass the staging buffers. A response that does not fit a coalesced packet
/// is sent as a whole line (ours).
///
/// Timing: a message that arrives at cycle c leaves the engine at c + latency_cycles at the
/// earliest. In each cycle the engine sends one packet of each class to the fabric, one request to
/// the home slices and one response to each port of local_in. It also forms one packet from the
/// staging buffers, without extra latency. Requests of all ports are served in order of age.
///
/// Phases: all four on local_in and local_out; posted packets (protocol/posted_channels.h) on the
/// fabric. A port stalls while its input queue holds `port_depth` requests. fabric_in[response]
/// accepts every packet, because the number of responses is limited by the outstanding requests.
/// Freedom from deadlock: docs/blocks/rdma.md.
///
/// In value mode `carried`, the bytes of a fine-grained response outside `word_mask` are
/// overwritten with kPoison on arrival, so that a use of bytes that were not transferred corrupts
/// the result.
///
/// Not modelled: address translation in the engine, packet checks and retransmission, the decoding
/// time of ids.
class RdmaEngine final : public BlockBase<RdmaConfig, RdmaStats, RdmaSite>,
                         public KernelEndIf,
                         public HomeAccessIf {
 public:
  using Payload = tlm::tlm_generic_payload;
  static constexpr unsigned char kPoison = 0xA5;

  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<RdmaEngine>> local_in;
  tlm_utils::simple_initiator_socket<RdmaEngine> local_out;
  /// Indexed by PacketClass.
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<RdmaEngine>> fabric_out;
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<RdmaEngine>> fabric_in;

  /// An invalid `config` or `site` is an SC_FATAL.
  RdmaEngine(const sc_core::sc_module_name& name, const RdmaConfig& config,
             const RdmaEngineSite& site);

  /// Accesses of other GPUs to this GPU's lines that bypass the fabric.
  unsigned debug_home(Payload& payload) override { return local_out->transport_dbg(payload); }
  void blocking_home(Payload& payload, sc_core::sc_time& delay) override;

  /// Clears the ideal merge buffer of figure 6, because caches invalidate other GPUs' lines at the
  /// end of a kernel.
  void kernel_ended() override { asked_.clear(); }

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;

 private:
  /// A response of the home slices.
  struct HomeResponse {
    Payload* payload = nullptr;
    MemoryRequest* request = nullptr;
    GpuId to;
    bool held = true;  ///< occupies an entry of home_port_; false after early completion
  };
  using LocalPort = UnscheduledResponsePort<PacedOutput<ResponseSender>>;
  using HomePort = UnscheduledRequestPort<PacedOutput<RequestSender, LinkPacket*>, HomeResponse>;

  void check() const;
  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum local_in_forward(int port, Payload& payload, tlm::tlm_phase& phase,
                                      sc_core::sc_time& delay);
  tlm::tlm_sync_enum local_out_backward(Payload& payload, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay);
  tlm::tlm_sync_enum fabric_out_backward(int channel, Payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay);
  tlm::tlm_sync_enum fabric_in_forward(int channel, Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
  void blocking(int port, Payload& payload, sc_core::sc_time& delay);
  unsigned debug(int, Payload& payload) {
    return PayloadCheck::admits_debug(payload) ? site_.debug_at_home(payload) : 0;
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
  /// Whether class, destination, source and size of a packet are valid for this channel.
  bool belongs(const LinkPacket& packet, int channel) const;
  /// Responses announced at the present time are not counted, because this block's process can have
  /// run before the announcement.
  bool may_send_home() const {
    const std::size_t early = announced_at_ == now() ? announced_ : 0;
    return home_port_.responses.size() - early < config_.port_depth;
  }
  LinkPacket& new_packet(PacketClass channel, GpuId to);
  void enqueue(LinkPacket& packet, Tick t);
  void count_request(const Payload& payload, const MemoryRequest& request);
  /// Staging buffers are numbered without this GPU.
  std::size_t buffer_of(GpuId gpu) const {
    return gpu.value < site_.self.value ? gpu.value : gpu.value - 1;
  }
  GpuId gpu_of(std::size_t buffer) const {
    return GpuId(static_cast<std::uint32_t>(buffer < site_.self.value ? buffer : buffer + 1));
  }

  const PacketFormat format_;
  const ClockDomain clock_;
  const RdmaEngineSite site_;
  PayloadCheck check_;

  // Requester's side.
  TimedQueue<Payload*> from_local_;
  std::vector<LocalPort> local_ports_;
  std::uint64_t awaiting_ = 0;  ///< local requests sent and without a response

  // Home's side.
  HomePort home_port_;
  std::size_t announced_ = 0;  ///< responses that the home slices began at `announced_at_`
  Tick announced_at_ = kNever;
  ResponseCoalescer<LinkPacket::Content> coalescer_;
  ResponseCoalescer<LinkPacket::Content>::Packet packed_;  ///< the last packet taken
  std::uint64_t next_pack_cycle_ = 0;
  std::uint64_t serving_ = 0;  ///< remote requests outstanding at the home slices

  std::array<PacedOutput<PostedSender, LinkPacket*>, kPacketClasses> to_fabric_;
  std::array<PostedReceiver, kPacketClasses> from_fabric_;

  std::unordered_set<std::uint64_t> asked_;  ///< requested lines, if ideal_coalescing
  ProcessTimer wake_;
};

}  // namespace tessera
