// SPDX-License-Identifier: Apache-2.0
// Which counter each statistic of the networks shows.
#include <catch2/catch.hpp>

#include "modules/noc/crossbar.h"
#include "modules/noc/gpu_fabric.h"
#include "modules/noc/link.h"
#include "tests/support/statistics_table.h"

using namespace tessera;
using namespace tessera::test;

namespace {

void fill(StatisticsTable& table, const NocStats& of, const std::string& direction,
          unsigned exits) {
  NocStats& s = table.fields_of(of);
  const std::string p = direction + "_";
  table.counter(p + "packets", s.packets);
  table.counter(p + "bytes", s.bytes);
  table.counter(p + "flits", s.flits);
  table.counter(p + "buffer_full_cycles", s.buffer_full_cycles);
  table.counter(p + "ingress_wait_cycles", s.ingress_wait_cycles);
  table.histogram(p + "latency", s.latency);
  table.bandwidth(p + "bytes_over_time", s.series);
  table.unregistered(s.window_start);
  table.unregistered(s.segment_bytes);  // rings register it
  // Registered by element.
  table.unregistered(s.egress_bytes);
  table.unregistered(s.egress_busy_cycles);
  REQUIRE(s.egress_bytes.size() == exits);
  REQUIRE(s.egress_busy_cycles.size() == exits);
  for (unsigned i = 0; i < exits; ++i) {
    const std::string egress = p + "egress" + std::to_string(i);
    table.counter(egress + "_bytes", s.egress_bytes[i]);
    table.counter(egress + "_busy_cycles", s.egress_busy_cycles[i]);
  }
}

}  // namespace

TEST_CASE("a crossbar's statistics show both directions' counters, and each egress port's",
          "[statistics]") {
  const Crossbar crossbar("noc", NocConfig{}, 2, 3,
                          {[](const MemoryRequest&) { return 0U; }, nullptr});
  StatisticsTable table;
  fill(table, crossbar.requests(), "request", 3);
  fill(table, crossbar.responses(), "response", 2);
  table.check(crossbar);
}

TEST_CASE("a link's statistics show both directions' counters", "[statistics]") {
  const Link link("link", LinkConfig{});
  StatisticsTable table;
  fill(table, link.requests(), "request", 1);
  fill(table, link.responses(), "response", 1);
  table.check(link);
}

TEST_CASE("the fabric's statistics show the counters of each way and of each link",
          "[statistics]") {
  constexpr unsigned kGpus = 3;
  const GpuFabric fabric("fabric", GpuFabricConfig{}, kGpus);
  StatisticsTable table;
  GpuFabricStats& s = table.fields_of(fabric.stats());
  table.unregistered(s.packets);
  table.unregistered(s.bytes);
  table.unregistered(s.egress_busy);
  table.unregistered(s.ingress_busy);
  table.unregistered(s.window_start);
  table.histogram("packet_latency", s.packet_latency);
  table.bandwidth("bytes_over_time", s.series);
  for (unsigned from = 0; from < kGpus; ++from) {
    const std::string source = std::to_string(from);
    table.counter("egress_busy_" + source, s.egress_busy.at(from));
    table.counter("ingress_busy_" + source, s.ingress_busy.at(from));
    for (unsigned to = 0; to < kGpus; ++to) {
      if (to == from) continue;
      const std::string way = source + "_" + std::to_string(to);
      table.counter("bytes_" + way, s.bytes.at(from * kGpus + to));
      table.counter("packets_" + way, s.packets.at(from * kGpus + to));
    }
  }
  table.check(fabric);
}
