// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tlm>
#include <vector>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/kernel/waiting.h"
#include "modules/noc/mesh_fabric.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/noc_routing.h"
#include "modules/noc/noc_stats.h"
#include "modules/noc/ring_fabric.h"
#include "modules/noc/switch_fabric.h"
#include "modules/protocol/channels.h"
#include "modules/protocol/memory_request.h"
#include "modules/protocol/payload_check.h"

namespace tessera {

/// A request network from entry (ingress) to exit (egress) ports, a response network back, and the
/// TLM handshakes at their ports. Shared by Crossbar, Link, Ring and Mesh, which own the sockets.
/// Contract and limits: docs/blocks/crossbar.md. `Fabric`: SwitchFabric, RingFabric or MeshFabric.
template <class Fabric>
class BasicDuplexNetwork final {
 public:
  using Config = typename Fabric::Config;

  /// `name`: hierarchical name for reports and statistics.
  BasicDuplexNetwork(std::string name, const Config& config, unsigned entries, unsigned exits,
                     NocRouting routing);

  /// To be called in end_of_elaboration, once for each port.
  void bind_entry(unsigned entry, tlm::tlm_bw_transport_if<>* initiator);
  void bind_exit(unsigned exit, tlm::tlm_fw_transport_if<>* target);

  /// nb_transport_fw of an entry (`socket` is named in reports) and nb_transport_bw of an exit.
  tlm::tlm_sync_enum forward(unsigned entry, const sc_core::sc_object& socket,
                             tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(unsigned exit, tlm::tlm_generic_payload& payload,
                              tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void blocking(unsigned entry, const sc_core::sc_object& socket, tlm::tlm_generic_payload& payload,
                sc_core::sc_time& delay);
  unsigned debug(tlm::tlm_generic_payload& payload);

  const NocStats& requests() const { return request_stats_; }
  const NocStats& responses() const { return response_stats_; }
  /// Zero-load latency of a request from `entry` to `exit`, and of a response back, in ticks.
  Tick zero_load_latency(std::uint32_t bytes, unsigned entry = 0, unsigned exit = 0) const;

  bool idle() const { return request_.empty() && response_.empty() && early_.empty(); }
  void describe_waiting(std::vector<Waiting>& out) const;
  void reset();
  void register_statistics(StatisticsRegistry& registry) const;

 private:
  /// Packets that a port holds while the buffer of the first switch is full, including the one
  /// whose END is withheld.
  static constexpr std::size_t kPortRegisters = 2;

  struct EntryPort {
    RequestReceiver requests{kPortRegisters};
    ResponseSender responses;
  };
  struct ExitPort {
    RequestSender requests;
    /// Early responses that wait for the first switch; they stall the port's next request.
    unsigned early_waiting = 0;
    tlm::tlm_fw_transport_if<>* target = nullptr;
    ResponseReceiver responses{kPortRegisters};
  };
  /// A response returned by BEGIN_REQ (early completion), until its arrival.
  struct EarlyResponse {
    tlm::tlm_generic_payload* payload = nullptr;
    unsigned exit = 0;
  };
  struct RequestSide final : Fabric::Client {
    explicit RequestSide(BasicDuplexNetwork& n) : network(n) {}
    bool deliver(unsigned exit, const typename Fabric::Packet& packet, Cycle cycle) override;
    void entered(unsigned entry, bool) override { network.entries_[entry].requests.release(); }
    BasicDuplexNetwork& network;
  };
  struct ResponseSide final : Fabric::Client {
    explicit ResponseSide(BasicDuplexNetwork& n) : network(n) {}
    bool deliver(unsigned exit, const typename Fabric::Packet& packet, Cycle cycle) override;
    void entered(unsigned entry, bool counted) override {
      network.response_entered(entry, counted);
    }
    BasicDuplexNetwork& network;
  };

  void process();
  void look_at_clock() {
    if (now() != seen_) read_clock();
  }
  void read_clock();
  Cycle cycle_from(Tick t) const;
  void schedule_next();
  /// The first cycle in which a message can be sent so that it arrives, one cycle later, at t or
  /// after.
  Cycle cycle_before(Tick t) const;
  template <class Sender>
  Cycle send_cycle(const Sender& sender) const;
  /// Schedules the head of an exit for the time at which its channel is free, unless an END is
  /// outstanding.
  void request_egress_free(unsigned exit);
  void response_egress_free(unsigned entry);

  /// Injects a packet. Returns true if it enters the first switch's buffer.
  bool admit(Fabric& fabric, unsigned entry, unsigned exit, tlm::tlm_generic_payload& payload,
             std::uint32_t bytes, Cycle arrival, bool counted);
  tlm::tlm_sync_enum accept_request(unsigned entry, tlm::tlm_generic_payload& payload,
                                    MemoryRequest& request, unsigned exit, tlm::tlm_phase& phase,
                                    sc_core::sc_time& delay);
  /// The exit of a request; exits_.size() if it cannot be routed.
  unsigned exit_of(const tlm::tlm_generic_payload& payload, const MemoryRequest* request) const;
  tlm::tlm_sync_enum accept_response(unsigned exit, tlm::tlm_generic_payload& payload,
                                     tlm::tlm_phase& phase, sc_core::sc_time& delay);
  bool admit_response(unsigned exit, tlm::tlm_generic_payload& payload, Cycle arrival,
                      bool counted);
  void handle_early_responses();
  void response_entered(unsigned exit, bool counted);

  const std::string name_;
  const Config config_;
  const ClockDomain clock_;
  const NocRouting routing_;
  PayloadCheck check_;
  std::vector<EntryPort> entries_;
  std::vector<ExitPort> exits_;
  NocStats request_stats_;
  NocStats response_stats_;
  RequestSide request_side_;
  ResponseSide response_side_;
  Fabric request_;
  Fabric response_;
  ProcessTimer wake_;

  TimedQueue<EarlyResponse> early_;  ///< due in the cycle before their arrival

  Tick seen_ = kNever;  ///< the time for which the next three members are valid
  Cycle cycle_ = 0;     ///< the present cycle
  Cycle first_ = 0;     ///< the first cycle that begins now or later
  Tick next_edge_ = 0;  ///< start of cycle_ + 1
  Cycle armed_ = kNever;
};

using DuplexNetwork = BasicDuplexNetwork<SwitchFabric>;

extern template class BasicDuplexNetwork<SwitchFabric>;
extern template class BasicDuplexNetwork<RingFabric>;
extern template class BasicDuplexNetwork<MeshFabric>;

}  // namespace tessera
