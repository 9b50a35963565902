// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/noc_stats.h"

namespace tessera {

void NocStats::reset(Tick t) {
  const std::size_t exits = exit_bytes.size();
  // Members are assigned in place, because the registry holds pointers to them.
  packets = bytes = flits = buffer_full_cycles = entry_wait_cycles = segment_bytes = 0;
  for (std::size_t i = 0; i < exits; ++i) exit_bytes[i] = exit_busy_cycles[i] = 0;
  latency = Histogram{};
  series = BandwidthSeries{};
  window_start = t;
}

void NocStats::register_in(StatisticsRegistry& registry, const std::string& module,
                           const std::string& direction) const {
  const std::string p = direction + "_";
  const std::string net = "in the " + direction + " network";
  registry.counter(module, p + "packets", packets, "packet", "Packets delivered " + net);
  registry.counter(module, p + "bytes", bytes, "byte",
                   "Bytes of packets delivered " + net + ", headers included");
  registry.counter(module, p + "flits", flits, "flit", "Link cycles of packets delivered " + net);
  registry.counter(module, p + "buffer_full_cycles", buffer_full_cycles, "cycle",
                   "Cycles, summed over links, that a packet could not leave a switch because "
                   "the buffer behind the link was full, " +
                       net);
  registry.counter(module, p + "entry_wait_cycles", entry_wait_cycles, "cycle",
                   "Cycles, summed over packets, spent at an entry before the first switch had "
                   "room, " +
                       net);
  registry.histogram(
      module, p + "latency", latency, "cycle",
      "Arrival of a packet's head at the entry to arrival of its tail at the exit, " + net);
  registry.bandwidth(module, p + "bytes_over_time", series, "Bytes delivered over time " + net);
  for (std::size_t i = 0; i < exit_bytes.size(); ++i) {
    const std::string exit = p + "exit" + std::to_string(i);
    registry.counter(module, exit + "_bytes", exit_bytes[i], "byte",
                     "Bytes delivered at exit " + std::to_string(i) + " " + net);
    registry.counter(module, exit + "_busy_cycles", exit_busy_cycles[i], "cycle",
                     "Cycles that the link to exit " + std::to_string(i) + " was busy " + net);
  }
}

}  // namespace tessera
