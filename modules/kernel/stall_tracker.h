// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/stats.h"
#include "modules/kernel/time.h"

namespace tessera {

/// Counts the stalls of the head of a queue. Each item is counted once, for the reason of its first
/// stall, and only if it is still stalled at a later time: at the time of the first try, processes
/// that run later can still free the resource, and the count must not depend on the process order.
/// Items that are stalled at the end of a run are not counted; the watchdog reports them.
class StallTracker {
 public:
  /// The head stalls now.
  void stall(Counter& reason, Tick now) {
    if (since_ != kNever && since_ != now) return;
    since_ = now;
    reason_ = &reason;
  }
  /// The head proceeds now.
  void proceed(Tick now) {
    if (since_ != kNever && since_ != now) ++*reason_;
    since_ = kNever;
  }

 private:
  Tick since_ = kNever;
  Counter* reason_ = nullptr;
};

}  // namespace tessera
