// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "modules/kernel/process_timer.h"

namespace tessera {

/// Wakes an SC_THREAD at a time, in the order of ProcessTimer: threads that are due at the same
/// time resume in the order in which their timers were made, whatever else is due then.
class ThreadTimer {
 public:
  ThreadTimer() { timer_.bind<&ThreadTimer::fire>(*this); }

  /// Wakes the thread at t or earlier, if it waits then. t must not be in the past.
  void at(Tick t) { timer_.at(t); }
  /// For the thread: waits for at(), or for wake().
  void wait() { sc_core::wait(event_); }
  void wait_until(Tick t) {
    while (now() < t) {
      at(t);
      wait();
    }
  }
  /// Wakes the thread in the present time.
  void wake() { event_.notify(sc_core::SC_ZERO_TIME); }

 private:
  void fire() { event_.notify(); }

  ProcessTimer timer_;
  sc_core::sc_event event_;
};

}  // namespace tessera
