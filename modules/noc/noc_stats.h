// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "modules/core/stats.h"

namespace tessera {

/// What one direction of a network counts. Packets are counted when they are delivered.
struct NocStats {
  explicit NocStats(std::size_t exits) : exit_bytes(exits), exit_busy_cycles(exits) {}

  Counter packets = 0;
  Counter bytes = 0;
  Counter flits = 0;
  std::vector<Counter> exit_bytes;
  std::vector<Counter> exit_busy_cycles;  ///< cycles that the exit link is reserved
  Counter buffer_full_cycles = 0;  ///< cycles that a link stood still for want of room behind it
  Counter entry_wait_cycles = 0;   ///< cycles that packets waited to get into the first switch
  Counter segment_bytes = 0;       ///< of rings: bytes of packets, once for each segment
  Histogram latency;               ///< cycles from the head's arrival to the tail's delivery
  BandwidthSeries series;
  Tick window_start = 0;

  /// Begins a new window at t.
  void reset(Tick t);
  /// Registers everything as "<direction>_<name>".
  void register_in(StatisticsRegistry& registry, const std::string& module,
                   const std::string& direction) const;
};

}  // namespace tessera
