// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "modules/kernel/stats.h"

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
  Counter segment_bytes = 0;        ///< rings: bytes of packets, counted once per segment;
                                    ///< meshes: once per router
  /// Meshes: [router * 4 + direction (east, west, south, north)] flits on the link.
  std::vector<Counter> link_busy_cycles;
  Histogram latency;  ///< cycles from the head's arrival to the tail's delivery
  BandwidthSeries series;

  void reset();
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
/// The statistics that only meshes have. `width`, `height`: in routers; 0 for a reader that needs
/// no links.
struct MeshTraffic {
  NocDirection towards = NocDirection::kRequests;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
void describe(StatisticsVisitor& v, NocStats& s, MeshTraffic of);

}  // namespace tessera
