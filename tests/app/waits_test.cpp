// SPDX-License-Identifier: Apache-2.0
#include "app/report/waits.h"

#include <catch2/catch.hpp>
#include <string>

using namespace tessera::app;
using nlohmann::ordered_json;

namespace {

/// Two L1s, two LLC slices and two channels at one clock, with a number of its own everywhere: 20
/// L1 misses of 100 cycles on average.
ordered_json stats() {
  const auto l1 = [](int mshr) -> ordered_json {
    return {{"miss_latency", {{"count", 10}, {"sum", 1000}}},
            {"llc_cycles", 700},
            {"loads", 30},
            {"stores", 7},
            {"atomics", 3},
            {"stalls_mshr", mshr},
            {"stalls_frames", 0},
            {"stalls_miss_queue", 5}};
  };
  const auto llc = [](int mshr, int output) -> ordered_json {
    return {{"reads", 40},
            {"writes", 8},
            {"atomics", 2},
            {"merges", 0},
            {"stalls_output", output},
            {"stalls_mshr", mshr},
            {"stalls_ways", 0}};
  };
  const auto dram = [](int latency, int busy) -> ordered_json {
    return {{"read_latency", {{"count", 8}, {"sum", latency}}},
            {"row_hits", 4},
            {"row_misses", 2},
            {"row_conflicts", 4},
            {"bus_busy_clocks", busy},
            {"write_drains", 1},
            {"writes", 2}};
  };
  const double clock = 1e9;
  return {{"time_ns", 1000.0},
          {"config",
           {{"l1", {{"clock_hz", clock}}},
            {"llc", {{"clock_hz", clock}, {"latency_cycles", 20}}},
            {"dram",
             {{"clock_hz", clock}, {"t_rp", 10}, {"t_rcd", 5}, {"t_cl", 7}, {"burst_clocks", 2}}}}},
          {"modules",
           {{"system.gpu0.l1_0", l1(6)},
            {"system.gpu0.l1_1", l1(2)},
            {"system.gpu0.llc0", llc(9, 1)},
            {"system.gpu0.llc1", llc(1, 1)},
            {"system.gpu0.dram0", dram(400, 300)},
            {"system.gpu0.dram1", dram(200, 100)}}}};
}

const Wait& find(const std::vector<Wait>& all, const std::string& level,
                 const std::string& resource) {
  for (const Wait& w : all) {
    if (w.level == level && w.resource.find(resource) != std::string::npos) return w;
  }
  throw std::runtime_error("no wait for " + resource);
}

}  // namespace

TEST_CASE("waits are timed beyond what an idle system takes, for an average L1 miss") {
  const Waits w = waits_of(stats());
  CHECK(w.miss_latency == 100);
  // 1400 LLC cycles over 20 misses, less the latency of 20.
  const Wait& llc = find(w.all, "LLC", "a lookup's turn");
  CHECK(*llc.cycles_per_miss == Approx(50));
  CHECK(llc.share == Approx(0.5));
  // 16 of 20 row accesses are reads: 0.8 of 8 precharges of 10 and of 12 activates of 5.
  CHECK(*find(w.all, "DRAM", "row conflict").cycles_per_miss == Approx(0.8 * 8 * 10 / 20));
  CHECK(*find(w.all, "DRAM", "to be opened").cycles_per_miss == Approx(0.8 * 12 * 5 / 20));
  // 600 clocks of 16 reads, less 1 + 7 + 2 each, less both of these.
  CHECK(*find(w.all, "DRAM", "a bank, the bus").cycles_per_miss ==
        Approx((600 - 160 - 64 - 48) / 20.0));
}

TEST_CASE("waits are counted over what could have waited, with the hottest blocks") {
  const Waits w = waits_of(stats());
  const Wait& l1 = find(w.all, "L1", "MSHR");
  CHECK(l1.share == Approx(8.0 / 80));
  CHECK(l1.amount == "8 of 80 stalled lookups");
  CHECK(l1.hot.names == std::vector<std::string>{"gpu0.l1_0"});
  CHECK(l1.hot.over_mean == Approx(1.5));
  const Wait& even = find(w.all, "LLC", "space in the queues");
  CHECK(even.share == Approx(2.0 / 100));
  CHECK(even.hot.over_mean == Approx(1));
  CHECK(even.hot.alike == 2);
  CHECK(find(w.all, "LLC", "MSHR").hot.names == std::vector<std::string>{"gpu0.llc0"});
  // The busiest of the channels: 300 of 1000 clocks.
  CHECK(find(w.all, "DRAM", "busiest channel").share == Approx(0.3));
  CHECK(find(w.all, "DRAM", "busiest channel").hot.names == std::vector<std::string>{"gpu0.dram0"});
  CHECK(find(w.all, "DRAM", "busiest channel").hot.over_mean == Approx(1.5));
  CHECK(find(w.all, "DRAM", "busiest channel").of == "the time");
  CHECK(find(w.nobody, "L1", "a way that no fill").share == 0);
}

TEST_CASE("the longest wait is told with its commonest reason and hottest block") {
  const TopWait top = top_wait(waits_of(stats()));
  CHECK(top.where == "LLC, lookup queues and miss registers: 50.0 of 100 cycles of an L1 miss");
  CHECK(top.why ==
        "for a miss register (MSHR) or a place in one (10 of 100 stalled lookups); hottest "
        "gpu0.llc0, 1.80 times the average");
  CHECK(top_wait(waits_of(ordered_json::object())).where.empty());
}

TEST_CASE("a network's waits are beyond its stages and flits") {
  ordered_json s = stats();
  s["config"]["noc"] = {{"clock_hz", 5e8}, {"radix", 8}, {"stage_latency", 4}};
  s["modules"]["system.gpu0.noc"] = {{"response_packets", 20},
                                     {"response_flits", 60},
                                     {"response_ingress_wait_cycles", 30},
                                     {"response_latency", {{"count", 20}, {"sum", 250}}},
                                     {"response_buffer_full_cycles", 40},
                                     {"response_egress0_busy_cycles", 45},
                                     {"response_egress1_busy_cycles", 15}};
  const Waits w = waits_of(s);
  // At half the L1's clock: 30 and 250 - 20 x 4 - 60 - 30 cycles are twice as many of the L1's.
  CHECK(*find(w.all, "NoC response", "room in the first switch").cycles_per_miss == Approx(3));
  const Wait& inside = find(w.all, "NoC response", "a link, or room behind it");
  CHECK(*inside.cycles_per_miss == Approx(8));
  CHECK(inside.hot.names == std::vector<std::string>{"gpu0.noc.response_egress0"});
  CHECK(find(w.all, "NoC response", "full buffer").share == Approx(0.4));
  // 45 of the 500 cycles that 1000 ns have.
  CHECK(find(w.all, "NoC response", "busiest egress").share == Approx(0.09));
}
