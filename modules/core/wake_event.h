// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "modules/core/time.h"

namespace tessera {

/// The one event of a block's process, armed for the block's earliest work.
///
/// A process begins with `fired()`, does all work due now, and ends by arming itself for the next.
class WakeEvent {
 public:
  explicit WakeEvent(const char* name) : event_(name) {}

  /// Wakes the process at t or earlier. t must not lie in the past; kNever does nothing.
  void at(Tick t) {
    if (t >= armed_) return;
    const Tick current = now();
    sc_assert(t >= current);
    armed_ = t;
    event_.notify(to_sc_time(t - current));
  }

  /// The process has been woken (or runs for another reason).
  void fired() { armed_ = kNever; }

  void cancel() {
    armed_ = kNever;
    event_.cancel();
  }

  Tick armed() const { return armed_; }
  const sc_core::sc_event& event() const { return event_; }

 private:
  sc_core::sc_event event_;
  Tick armed_ = kNever;
};

}  // namespace tessera
