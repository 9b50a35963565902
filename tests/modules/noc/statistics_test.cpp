// SPDX-License-Identifier: Apache-2.0
// Which counter each statistic of the networks shows.
#include <catch2/catch.hpp>

#include "modules/noc/crossbar.h"
#include "modules/noc/gpu_fabric.h"
#include "modules/noc/link.h"
#include "modules/noc/long_link.h"
#include "modules/noc/mesh.h"
#include "tests/support/statistics_table.h"

namespace tessera::statistics_test {

using namespace tessera::test;

namespace {

void fill(StatisticsTable& table, const NocStats& of, const std::string& direction, unsigned exits,
          const std::vector<std::pair<unsigned, std::string>>& links = {}) {
  NocStats& s = table.fields_of(of);
  const std::string p = direction + "_";
  table.counter(p + "packets", s.packets);
  table.counter(p + "bytes", s.bytes);
  table.counter(p + "flits", s.flits);
  table.counter(p + "buffer_full_cycles", s.buffer_full_cycles);
  table.counter(p + "ingress_wait_cycles", s.ingress_wait_cycles);
  table.histogram(p + "latency", s.latency);
  table.bandwidth(p + "bytes_over_time", s.series);
  if (!links.empty()) {
    table.counter(p + "hop_bytes", s.segment_bytes);
  } else {
    table.unregistered(s.segment_bytes);  // rings register it
  }
  // Registered by element.
  table.unregistered(s.link_busy_cycles);
  table.unregistered(s.egress_bytes);
  table.unregistered(s.egress_busy_cycles);
  REQUIRE(s.egress_bytes.size() == exits);
  REQUIRE(s.egress_busy_cycles.size() == exits);
  for (unsigned i = 0; i < exits; ++i) {
    const std::string egress = p + "egress" + std::to_string(i);
    table.counter(egress + "_bytes", s.egress_bytes[i]);
    table.counter(egress + "_busy_cycles", s.egress_busy_cycles[i]);
  }
  for (const auto& [index, name] : links) {
    table.counter(p + name + "_busy_cycles", s.link_busy_cycles.at(index));
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

TEST_CASE("a mesh's statistics show both directions' counters, and each link's", "[statistics]") {
  MeshConfig config;
  config.width = 3;
  config.height = 2;
  const Mesh mesh("noc", config, 4, 2, {[](const MemoryRequest&) { return 0U; }, nullptr});
  StatisticsTable table;
  // [router * 4 + direction]
  const std::vector<std::pair<unsigned, std::string>> links = {
      {0, "router0_east"},   {2, "router0_south"}, {4, "router1_east"},   {5, "router1_west"},
      {6, "router1_south"},  {9, "router2_west"},  {10, "router2_south"}, {12, "router3_east"},
      {15, "router3_north"}, {16, "router4_east"}, {17, "router4_west"},  {19, "router4_north"},
      {21, "router5_west"},  {23, "router5_north"}};
  fill(table, mesh.requests(), "request", 2, links);
  fill(table, mesh.responses(), "response", 4, links);
  table.check(mesh);
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
  Histogram latency;
  BandwidthSeries series;
  for (unsigned g = 0; g < kGpus; ++g) {
    GpuFabricPortStats& s = table.fields_of(fabric.port(g).stats());
    table.unregistered(s.packets);
    table.unregistered(s.bytes);
    const std::string own = std::to_string(g);
    table.counter("egress_busy_" + own, s.egress_busy);
    table.counter("ingress_busy_" + own, s.ingress_busy);
    for (unsigned from = 0; from < kGpus; ++from) {
      if (from == g) continue;
      const std::string way = std::to_string(from) + "_" + own;
      table.counter("bytes_" + way, s.bytes.at(from));
      table.counter("packets_" + way, s.packets.at(from));
    }
    // Registered for all parts together.
    table.unregistered(s.packet_latency);
    table.unregistered(s.series);
    for (Histogram* h : {&s.packet_latency, &latency}) h->add(1000 + g);
    for (BandwidthSeries* b : {&s.series, &series}) b->add(100 + g, now());
  }
  table.shown("packet_latency", {{"count", 3}, {"sum", latency.sum()}, {"max", 1002}});
  table.shown("bytes_over_time", {{"total", series.total()}});
  table.check(fabric);
}

TEST_CASE("a long link's statistics show its counters", "[statistics]") {
  Domain& domain = Domain::under_construction();
  const LongLink link("link", LongLinkConfig{}, domain, domain);
  StatisticsTable table;
  LongLinkStats& s = table.fields_of(link.stats());
  table.counter("requests", s.requests);
  table.counter("responses", s.responses);
  table.histogram("queue_wait", s.queue_wait);
  table.check(link);
}

}  // namespace tessera::statistics_test
