// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <systemc>
#include <tlm>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/umh/coherence_message.h"
#include "modules/umh/coherence_socket.h"
#include "modules/umh/coherent_cache_block.h"
#include "platforms/timeline/event_trace.h"
#include "platforms/timeline/request_tracer.h"

namespace tessera {

/// What coherence messages do in a coherent hierarchy, whose agents have the numbers of their
/// blocks:
/// * A followed request moves with the messages of its line: with requests and snoops from the
///   agent where it is, and back with the grants and responses to those agents. Of several snoops,
///   the request moves with the first one. It leaves its L1 after its lookup there. Messages for
///   other requests of the line do not move it, unless they pass an agent at which it waits.
/// * A coherence transaction is a slice on the track of the agent that serves it, from the arrival
///   of a request or a write-back to the departure of the grant or the acknowledgement. Every n-th
///   of each agent is recorded.
class CoherenceTracer {
 public:
  CoherenceTracer(EventTrace& trace, const PlatformPlan& plan, RequestTracer& requests)
      : trace_(trace), requests_(requests), lanes_(plan.blocks.size()), counted_(lanes_.size()) {}

  /// A request that is followed has left its SM for an L1.
  void follow(const tlm::tlm_generic_payload& payload, PlannedBlockId l1);
  /// Its response has arrived, or it is not followed.
  void forget(const tlm::tlm_generic_payload& payload) { followed_.erase(&payload); }
  /// A message is sent from a block to the next on its way, where it arrives at `at`.
  void message(const umh::CoherenceMessage& m, PlannedBlockId from, PlannedBlockId to, Tick at);
  /// Follows no request any more.
  void finish() { followed_.clear(); }
  /// The observer of an L1's accesses. At most one call for each L1.
  umh::CoherentAccessObserver& observer(PlannedBlockId l1);

 private:
  struct Followed {
    std::uint64_t line = 0;
    PlannedBlockId block = 0;                     ///< where it is
    Tick arrives = kNever;                        ///< there; in the L1: its lookup
    std::vector<PlannedBlockId> requesters = {};  ///< agents that wait for it, the first is the L1
    PlannedBlockId sender = 0;                    ///< of the message with which it moves
    PlannedBlockId receiver = 0;
  };
  struct Observer final : umh::CoherentAccessObserver {
    Observer(CoherenceTracer& of, PlannedBlockId block) : tracer(of), l1(block) {}
    void on_lookup(const tlm::tlm_generic_payload& payload) override;
    void on_completed(const tlm::tlm_generic_payload& payload,
                      const umh::CoherentOutcome& outcome) override;
    CoherenceTracer& tracer;
    PlannedBlockId l1;
  };
  using Transaction = std::tuple<PlannedBlockId, PlannedBlockId, std::uint64_t, bool>;

  static bool moves(Followed& f, const umh::CoherenceMessage& m, PlannedBlockId from);
  void record(const umh::CoherenceMessage& m, PlannedBlockId from, PlannedBlockId to, Tick at);

  EventTrace& trace_;
  RequestTracer& requests_;
  /// Ordered by address in memory; each is treated alike, so that the order changes no result.
  std::unordered_map<const tlm::tlm_generic_payload*, Followed> followed_;
  std::vector<EventLanes*> lanes_;      ///< by agent, of transactions; null: none yet
  std::vector<std::uint64_t> counted_;  ///< by agent: transactions so far
  /// Begins of transactions, by agent, requester, line, and whether it is a write-back.
  std::map<Transaction, Tick> transactions_;
  std::deque<Observer> observers_;
};

/// Spliced between a child and its parent: forwards all messages, and shows them to the tracer.
class CoherenceRecorder final : public sc_core::sc_module {
 public:
  umh::CoherenceTargetSocket target;        ///< bind the child's side to this
  umh::CoherenceInitiatorSocket initiator;  ///< bind this to the parent's side

  CoherenceRecorder(const sc_core::sc_module_name& name, PlannedBlockId child,
                    PlannedBlockId parent, CoherenceTracer& tracer);

 private:
  /// One direction: the interface that it implements is that of its receiver.
  template <class Interface, class Socket>
  struct Direction final : Interface {
    Direction(Socket& to_socket, PlannedBlockId sender, PlannedBlockId receiver, CoherenceTracer& t)
        : socket(to_socket), from(sender), to(receiver), tracer(t) {}
    void deliver(umh::CoherenceMessage&& message, Tick at) override {
      tracer.message(message, from, to, at);
      socket->deliver(std::move(message), at);
    }
    void return_credit(umh::MessageClass message_class, Tick at) override {
      socket->return_credit(message_class, at);
    }
    std::size_t entries() const override { return socket->entries(); }
    Socket& socket;
    const PlannedBlockId from;
    const PlannedBlockId to;
    CoherenceTracer& tracer;
  };

  Direction<umh::CoherenceForwardIf, umh::CoherenceInitiatorSocket> up_;
  Direction<umh::CoherenceBackwardIf, umh::CoherenceTargetSocket> down_;
};

}  // namespace tessera
