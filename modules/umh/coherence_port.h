// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/stall_tracker.h"
#include "modules/kernel/stats.h"
#include "modules/kernel/timed_queue.h"
#include "modules/kernel/waiting.h"
#include "modules/umh/coherence_config.h"
#include "modules/umh/coherence_socket.h"

namespace tessera::umh {

constexpr std::size_t index_of(MessageClass c) { return static_cast<std::size_t>(c); }

/// Messages that have arrived at a block: a queue per class, over all its ports. The item's port is
/// the index of the CoherencePort.
struct CoherenceInbox {
  using Item = std::list<CoherenceMessage>::iterator;
  std::list<CoherenceMessage> messages;  ///< in any order
  std::array<TimedQueue<Item>, kMessageClasses> queues;

  void push(Tick due, std::uint32_t port, CoherenceMessage&& message);
  /// The first message of a class, which must be due.
  CoherenceMessage pop(std::size_t message_class);
  void clear();
};

/// Messages that waited for a credit while their channel was free, by class.
using CreditStalls = std::array<Counter, kMessageClasses>;

/// A sender's credits of one class.
class CoherenceCredits {
 public:
  void reset(std::size_t credits) {
    usable_ = credits;
    returned_.clear();
  }
  void give_back(Tick at) { returned_.push_back(at); }
  /// Counts the credits that are usable at t.
  void advance(Tick t);
  bool any() const { return usable_ != 0; }
  void use() { --usable_; }
  /// When the next credit becomes usable; kNever if none has been returned.
  Tick next() const;

 private:
  std::size_t usable_ = 0;
  std::vector<Tick> returned_;  ///< not usable yet
};

/// A block's end of a coherence connection: the queues of messages to be sent, credits, and the
/// entries of received messages, whose queues are the block's.
///
/// Timing: a free channel sends the oldest message whose class has a credit, at a clock edge. Of
/// messages of the same age, acknowledgements go first, then data, snoops and requests. A message
/// of n bytes occupies the channel for ceil(n / bytes_per_cycle) cycles and arrives at the end of
/// the last one. It is due in the receiver's queue `latency` cycles after the receiver's clock edge
/// at or after its arrival. A credit is usable one cycle after its message has left the queue.
///
/// Messages to be sent belong to transactions of the block, which bound their number.
class CoherencePort final : public CoherenceForwardIf, public CoherenceBackwardIf {
 public:
  /// `index`: of this port in the block's inbox. `latency`: cycles until a message is looked up.
  /// `stalls`: counts, over all ports of the block.
  CoherencePort(const CoherencePortConfig& config, const ClockDomain& clock, ProcessTimer& wake,
                CoherenceInbox& inbox, std::uint32_t index, std::uint64_t latency,
                std::uint32_t mask_granularity, CreditStalls& stalls);

  /// At end_of_elaboration: the peer, and its name for messages.
  void bind(CoherenceIf* peer, std::string peer_name);

  /// Enqueues a message that can be sent from `ready` on.
  void send(CoherenceMessage&& message, Tick ready);
  struct Sent {
    std::size_t message_class = 0;
    std::uint32_t bytes = 0;
  };
  /// Sends what can be sent at this clock edge.
  std::optional<Sent> run(Tick t);
  /// The next edge at which run() has work, as far as it is known; kNever if there is none.
  Tick next(Tick t) const;
  /// A message from this port has left the inbox.
  void release(MessageClass message_class);

  void deliver(CoherenceMessage&& message, Tick at) override;
  void return_credit(MessageClass message_class, Tick at) override;
  std::size_t entries() const override { return config_.entries; }

  bool idle() const;
  /// Messages that cannot be sent yet, by class.
  void describe_waiting(const std::string& block, std::vector<Waiting>& out) const;
  void reset();
  /// f(message) for each message that has not been sent.
  template <class F>
  void for_each_unsent(F f) {
    for (Output& o : outputs_) {
      for (Unsent& u : o.queue) f(u.message);
    }
  }

 private:
  struct Unsent {
    Tick ready = 0;
    CoherenceMessage message;
  };
  struct Output {
    std::deque<Unsent> queue;  ///< in the order of send()
    CoherenceCredits credits;
    StallTracker stalls;
  };
  struct Choice {
    std::size_t message_class = kMessageClasses;
    Tick ready = kNever;
  };
  Choice choose() const;

  const CoherencePortConfig config_;
  const ClockDomain& clock_;
  ProcessTimer& wake_;
  CoherenceInbox& inbox_;
  const std::uint32_t index_;
  const std::uint64_t latency_;
  const std::uint32_t mask_granularity_;
  CreditStalls& stalls_;
  CoherenceIf* peer_ = nullptr;
  std::string peer_name_;
  std::array<Output, kMessageClasses> outputs_;
  Tick free_at_ = 0;
};

}  // namespace tessera::umh
