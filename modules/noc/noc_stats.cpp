// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/noc_stats.h"

#include "modules/kernel/statistics_visitor.h"

namespace tessera {

const char* name_of(NocDirection towards) {
  return towards == NocDirection::kRequests ? "request" : "response";
}

void NocStats::reset() {
  const std::size_t exits = egress_bytes.size();
  // Members are assigned in place, because the registry holds pointers to them.
  packets = bytes = flits = buffer_full_cycles = ingress_wait_cycles = segment_bytes = 0;
  for (std::size_t i = 0; i < exits; ++i) egress_bytes[i] = egress_busy_cycles[i] = 0;
  for (Counter& link : link_busy_cycles) link = 0;
  latency = Histogram{};
  series = BandwidthSeries{};
}

void describe(StatisticsVisitor& v, NocStats& s, NocDirection towards) {
  const std::string direction = name_of(towards);
  const std::string p = direction + "_";
  const std::string net = "in the " + direction + " network";
  v.counter(p + "packets", s.packets, "packet", "Packets delivered " + net);
  v.counter(p + "bytes", s.bytes, "byte",
            "Bytes of packets delivered " + net + ", headers included");
  v.counter(p + "flits", s.flits, "flit", "Link cycles of packets delivered " + net);
  v.counter(p + "buffer_full_cycles", s.buffer_full_cycles, "cycle",
            "Cycles, summed over links, that a packet could not leave a switch because "
            "the buffer behind the link was full, " +
                net);
  v.counter(p + "ingress_wait_cycles", s.ingress_wait_cycles, "cycle",
            "Cycles, summed over packets, spent at an ingress port before the first switch had "
            "room, " +
                net);
  v.waits(WaitKind::kQueueFull, {p + "buffer_full_cycles", p + "ingress_wait_cycles"});
  v.histogram(
      p + "latency", s.latency, "cycle",
      "Arrival of a packet's head at the ingress to arrival of its tail at the egress, " + net);
  v.bandwidth(p + "bytes_over_time", s.series, "Bytes delivered over time " + net);
  for (std::size_t i = 0; i < s.egress_bytes.size(); ++i) {
    const std::string egress = p + "egress" + std::to_string(i);
    v.counter(egress + "_bytes", s.egress_bytes[i], "byte",
              "Bytes delivered at egress " + std::to_string(i) + " " + net);
    v.counter(egress + "_busy_cycles", s.egress_busy_cycles[i], "cycle",
              "Cycles that the link to egress " + std::to_string(i) + " was busy " + net);
  }
}

void describe(StatisticsVisitor& v, NocStats& s, RingSegments of) {
  const std::string direction = name_of(of.towards);
  v.counter(direction + "_segment_bytes", s.segment_bytes, "byte",
            "Bytes of packets, once for each segment passed, in the " + direction + " network");
}

void describe(StatisticsVisitor& v, NocStats& s, MeshTraffic of) {
  const std::string direction = name_of(of.towards);
  v.counter(direction + "_hop_bytes", s.segment_bytes, "byte",
            "Bytes of packets, once for each router passed, in the " + direction + " network");
  for (std::uint32_t r = 0; r < of.width * of.height; ++r) {
    const std::uint32_t x = r % of.width;
    const std::uint32_t y = r / of.width;
    const struct {
      const char* side;
      bool exists;
    } links[] = {{"east", x + 1 < of.width},
                 {"west", x > 0},
                 {"south", y + 1 < of.height},
                 {"north", y > 0}};
    for (std::size_t d = 0; d < 4; ++d) {
      if (!links[d].exists) continue;
      const std::string router = "router" + std::to_string(r);
      v.counter(direction + "_" + router + "_" + links[d].side + "_busy_cycles",
                s.link_busy_cycles[r * 4 + d], "cycle",
                "Cycles in which the link to the " + std::string(links[d].side) + " of " + router +
                    " (column " + std::to_string(x) + ", row " + std::to_string(y) +
                    ") carried a flit, in the " + direction + " network");
    }
  }
}

}  // namespace tessera
