// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ticks as SystemC's times, apart from time.h so that a file that only counts time needs no
// SystemC.

#include <array>
#include <systemc>

#include "modules/kernel/time.h"
#include "modules/kernel/unlikely.h"

namespace tessera {

namespace detail {
/// Cache of to_sc_time(), indexed by a hash of the number of ticks.
using MadeTimes = std::array<sc_core::sc_time, 64>;
inline MadeTimes main_thread_times;
/// The thread's own. A pointer, because a thread_local object with a constructor costs a check at
/// each use.
inline thread_local MadeTimes* made_times = &main_thread_times;
}  // namespace detail

/// Converts ticks to sc_time. Results are cached, because sc_time::from_value() is a call into the
/// SystemC library and nearly every delay is one of a few numbers of clock cycles, plus or minus a
/// tick of rounding.
inline sc_core::sc_time to_sc_time(Tick t) {
  sc_core::sc_time& kept = (*detail::made_times)[t * 0x9e3779b97f4a7c15U >> 58];
  if (unlikely(kept.value() != t)) kept = sc_core::sc_time::from_value(t);
  return kept;
}

}  // namespace tessera
