// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/core/stats.h"

namespace tessera {

/// Counters of one direction of a network. Packets are counted at their delivery.
struct NocStats {
  explicit NocStats(std::size_t exits) : egress_bytes(exits), egress_busy_cycles(exits) {}

  Counter packets = 0;
  Counter bytes = 0;
  Counter flits = 0;
  std::vector<Counter> egress_bytes;
  std::vector<Counter> egress_busy_cycles;  ///< cycles for which the exit link is reserved
  Counter buffer_full_cycles = 0;   ///< cycles for which a full downstream buffer stalled a link
  Counter ingress_wait_cycles = 0;  ///< cycles for which packets waited for the first switch
  Counter segment_bytes = 0;        ///< rings: bytes of packets, counted once per segment
  Histogram latency;                ///< cycles from the head's arrival to the tail's delivery
  BandwidthSeries series;
  Tick window_start = 0;

  /// Begins a new window at t.
  void reset(Tick t);
};

enum class NocDirection : std::uint8_t { kRequests, kResponses };
/// The prefix of a direction's statistics.
const char* name_of(NocDirection towards);

void describe(StatisticsVisitor& v, NocStats& s, NocDirection towards);
/// The statistics that only rings have.
struct RingSegments {
  NocDirection towards = NocDirection::kRequests;
};
void describe(StatisticsVisitor& v, NocStats& s, RingSegments of);

}  // namespace tessera
