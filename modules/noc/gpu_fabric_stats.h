// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "modules/kernel/stats.h"

namespace tessera {

/// What one GPU's part of the fabric counts. A packet is counted by its destination's part, when
/// its transfer on the ingress link begins.
struct GpuFabricPortStats {
  explicit GpuFabricPortStats(unsigned gpus) : packets(gpus), bytes(gpus) {}

  std::vector<Counter> packets;  ///< [from]
  std::vector<Counter> bytes;    ///< [from], with headers
  Counter egress_busy = 0;
  Counter ingress_busy = 0;
  Histogram packet_latency;
  BandwidthSeries series;

  void reset();
};

/// Counters of the fabric between GPUs: those of all parts.
struct GpuFabricStats {
  explicit GpuFabricStats(unsigned gpus)
      : packets(gpus * gpus), bytes(gpus * gpus), egress_busy(gpus), ingress_busy(gpus) {}

  std::vector<Counter> packets;  ///< [from * GPUs + to]
  std::vector<Counter> bytes;    ///< with headers
  std::vector<Counter> egress_busy;
  std::vector<Counter> ingress_busy;
  Histogram packet_latency;
  BandwidthSeries series;
};

void describe(StatisticsVisitor& v, GpuFabricStats& s);

/// `parts`: one for each GPU.
GpuFabricStats join(const std::vector<const GpuFabricPortStats*>& parts);

/// Registers the fields of the joined counters. The parts must outlive the registry.
void register_joined(StatisticsRegistry& registry, const std::string& module,
                     const std::vector<const GpuFabricPortStats*>& parts);

}  // namespace tessera
