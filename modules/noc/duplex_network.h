// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tlm>
#include <vector>

#include "modules/core/block.h"
#include "modules/core/channels.h"
#include "modules/core/memory_request.h"
#include "modules/core/payload_check.h"
#include "modules/core/process_timer.h"
#include "modules/core/timed_queue.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/noc_stats.h"
#include "modules/noc/ring_fabric.h"
#include "modules/noc/switch_fabric.h"

namespace tessera {

/// Where a network sends what enters it: the number of an exit port.
struct NocRouting {
  /// Requests whose home is known; asked once for each, on entry.
  std::function<unsigned(const MemoryRequest&)> by_request;
  /// All others: requests that have not been decoded, debug accesses and plain b_transport. Empty:
  /// these are refused.
  std::function<unsigned(std::uint64_t address)> by_address;
};

/// A request network and a reply network with the TLM handshakes at their ports: what Crossbar,
/// Link and Ring have in common. Its owner has the sockets. Contract and limits:
/// docs/blocks/crossbar.md. `Fabric`: SwitchFabric or RingFabric.
template <class Fabric>
class BasicDuplexNetwork final {
 public:
  using Config = typename Fabric::Config;

  /// `name`: hierarchical, for reports and statistics.
  BasicDuplexNetwork(std::string name, const Config& config, unsigned entries, unsigned exits,
                     NocRouting routing);

  /// At end_of_elaboration, one for each port.
  void bind_entry(unsigned entry, tlm::tlm_bw_transport_if<>* initiator);
  void bind_exit(unsigned exit, tlm::tlm_fw_transport_if<>* target);

  /// nb_transport_fw of an entry, whose socket is named in reports; nb_transport_bw of an exit.
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
  /// Lone-packet latency of a request from `entry` to `exit`, and of an answer back. In ticks.
  Tick zero_load_latency(std::uint32_t bytes, unsigned entry = 0, unsigned exit = 0) const;

  bool idle() const { return request_.empty() && response_.empty() && early_.empty(); }
  void describe_waiting(std::vector<Waiting>& out) const;
  void reset();
  void reset_statistics();
  void register_statistics(StatisticsRegistry& registry) const;

 private:
  /// Packets that stand at a port before the first switch has room, the one with its END withheld
  /// included.
  static constexpr std::size_t kPortRegisters = 2;

  struct alignas(kHostLine) EntryPort {
    RequestReceiver requests{kPortRegisters};
    ResponseSender responses;
  };
  struct alignas(kHostLine) ExitPort {
    RequestSender requests;
    /// Early replies that wait for room at the port; they hold back its next request.
    unsigned early_waiting = 0;
    tlm::tlm_fw_transport_if<>* target = nullptr;
    alignas(kHostLine) ResponseReceiver responses{kPortRegisters};
  };
  /// A reply that came with its request's BEGIN_REQ, until it arrives.
  struct EarlyReply {
    tlm::tlm_generic_payload* payload = nullptr;
    unsigned exit = 0;
  };
  struct RequestSide final : Fabric::Client {
    explicit RequestSide(BasicDuplexNetwork& n) : network(n) {}
    bool deliver(unsigned exit, const typename Fabric::Packet& packet, Cycle cycle) override;
    void entered(unsigned entry, bool) override { network.entries_[entry].requests.release(); }
    BasicDuplexNetwork& network;
  };
  struct ReplySide final : Fabric::Client {
    explicit ReplySide(BasicDuplexNetwork& n) : network(n) {}
    bool deliver(unsigned exit, const typename Fabric::Packet& packet, Cycle cycle) override;
    void entered(unsigned entry, bool counted) override { network.reply_entered(entry, counted); }
    BasicDuplexNetwork& network;
  };

  void process();
  void look_at_clock() {
    if (now() != seen_) read_clock();
  }
  [[gnu::noinline]] void read_clock();
  Cycle cycle_from(Tick t) const;
  void schedule_next();
  /// The last cycle in which something may be sent that arrives, one cycle later, at t or after.
  Cycle cycle_before(Tick t) const;
  template <class Sender>
  Cycle send_cycle(const Sender& sender) const;
  /// An exit's channel is free, or will be at a known time: its head is looked at then.
  void request_exit_free(unsigned exit);
  void reply_exit_free(unsigned entry);

  /// Puts a packet in; true: it stands in the first switch's buffer.
  bool admit(Fabric& fabric, unsigned entry, unsigned exit, tlm::tlm_generic_payload& payload,
             std::uint32_t bytes, Cycle arrival, bool counted);
  tlm::tlm_sync_enum accept_request(unsigned entry, tlm::tlm_generic_payload& payload,
                                    MemoryRequest& request, unsigned exit, tlm::tlm_phase& phase,
                                    sc_core::sc_time& delay);
  /// Where a request leaves; exits_.size() when it has no way.
  unsigned exit_of(const tlm::tlm_generic_payload& payload, const MemoryRequest* request) const;
  tlm::tlm_sync_enum accept_reply(unsigned exit, tlm::tlm_generic_payload& payload,
                                  tlm::tlm_phase& phase, sc_core::sc_time& delay);
  bool admit_reply(unsigned exit, tlm::tlm_generic_payload& payload, Cycle arrival, bool counted);
  void handle_early_responses();
  void reply_entered(unsigned exit, bool counted);

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
  ReplySide reply_side_;
  Fabric request_;
  Fabric response_;
  ProcessTimer wake_;

  TimedQueue<EarlyReply> early_;  ///< by the cycle before their arrival

  Tick seen_ = kNever;  ///< the time for which the following hold
  Cycle cycle_ = 0;     ///< the cycle that goes on
  Cycle first_ = 0;     ///< the first cycle that begins now or later
  Tick next_edge_ = 0;  ///< when cycle_ + 1 begins
  Cycle armed_ = kNever;
};

using DuplexNetwork = BasicDuplexNetwork<SwitchFabric>;

extern template class BasicDuplexNetwork<SwitchFabric>;
extern template class BasicDuplexNetwork<RingFabric>;

}  // namespace tessera
