// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "modules/kernel/timed_queue.h"
#include "modules/protocol/channels.h"

namespace tessera {

/// The output queue of one channel. It sends one message a cycle at a clock edge; the message
/// arrives one cycle later, when the channel is free. `Sender`: RequestSender, ResponseSender or
/// PostedSender.
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
  void reset() { sender.reset(); }
};

}  // namespace tessera
