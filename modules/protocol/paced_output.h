// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/timed_queue.h"
#include "modules/protocol/channels.h"

namespace tessera {

/// The output queue of one channel, which sends as often as the channel is free. A message arrives
/// one cycle after the clock edge at which it is sent. `Sender`: RequestSender, ResponseSender or
/// PostedSender.
template <class Sender, class Item = tlm::tlm_generic_payload*>
class QueuedOutput {
 public:
  Sender sender;
  TimedQueue<Item> queue;

  /// Whether the front can be sent at t and arrive at `arrival`.
  bool ready(Tick t, Tick arrival) const { return queue.due(t) && sender.free(arrival); }

  /// The first edge at or after `t` at which the front can be sent; kNever if the queue is empty or
  /// the END of the previous message is outstanding.
  Tick next(const ClockDomain& clock, Tick t) const {
    return blocked() ? kNever : next_send_edge(clock, sender, queue.next_due(), t);
  }

  /// Wakes the process at next().
  void schedule_next(const ClockDomain& clock, ProcessTimer& wake, Tick t) const {
    if (blocked()) return;
    wake.at(next_send_edge(clock, sender, queue.next_due(), t));
  }

  void reset() {
    sender.reset();
    queue.clear();
  }

 private:
  bool blocked() const { return queue.empty() || sender.free_at() == kNever; }
};

/// The output queue of one channel, which sends one message a cycle at a clock edge; the message
/// arrives one cycle later, when the channel is free. `Sender`: as QueuedOutput.
template <class Sender, class Item = tlm::tlm_generic_payload*>
class PacedOutput {
 public:
  Sender sender;
  TimedQueue<Item> queue;

  /// The first edge at or after `t` at which the front can be sent; kNever if the queue is empty or
  /// the END of the previous message is outstanding.
  Tick next(const ClockDomain& clock, Tick t) const {
    if (queue.empty() || sender.free_at() == kNever) return kNever;
    return next_send_edge(clock, sender, std::max(queue.next_due(), paced_until_), t);
  }

  /// Wakes the process at next().
  void schedule_next(const ClockDomain& clock, ProcessTimer& wake, Tick t) const {
    wake.at(next(clock, t));
  }

  /// Dequeues the front to be sent now (next() == t). Returns the item and the delay to annotate.
  std::pair<Item, Tick> take(const ClockDomain& clock, Tick t) {
    paced_until_ = clock.after(t, 1);
    return {queue.pop(), paced_until_ - t};
  }

  void reset() {
    sender.reset();
    queue.clear();
    paced_until_ = 0;
  }

 private:
  Tick paced_until_ = 0;
};

/// The output of a port whose block makes each message when it can be sent (sender.free()). The
/// block itself must schedule its process after an END.
template <class Sender>
struct UnqueuedOutput {
  Sender sender;

  Tick next(const ClockDomain&, Tick) const { return kNever; }
  void schedule_next(const ClockDomain&, ProcessTimer&, Tick) const {}
  void reset() { sender.reset(); }
};

}  // namespace tessera
