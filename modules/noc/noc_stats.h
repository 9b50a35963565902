// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "modules/core/stats.h"

namespace tessera {

/// Counters of one direction of a network. Packets are counted at their delivery.
struct NocStats {
  explicit NocStats(std::size_t exits) : exit_bytes(exits), exit_busy_cycles(exits) {}

  Counter packets = 0;
  Counter bytes = 0;
  Counter flits = 0;
  std::vector<Counter> exit_bytes;
  std::vector<Counter> exit_busy_cycles;  ///< cycles for which the exit link is reserved
  Counter buffer_full_cycles = 0;  ///< cycles for which a full downstream buffer stalled a link
  Counter entry_wait_cycles = 0;   ///< cycles for which packets waited for the first switch
  Counter segment_bytes = 0;       ///< rings: bytes of packets, counted once per segment
  Histogram latency;               ///< cycles from the head's arrival to the tail's delivery
  BandwidthSeries series;
  Tick window_start = 0;

  /// Begins a new window at t.
  void reset(Tick t);
  /// Registers all statistics as "<direction>_<name>".
  void register_in(StatisticsRegistry& registry, const std::string& module,
                   const std::string& direction) const;
};

}  // namespace tessera
