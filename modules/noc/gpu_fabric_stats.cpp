// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/gpu_fabric_stats.h"

#include <algorithm>

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

void GpuFabricStats::register_in(StatisticsRegistry& registry, const std::string& module) const {
  const std::size_t gpus = egress_busy.size();
  for (std::size_t from = 0; from < gpus; ++from) {
    const std::string s = std::to_string(from);
    for (std::size_t to = 0; to < gpus; ++to) {
      if (from == to) continue;
      const std::string d = std::to_string(to);
      const std::string way = "from GPU " + s + " to GPU " + d;
      registry.counter(module, "bytes_" + s + "_" + d, bytes[from * gpus + to], "byte",
                       "Bytes " + way + ", headers included");
      registry.counter(module, "packets_" + s + "_" + d, packets[from * gpus + to], "packet",
                       "Packets " + way);
    }
    registry.counter(module, "egress_busy_" + s, egress_busy[from], "cycle",
                     "Cycles that the link from GPU " + s + " to the switch was busy");
    registry.counter(module, "ingress_busy_" + s, ingress_busy[from], "cycle",
                     "Cycles that the link from the switch to GPU " + s + " was busy");
  }
  registry.histogram(module, "packet_latency", packet_latency, "cycle",
                     "From a packet's arrival at its GPU's port to its delivery");
  registry.bandwidth(module, "bytes_over_time", series, "Bytes delivered between GPUs over time");
}

}  // namespace tessera
