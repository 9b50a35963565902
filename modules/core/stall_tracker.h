// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/stats.h"
#include "modules/core/time.h"

namespace tessera {

/// Counts what waits at the head of a queue for a resource: each item once, for the reason that
/// stood in its way at the first instant, and only if it waited beyond that instant (within one,
/// other processes may still make room: whether they ran before the first try must not count).
/// What waits still, when a run ends, is not counted: the watchdog names it.
class StallTracker {
 public:
  /// The head could not go on now.
  void stall(Counter& reason, Tick now) {
    if (since_ != kNever && since_ != now) return;
    since_ = now;
    reason_ = &reason;
  }
  /// The head has gone on now; another one may stand there.
  void proceed(Tick now) {
    if (since_ != kNever && since_ != now) ++*reason_;
    since_ = kNever;
  }

 private:
  Tick since_ = kNever;
  Counter* reason_ = nullptr;
};

}  // namespace tessera
