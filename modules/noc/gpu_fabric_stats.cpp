// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/gpu_fabric_stats.h"

#include <algorithm>

#include "modules/core/statistics_visitor.h"

namespace tessera {

void GpuFabricStats::reset(Tick t) {
  // In place, because the registry holds pointers to the counters.
  for (std::vector<Counter>* counters : {&packets, &bytes, &egress_busy, &ingress_busy}) {
    std::fill(counters->begin(), counters->end(), 0);
  }
  packet_latency = Histogram{};
  series = BandwidthSeries{};
  window_start = t;
}

void describe(StatisticsVisitor& v, GpuFabricStats& s) {
  const std::size_t gpus = s.egress_busy.size();
  for (std::size_t from = 0; from < gpus; ++from) {
    const std::string source = std::to_string(from);
    for (std::size_t to = 0; to < gpus; ++to) {
      if (from == to) continue;
      const std::string target = std::to_string(to);
      const std::string way = "from GPU " + source + " to GPU " + target;
      v.counter("bytes_" + source + "_" + target, s.bytes[from * gpus + to], "byte",
                "Bytes " + way + ", headers included");
      v.counter("packets_" + source + "_" + target, s.packets[from * gpus + to], "packet",
                "Packets " + way);
    }
    v.counter("egress_busy_" + source, s.egress_busy[from], "cycle",
              "Cycles that the link from GPU " + source + " to the switch was busy");
    v.counter("ingress_busy_" + source, s.ingress_busy[from], "cycle",
              "Cycles that the link from the switch to GPU " + source + " was busy");
  }
  v.histogram("packet_latency", s.packet_latency, "cycle",
              "From a packet's arrival at its GPU's port to its delivery");
  v.bandwidth("bytes_over_time", s.series, "Bytes delivered between GPUs over time");
}

}  // namespace tessera
