// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "modules/kernel/time.h"

namespace tessera {

/// What a run records in a time line (docs/guide/timeline.md).
struct TimelineOptions {
  std::string file;  ///< empty: no time line
  /// Simulated time that is recorded: [from, until).
  Tick from = 0;
  Tick until = kNever;
  /// Of each SM, every n-th request to its L1 is followed; 1 or more.
  std::uint32_t sample = 64;
  /// Between two values of a counter; whole nanoseconds, above 0.
  Tick interval = 1000 * kTicksPerNs;
  /// Called at the run's end if the file is not complete, with the reason. Can be empty.
  std::function<void(const std::string&)> on_incomplete = {};
  /// Called with the run's end if that is before `from`. Can be empty.
  std::function<void(Tick end)> on_empty = {};
};

}  // namespace tessera
