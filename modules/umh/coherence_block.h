// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <systemc>
#include <unordered_map>
#include <utility>
#include <vector>

#include "modules/kernel/block.h"
#include "modules/kernel/process_timer.h"
#include "modules/kernel/stall_tracker.h"
#include "modules/kernel/stats.h"
#include "modules/umh/coherence_config.h"
#include "modules/umh/coherence_port.h"
#include "modules/umh/coherence_site.h"

namespace tessera::umh {

struct CoherenceBlockStats {
  std::array<Counter, kMessageTypes> received{};  ///< messages, by MessageType
  std::array<Counter, kMessageTypes> sent{};
  std::array<Counter, kMessageClasses> bytes_sent{};  ///< by class
  CreditStalls stalls_credit{};
  Counter stalls_transactions = 0;
  Occupancy pending;
};

void describe(StatisticsVisitor& v, CoherenceBlockStats& s);

/// Untimed accesses to a line's bytes in a message. Dirty bytes are in responses to snoops. Those
/// of a write-back are in its sender's write-back buffer, unless a snoop has taken them.
void overlay_message(const CoherenceMessage& m, std::uint64_t line, unsigned char* bytes);
void replace_in_message(CoherenceMessage& m, std::uint64_t line, const unsigned char* bytes,
                        ByteMask mask);

/// What the sc_modules of caches and directories share: their coherence sockets and the lookup of
/// messages. The protocol itself is plain C++ (CoherentCache, Hmd); the sc_module gives it its
/// time.
///
/// Timing: one message a cycle is looked up, `latency_cycles` after the clock edge at or after its
/// arrival, at the earliest. Acknowledgements go first, then data, snoops and requests. Messages
/// that it causes can be sent at the same edge. A request is looked up only while fewer than
/// `transactions` accesses and requests are pending. Messages of other classes never wait for
/// anything but their turn, which the freedom from deadlock needs (docs/systems/umh.md).
class CoherenceBlock : public sc_core::sc_module, public Block, protected CoherenceNetwork {
 public:
  sc_core::sc_vector<CoherenceInitiatorSocket> parents;
  sc_core::sc_vector<CoherenceTargetSocket> children;

  const CoherenceBlockStats& message_stats() const { return messages_; }

  bool idle() const override;
  void describe_waiting(std::vector<Waiting>& out) const override;
  void reset() override;
  void register_statistics(StatisticsRegistry& registry) const override;

 protected:
  CoherenceBlock(const sc_core::sc_module_name& name, const CoherenceTiming& timing,
                 const CoherenceSite& site, std::uint32_t mask_granularity);

  void end_of_elaboration() override;
  void end_of_simulation() override;
  void process();

  // What the protocol and the rest of the block do.
  virtual void handle(const CoherenceMessage& message) = 0;
  /// Accesses and requests that have not been completed.
  virtual std::size_t pending() const = 0;
  /// Whether another request can be looked up.
  virtual bool can_admit() const { return pending() < timing_.transactions; }
  /// Work before and after the lookup of a message at a clock edge.
  virtual void before_lookup(Tick) {}
  virtual void after_lookup(Tick) {}
  /// Next edge at which the block's own work is due; kNever if there is none.
  virtual Tick next_work(Tick) const { return kNever; }
  /// One line of text per pending transaction.
  virtual std::string describe_transactions() const = 0;

  /// CoherenceNetwork: the protocol sends a message. It leaves when it is ready.
  void send(CoherenceMessage message) override { post(std::move(message), now()); }
  /// Enqueues a message at the port of its receiver.
  void post(CoherenceMessage&& message, Tick ready);
  /// f(message) for each message in the block's queues.
  template <class F>
  void for_each_message(F f) {
    for (CoherencePort& p : ports_) p.for_each_unsent(f);
    for (CoherenceMessage& m : inbox_.messages) f(m);
  }
  const CoherenceTiming timing_;
  const CoherenceSite site_;
  const ClockDomain clock_;
  ProcessTimer wake_;

 private:
  CoherencePort& port_of(AgentId agent);
  void look_up(Tick t);
  bool can_look_up(std::size_t message_class) const;
  void schedule_next(Tick t);

  CoherenceInbox inbox_;
  std::deque<CoherencePort> ports_;
  std::unordered_map<std::uint16_t, unsigned> socket_of_;
  Tick lookup_free_at_ = 0;
  StallTracker stall_tracker_;
  CoherenceBlockStats messages_;
};

}  // namespace tessera::umh
