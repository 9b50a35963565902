// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "modules/kernel/time.h"

namespace tessera {

/// Keeps simulated time from running ahead of the host's while all cores are idle, so that a
/// machine that waits for a person needs no host time.
class HostPace {
 public:
  using Clock = std::chrono::steady_clock;
  /// Simulated time that may be ahead; also the longest wait.
  static constexpr std::chrono::milliseconds kLead{10};

  /// Host time to wait at simulated time `t`; 0 for none. `idle`: of all cores, since the last
  /// call.
  std::chrono::nanoseconds wait(bool idle, Tick t, Clock::time_point host);

 private:
  Tick since_ = kNever;  ///< kNever: the cores are not idle
  Clock::time_point host_since_;
};

}  // namespace tessera
