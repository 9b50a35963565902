// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#error "compile with -DSC_INCLUDE_DYNAMIC_PROCESSES (the CMake target SystemC::systemc does)"
#endif
#include <systemc>

#include "modules/core/time.h"

namespace tessera {

/// The one event of a block's process, armed for the block's earliest work.
///
/// A process begins with `fired()`, does all work due now, and ends by arming itself for the next.
class WakeEvent {
 public:
  explicit WakeEvent(const char* name) : event_(name) {}

  /// Makes `process` the SC_METHOD that this event wakes; to be called once, in the constructor of
  /// the block. (By sc_spawn, which SystemC 2.3 and 3 both offer without SC_HAS_PROCESS.)
  template <class F>
  void drives(F process, const char* name = "process") {
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.dont_initialize();
    options.set_sensitivity(&event_);
    sc_core::sc_spawn(process, name, &options);
  }

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
