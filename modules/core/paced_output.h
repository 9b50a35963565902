// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "modules/core/channels.h"
#include "modules/core/timed_queue.h"

namespace tessera {

/// A queue in front of one channel: one message a cycle leaves at a clock edge and arrives one
/// cycle later, when the channel must be free. `Sender` is RequestSender or ResponseSender.
template <class Sender, class Item = tlm::tlm_generic_payload*>
class PacedOutput {
 public:
  Sender sender;
  TimedQueue<Item> queue;

  /// The first edge at or after `t` at which the front may leave; kNever when there is none or the
  /// end of the message before it is awaited.
  Tick next(const ClockDomain& clock, Tick t) const {
    if (queue.empty() || sender.free_at() == kNever) return kNever;
    return next_send_edge(clock, sender, std::max(queue.next_due(), paced_until_), t);
  }

  /// Takes the front, which leaves now (next() == t); returns its item and the delay to annotate.
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

}  // namespace tessera
