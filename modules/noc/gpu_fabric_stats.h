// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "modules/core/stats.h"

namespace tessera {

/// Counters of the fabric between GPUs. A packet is counted when its transfer on the ingress link
/// begins.
struct GpuFabricStats {
  explicit GpuFabricStats(unsigned gpus)
      : packets(gpus * gpus), bytes(gpus * gpus), egress_busy(gpus), ingress_busy(gpus) {}

  std::vector<Counter> packets;  ///< [from * GPUs + to]
  std::vector<Counter> bytes;    ///< with headers
  std::vector<Counter> egress_busy;
  std::vector<Counter> ingress_busy;
  Histogram packet_latency;
  BandwidthSeries series;
  Tick window_start = 0;

  /// Begins a new window at t.
  void reset(Tick t);
};

void describe(StatisticsVisitor& v, GpuFabricStats& s);

}  // namespace tessera
