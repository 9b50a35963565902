// SPDX-License-Identifier: Apache-2.0
#include "app/report/waits.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/json.h"

namespace tessera::waits_test {

using namespace tessera::app;
using nlohmann::ordered_json;

namespace {

/// Two L1s, two LLC slices and two channels at one clock, with a number of its own everywhere: 20
/// L1 misses of 100 cycles on average.
ordered_json stats() {
  const auto l1 = [](int mshr) -> ordered_json {
    return {{"miss_latency", {{"count", 10}, {"sum", 1000}}},
            {"miss_queue_wait_cycles", 10},
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
            {"local_lookups", 30},
            {"remote_lookups", 20},
            {"lookup_wait_cycles", mshr == 9 ? 150 : 50},
            {"merge_wait_cycles", 0},
            {"response_wait_cycles", mshr == 9 ? 40 : 80},
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

TEST_CASE("waits are timed beyond what an idle system takes, for an average memory request") {
  const Waits w = waits_of(stats());
  // 20 misses, 14 stores and 6 atomics. The misses take 2000 cycles in all. The requests in the
  // blocks take longer: 20 in the L1s, 100 lookups of 20, 200 and 120 in the LLC, 600 in DRAM.
  CHECK(w.request_time == Approx(2940.0 / 40));
  const Wait& lookup = find(w.all, "LLC", "a lookup's turn");
  CHECK(lookup.kind == WaitKind::kResourceBusy);
  CHECK(lookup.share.part == Approx(200));
  CHECK(lookup.share.whole == Approx(2940));
  CHECK(lookup.share.of == "the requests' time");
  CHECK(*lookup.cycles_per_request == Approx(5));
  CHECK(lookup.amount == "5.00 cycles a request");
  CHECK(lookup.hot.names == std::vector<std::string>{"gpu0.llc0"});
  const Wait& response = find(w.all, "LLC", "the response network");
  CHECK(response.kind == WaitKind::kQueueFull);
  CHECK(response.share.part == Approx(120));
  CHECK(response.hot.names == std::vector<std::string>{"gpu0.llc1"});
  CHECK(find(w.all, "L1", "the request network").share.part == Approx(20));
  // 16 of 20 row accesses are reads: 0.8 of 8 precharges of 10 and of 12 activates of 5.
  CHECK(find(w.all, "DRAM", "row conflict").share.part == Approx(0.8 * 8 * 10));
  CHECK(find(w.all, "DRAM", "to be opened").share.part == Approx(0.8 * 12 * 5));
  // 600 clocks of 16 reads, less 1 + 7 + 2 each, less both of these.
  CHECK(find(w.all, "DRAM", "a bank, the bus").share.part == Approx(600 - 160 - 64 - 48));
}

TEST_CASE("a wait for translation is a part of the requests' time, which includes translation") {
  ordered_json s = stats();
  s["config"]["l2_tlb"] = {{"clock_hz", 5e8}};
  s["config"]["walker"] = {{"clock_hz", 1e9}};
  s["modules"]["system.gpu0.l2_tlb"] = {{"miss_latency", {{"count", 4}, {"sum", 3000}}},
                                        {"hits", 1},
                                        {"misses", 3},
                                        {"merges", 1},
                                        {"stalls_mshr", 2},
                                        {"stalls_output", 0}};
  s["modules"]["system.gpu0.walker"] = {{"queue_wait", {{"count", 3}, {"sum", 700}}}};
  const Waits w = waits_of(s);
  // At half the L1's clock: 3000 cycles are 6000 of the L1's, beside the 2940 of the blocks.
  CHECK(w.request_time == Approx(8940.0 / 40));
  CHECK(find(w.all, "TLB and MMU", "a page walk").share.part == Approx(6000));
  CHECK(find(w.all, "TLB and MMU", "a page walk").share.value() == Approx(6000.0 / 8940));
  CHECK(find(w.all, "TLB and MMU", "a page walk").kind == WaitKind::kTranslation);
  CHECK(find(w.all, "TLB and MMU", "a walker").share.part == Approx(700));
  CHECK(find(w.all, "LLC", "a lookup's turn").share.value() == Approx(200.0 / 8940));
  CHECK(top_wait(w).where ==
        "TLB and MMU, L2 TLB's miss registers: 150 of 224 cycles of a memory request");
}

TEST_CASE("requests that are no loads wait within their own time") {
  ordered_json s = stats();
  for (const char* l1 : {"system.gpu0.l1_0", "system.gpu0.l1_1"}) {
    s["modules"][l1]["miss_latency"] = {{"count", 0}, {"sum", 0}};
  }
  for (const char* slice : {"system.gpu0.llc0", "system.gpu0.llc1"}) {
    s["modules"][slice]["local_lookups"] = s["modules"][slice]["remote_lookups"] = 0;
  }
  s["config"]["noc"] = {{"clock_hz", 1e9}, {"radix", 8}, {"stage_latency", 4}};
  s["modules"]["system.gpu0.noc"] = {{"request_packets", 20},
                                     {"request_flits", 60},
                                     {"request_ingress_wait_cycles", 900},
                                     {"request_latency", {{"count", 20}, {"sum", 1400}}},
                                     {"request_buffer_full_cycles", 0}};
  const Waits w = waits_of(s);
  // 20 cycles in the L1s, 1400 in the network, 320 in the LLC and 600 in DRAM, of 20 stores and
  // atomics.
  CHECK(w.request_time == Approx(2340.0 / 20));
  const Wait& ingress = find(w.all, "NoC request", "room in the first switch");
  CHECK(*ingress.cycles_per_request == Approx(45));
  CHECK(ingress.share.value() == Approx(900.0 / 2340));
  CHECK(ingress.kind == WaitKind::kQueueFull);
}

TEST_CASE("reads wait for rows for at most the time that they wait at all") {
  ordered_json s = stats();
  // Row hits of reads among conflicts of writes: all reads together wait 12 clocks.
  for (const char* channel : {"system.gpu0.dram0", "system.gpu0.dram1"}) {
    s["modules"][channel]["read_latency"] = {{"count", 8}, {"sum", 86}};
    s["modules"][channel]["row_conflicts"] = 400;
  }
  const Waits w = waits_of(s);
  CHECK(find(w.all, "DRAM", "row conflict").share.part == Approx(12));
  CHECK(find(w.nobody, "DRAM", "to be opened").share.part == 0);
  CHECK(find(w.nobody, "DRAM", "a bank, the bus").share.part == 0);
}

TEST_CASE("the rule for shares: a part is within its whole, but for rounding") {
  CHECK(is_within({0, 0, ""}));
  CHECK(is_within({3, 3, ""}));
  CHECK(is_within({0.1 + 0.2, 0.3, ""}));
  CHECK_FALSE(is_within({3.001, 3, ""}));
  CHECK_FALSE(is_within({1, 0, ""}));
  CHECK_FALSE(is_within({-1, 3, ""}));
  CHECK(Share{3, 4, ""}.value() == 0.75);
  CHECK(Share{3, 0, ""}.value() == 0);
}

TEST_CASE("waits are counted over what could have waited, with the hottest blocks") {
  const Waits w = waits_of(stats());
  const Wait& l1 = find(w.all, "L1", "MSHR");
  CHECK(l1.share.value() == Approx(8.0 / 80));
  CHECK(l1.amount == "8 of 80 lookups");
  CHECK(l1.hot.names == std::vector<std::string>{"gpu0.l1_0"});
  CHECK(l1.hot.over_mean == Approx(1.5));
  const Wait& even = find(w.all, "LLC", "space in the queues");
  CHECK(even.share.value() == Approx(2.0 / 100));
  CHECK(even.hot.over_mean == Approx(1));
  CHECK(even.hot.alike == 2);
  CHECK(find(w.all, "LLC", "MSHR").hot.names == std::vector<std::string>{"gpu0.llc0"});
  // The busiest of the channels: 300 of 1000 clocks.
  CHECK(find(w.all, "DRAM", "busiest channel").share.value() == Approx(0.3));
  CHECK(find(w.all, "DRAM", "busiest channel").hot.names == std::vector<std::string>{"gpu0.dram0"});
  CHECK(find(w.all, "DRAM", "busiest channel").hot.over_mean == Approx(1.5));
  CHECK(find(w.all, "DRAM", "busiest channel").share.of == "the time");
  CHECK(find(w.nobody, "L1", "a way that no fill").share.part == 0);
}

TEST_CASE("the longest wait is reported with its commonest reason and hottest block") {
  ordered_json s = stats();
  for (const char* channel : {"system.gpu0.dram0", "system.gpu0.dram1"}) {
    s["modules"][channel]["read_latency"] = {{"count", 8}, {"sum", 80}};
  }
  const TopWait top = top_wait(waits_of(s));
  // 20 + 2320 cycles in the L1s and the LLC, 160 in DRAM, none of them beyond an idle system.
  CHECK(top.where == "LLC, lookups: 5.00 of 62.5 cycles of a memory request");
  CHECK(top.why ==
        "for a miss register (MSHR) or a place in one (10 of 100 lookups); hottest "
        "gpu0.llc0, 1.80 times the average");
  CHECK(*top.kind == WaitKind::kResourceBusy);
  // The kind is that of the reason.
  s["modules"]["system.gpu0.llc0"]["stalls_output"] = 50;
  CHECK(top_wait(waits_of(s)).why.find("for space in the queues of responses") == 0);
  CHECK(*top_wait(waits_of(s)).kind == WaitKind::kQueueFull);
  CHECK(top_wait(waits_of(ordered_json::object())).where.empty());
  CHECK_FALSE(top_wait(waits_of(ordered_json::object())).kind);
}

TEST_CASE("a wait on the way back can be the longest one") {
  ordered_json s = stats();
  s["modules"]["system.gpu0.llc0"]["response_wait_cycles"] = 4000;
  // The stalled lookups of the level are of another queue: they do not explain it.
  const TopWait top = top_wait(waits_of(s));
  CHECK(top.where == "LLC, response queues: 102 of 172 cycles of a memory request");
  CHECK(top.why == "for the response network; hottest gpu0.llc0, 1.96 times the average");
  CHECK(*top.kind == WaitKind::kQueueFull);
  CHECK(to_json(waits_of(s))["top"]["kind"] == "queue full");
  CHECK(to_json(waits_of(s))["all"][0]["kind"] == "resource busy");
}

TEST_CASE("a bus explains a wait if it is busy for at least half of the time") {
  ordered_json s = stats();
  s["modules"]["system.gpu0.dram0"]["read_latency"]["sum"] = 9000;
  CHECK(top_wait(waits_of(s)).why.find("for writes that drained before reads") == 0);
  for (const char* channel : {"system.gpu0.dram0", "system.gpu0.dram1"}) {
    s["modules"][channel]["write_drains"] = 0;
  }
  // Busy for 30 % of the time.
  CHECK(top_wait(waits_of(s)).why.find("for a bank, the bus, or writes that drain") == 0);
  s["modules"]["system.gpu0.dram0"]["bus_busy_clocks"] = 600;
  CHECK(top_wait(waits_of(s)).why ==
        "for the bandwidth of the busiest channel (busy 60.0 % of the time); hottest gpu0.dram0, "
        "1.71 times the average");
}

TEST_CASE("a coherent L1 waits for earlier accesses and for other L1s") {
  ordered_json s = stats();
  s["modules"].erase("system.gpu0.l1_1");
  ordered_json& l1 = s["modules"]["system.gpu0.l1_0"];
  l1["coherent_stores"] = 0;
  l1["merge_cycles"] = 300;
  l1["l1_wait_cycles"] = 20;
  l1["snoop_cycles"] = 44;
  const Waits w = waits_of(s);
  const Wait& earlier = find(w.all, "L1", "an earlier access");
  CHECK(earlier.share.part == Approx(320));
  CHECK(earlier.kind == WaitKind::kOrdering);
  const Wait& snoops = find(w.all, "L2", "other L1s");
  CHECK(snoops.share.part == Approx(44));
  CHECK(snoops.kind == WaitKind::kCoherence);
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
  CHECK(find(w.all, "NoC response", "room in the first switch").share.part == Approx(60));
  const Wait& inside = find(w.all, "NoC response", "a link, or room behind it");
  CHECK(inside.share.part == Approx(160));
  CHECK(inside.kind == WaitKind::kNetworkTransfer);
  // 500 cycles in the network beside 2940 in the L1s, the LLC and DRAM.
  CHECK(inside.share.whole == Approx(3440));
  CHECK(inside.hot.names == std::vector<std::string>{"gpu0.noc.response_egress0"});
  CHECK(find(w.all, "NoC response", "full buffer").share.value() == Approx(0.4));
  // 45 of the 500 cycles that 1000 ns have.
  CHECK(find(w.all, "NoC response", "busiest egress").share.value() == Approx(0.09));
}

}  // namespace tessera::waits_test
