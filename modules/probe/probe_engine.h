// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_set>
#include <vector>

#include "modules/kernel/block_base.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/probe/probe_config.h"
#include "modules/probe/probe_site.h"
#include "modules/probe/probe_table.h"
#include "modules/probe/sharer_directory.h"
#include "modules/protocol/memory_request.h"
#include "modules/protocol/paced_output.h"
#include "modules/protocol/payload_check.h"
#include "modules/protocol/request_port.h"
#include "modules/protocol/response_port.h"
#include "modules/protocol/transaction_pool.h"
#include "modules/sm/l1_probe.h"
#include "policies/address_map.h"
#include "policies/miss_routing.h"

namespace tessera {

struct ProbeEngineSite;

struct ProbeStats {
  Counter read_misses = 0;  ///< that could be probed
  Counter own_writes = 0;
  Counter untracked = 0;
  Counter predicted = 0;         ///< misses, also forwarded ones
  Counter shared = 0;            ///< misses
  Counter predicted_shared = 0;  ///< misses
  Counter leaders = 0;
  Counter scouts = 0;
  Counter second_level = 0;
  Counter supplied = 0;  ///< misses
  Counter failed = 0;    ///< misses
  Counter timeouts = 0;  ///< misses
  Counter late = 0;      ///< messages
  Counter lookups = 0;
  Counter lookup_hits = 0;
  Counter stale = 0;
  Counter deflected = 0;
  Counter forwarded = 0;
  Histogram supply_latency;
  Histogram search_length;
};

void describe(StatisticsVisitor& v, ProbeStats& s);

/// Between a core's L1 and the network: sends the L1's read misses to other cores' L1s, and
/// responds to their probes.
///
/// Hardware (remote-core paper, section III-F, figure 12): a miss routing policy selects the cores
/// that a read miss searches. The leader probe visits its cores one after the other and returns
/// with the line from the first one that holds it. Scouts visit all of their cores and return with
/// the numbers of those that hold the line. If the leader returns without the line and all scouts
/// have returned, a second leader visits these candidates. A miss goes to the L2 if no probe has
/// found its line, or after a timeout. Lookups of the core have priority in the L1. One message a
/// cycle is sent; in order of priority: requests that are not probed, selective L2 requests,
/// probes of other cores, returns to other cores, own probes.
///
/// A probe is a message: a payload of kind kProbe that the network takes to a core's exit, and that
/// is sent on with the same payload, until the requester gets it as a request (returns) or as a
/// response (the line). A core that forwards a probe removes its own hop from the payload's route.
///
/// A load that a slice forwards (LA-LLC, section IV-B) is looked up like a probe of one core. The
/// response goes to the requester. Without the line, or if the incoming queue is full, the load
/// returns to its slice.
///
/// Timing: one cycle from the L1 to the network and one back. A probe that arrives at cycle c is
/// looked up in c + 1 or when the L1 is free, and forwarded or responded to in the cycle after
/// that; one lookup in two cycles.
///
/// Ours: a deflected probe waits with the forwarded probes, which have no limit, so that the
/// request network always drains. The line of a core's own store or atomic is not probed until the
/// L1's next flush, and no L1 supplies a line that it requested before the last fence of an SM: so
/// a load returns no older value than the L2's would be under the baseline's software coherence.
///
/// Not modelled: the deflection within the router (the probe enters and leaves the core).
class ProbeEngine final : public BlockBase<ProbeConfig, ProbeStats, ProbeEngineSite>,
                          private L1ProbeClient {
 public:
  tlm_utils::passthrough_target_socket<ProbeEngine> core;    ///< from the L1
  tlm_utils::passthrough_target_socket<ProbeEngine> probes;  ///< from the network
  tlm_utils::simple_initiator_socket<ProbeEngine> network;

  ProbeEngine(const sc_core::sc_module_name& name, const ProbeConfig& config, const ProbeSite& site,
              std::unique_ptr<MissRouting> routing);

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 private:
  using Payload = tlm::tlm_generic_payload;
  /// Messages to the network, in order of priority.
  enum Class : unsigned { kDirect, kSelective, kForwarded, kReturned, kOwn, kClasses };

  /// A read miss with probes in flight.
  struct Group {
    std::uint32_t id = 0;
    Payload* miss = nullptr;
    std::uint32_t pc = 0;
    std::uint32_t outstanding = 0;  ///< probes
    bool second_level = false;
    Tick begun = 0;
    std::vector<std::uint32_t> candidates;
  };
  struct Deadline {
    Tick at;
    std::uint32_t group;
  };
  /// Result of an L1 lookup for a probe.
  struct Found {
    Payload* probe = nullptr;
    bool held = false;
  };

  void end_of_elaboration() override;
  void end_of_simulation() override;

  tlm::tlm_sync_enum core_forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum probes_forward(Payload& payload, tlm::tlm_phase& phase,
                                    sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void blocking(Payload& payload, sc_core::sc_time& delay);
  unsigned debug(Payload& payload);

  // L1ProbeClient.
  void probed(bool held, const unsigned char* bytes, Tick issued) override;
  void filled(std::uint64_t line) override { site_.directory->filled(site_.core, line); }
  void evicted(std::uint64_t line) override { site_.directory->evicted(site_.core, line); }
  void flushed() override;

  void process();
  void handle_responses(Tick t);
  void handle_requests(Tick t);
  void handle_arrivals(Tick t);
  void handle_found(Tick t);
  void handle_timeouts(Tick t);
  void start_lookup(Tick t);
  void send(Tick t);
  void schedule_next(Tick t);
  void schedule_network(Tick t);

  void route(Payload& miss, Tick t);
  void send_probe(Group& group, bool scout, std::vector<std::uint32_t> targets, Tick t);
  /// A probe leaves this core without the line: to its next core, or back to its requester. A
  /// forwarded load returns to its slice.
  void pass_on(Payload& probe, Tick t);
  void returned(Payload& probe, Tick t);
  void supplied(Payload& probe, Tick t);
  /// Counts a response to a load that its slice could forward.
  void count_forwarded(const MemoryRequest& request, Tick t);
  void to_l2(Group& group, Tick t);
  Group* find(std::uint32_t id);
  void erase(Group& group);
  void drop(Payload& probe);
  void supply_at_once(Payload& miss, std::uint32_t supplier, Tick t);
  void address_to(Payload& probe, std::uint32_t core) const;
  bool can_send(Tick t) const;

  const ProbeSite site_;
  const std::unique_ptr<MissRouting> routing_;
  const unsigned line_shift_;
  const ClockDomain clock_;
  PayloadCheck core_check_;
  PayloadCheck probe_check_;

  TimedQueue<Payload*> requests_;  ///< of the L1
  TimedQueue<Payload*> arrivals_;  ///< probes of other cores, and own ones that return
  TimedQueue<Payload*> incoming_;  ///< probes of other cores that wait for the L1
  TimedQueue<Found> found_;
  std::array<TimedQueue<Payload*>, kClasses> to_network_;
  bool looking_up_ = false;
  std::vector<Group> groups_;
  std::uint32_t last_group_ = 0;
  std::deque<Deadline> deadlines_;
  std::uint64_t at_l2_ = 0;  ///< requests of the L1 that wait for a response
  std::unordered_set<std::uint64_t> own_writes_;
  Tick sends_from_ = 0;

  ProcessTimer wake_;
  ResponsePort<> core_port_;
  ResponsePort<> probe_port_;
  RequestPort<UnqueuedOutput<RequestSender>> network_port_;
};

}  // namespace tessera
