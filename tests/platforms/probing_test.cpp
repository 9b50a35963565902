// SPDX-License-Identifier: Apache-2.0
// Read misses that other cores' L1s serve, on a whole GPU (remote-core paper).
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "platforms/run_result.h"
#include "tests/platforms/gpu_rig.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::probing_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr Address kShared = 1 << 20;
constexpr Address kOwn = 2 << 20;

std::vector<std::string> routed(const std::string& routing) {
  return {"system.miss_routing=" + routing, "miss_routing.ip.coverage=11", "miss_routing.ip.rate=1",
          "miss_routing.rp.rate=1"};
}

/// CTA 0 loads a line. The last CTA loads it when the first one has it, after lines of its own.
/// CTA i runs on SM i.
void run_two(GpuRig& rig, std::uint32_t reader) {
  std::vector<std::vector<ListAccess>> lists(reader + 1);
  lists[0] = {{kShared}};
  for (std::uint32_t n = 0; n < 4; ++n) lists[reader].push_back({kOwn + n * 128});
  lists[reader].push_back({kShared});
  ListKernel kernel(std::move(lists), true);
  rig.run(kernel);
}

}  // namespace

TEST_CASE("a miss is served by the core that holds its line, not by the L2: dp") {
  GpuRig rig("mesh-28-8-small", routed("dp"));
  run_two(rig, 5);
  CHECK(rig.sum("probe", "supplied") == 1);
  CHECK(rig.sum("probe", "leaders") == 1);
  CHECK(rig.sum("probe", "lookups") == 1);
  CHECK(rig.value("probe5", "supplied") == 1);
  CHECK(rig.value("probe0", "lookup_hits") == 1);
  CHECK(rig.sum("probe", "shared") == 1);
  CHECK(rig.sum("probe", "predicted_shared") == 1);
  CHECK(rig.sum("llc", "local_lookups") == 5);
}

TEST_CASE("under perfect probing, a line that another core holds takes no probe") {
  GpuRig rig("mesh-28-8-small", routed("pp"));
  run_two(rig, 5);
  CHECK(rig.sum("probe", "supplied") == 1);
  CHECK(rig.sum("probe", "leaders") == 0);
  CHECK(rig.sum("llc", "local_lookups") == 5);
}

TEST_CASE("IP finds the one core that holds a line, by the leader or by a scout") {
  GpuRig rig("mesh-28-8-small", routed("ip"));
  run_two(rig, 5);
  CHECK(rig.sum("probe", "supplied") == 1);
  // The leader has six cores and the scout five. If a scout finds the line, a second leader fetches
  // it.
  const auto second = rig.sum("probe", "second_level");
  CHECK(rig.sum("probe", "leaders") == 1 + second);
  CHECK(rig.sum("probe", "scouts") == 1);
  CHECK(rig.sum("probe", "lookup_hits") == 1 + second);
  CHECK(rig.sum("llc", "local_lookups") == 5);
}

namespace {

/// The first four of the 16 routers are slices, SM i is at router 4 + i. The network has the
/// engines' clock, so that a message waits for no edge.
constexpr const char* kCoresInRows = "mesh.placement=0,1,2,3";
constexpr const char* kOneClock = "mesh.clock_hz=1400000000";
constexpr std::uint64_t kMiss = 1;    ///< from the miss to the network
constexpr std::uint64_t kSearch = 3;  ///< wait, lookup, and to the network

/// Cycles from the arrival of a head at the mesh to the delivery of the tail: five per router.
std::uint64_t message(std::uint64_t routers, std::uint64_t flits) { return 5 * routers + flits; }

/// Cycles until `reader` has the line that only `holder` holds.
double supply_latency(const std::string& routing, std::uint32_t reader, std::uint32_t holder) {
  std::vector<std::string> sets = routed(routing);
  sets.insert(sets.end(), {"miss_routing.ip.selector=index", "miss_routing.ip.probes=1",
                           kCoresInRows, kOneClock});
  GpuRig rig("mesh-28-8-small", sets);
  std::vector<std::vector<ListAccess>> lists(12);
  lists[holder] = {{kShared}};
  for (std::uint32_t n = 0; n < 4; ++n) lists[reader].push_back({kOwn + n * 128});
  lists[reader].push_back({kShared});
  ListKernel kernel(std::move(lists), true);
  rig.run(kernel);
  const std::string engine = "probe" + std::to_string(reader);
  REQUIRE(rig.value(engine, "supplied") == 1);
  return rig.value(engine, "supply_latency", "sum");
}

}  // namespace

// SM 0 is at router 4, and the line travels as far as the probe.
TEST_CASE("a line of another core takes two messages and a lookup, exact: same row") {
  CHECK(supply_latency("dp", 1, 0) == kMiss + message(2, 1) + kSearch + message(2, 5));
}

TEST_CASE("a line of another core takes two messages and a lookup, exact: next row and column") {
  CHECK(supply_latency("dp", 5, 0) == kMiss + message(3, 1) + kSearch + message(3, 5));
}

TEST_CASE("a line of another core takes two messages and a lookup, exact: opposite corner") {
  CHECK(supply_latency("dp", 11, 0) == kMiss + message(6, 1) + kSearch + message(6, 5));
}

TEST_CASE("a search takes a message and a lookup for each core on its way, exact") {
  // From 6 (router 10) to 0 (4), 1 (5), 2 (6), and the line from 2 to 6.
  CHECK(supply_latency("ip", 6, 2) == kMiss + message(4, 1) + kSearch + message(2, 1) + kSearch +
                                          message(2, 1) + kSearch + message(2, 5));
}

TEST_CASE("a line that no core holds comes from the L2 after the probes have returned: rp") {
  GpuRig rig("mesh-28-8-small", routed("rp"));
  std::vector<std::vector<ListAccess>> lists(1);
  lists[0] = {{kShared}};
  ListKernel kernel(std::move(lists), true);
  rig.run(kernel);
  CHECK(rig.sum("probe", "predicted") == 1);
  CHECK(rig.sum("probe", "shared") == 0);
  CHECK(rig.sum("probe", "predicted_shared") == 0);
  CHECK(rig.sum("probe", "failed") == 1);
  CHECK(rig.sum("probe", "lookups") == 5);  // C
  CHECK(rig.sum("probe", "timeouts") == 0);
  CHECK(rig.sum("llc", "local_lookups") == 1);
}

TEST_CASE("a miss goes to the L2 after the timeout, and its probes come too late: rp") {
  std::vector<std::string> sets = routed("rp");
  sets.emplace_back("probe.timeout_cycles=10");
  GpuRig rig("mesh-28-8-small", sets);
  std::vector<std::vector<ListAccess>> lists(1);
  lists[0] = {{kShared}};
  ListKernel kernel(std::move(lists), true);
  rig.run(kernel);
  CHECK(rig.sum("probe", "timeouts") == 1);
  CHECK(rig.sum("probe", "failed") == 0);
  CHECK(rig.sum("probe", "late") == 2);
  CHECK(rig.sum("llc", "local_lookups") == 1);
}

namespace {

/// Core 5 stores to a line that core 0 holds, and loads it.
void load_own_store(GpuRig& rig) {
  std::vector<std::vector<ListAccess>> lists(6);
  lists[0] = {{kShared}};
  for (std::uint32_t n = 0; n < 4; ++n) lists[5].push_back({kOwn + n * 128});
  lists[5].push_back({kShared, AccessKind::kStore});
  lists[5].push_back({kShared});
  ListKernel kernel(std::move(lists), true);
  rig.run(kernel);
  CHECK(rig.sum("probe", "own_writes") == 1);
}

}  // namespace

TEST_CASE("the line of a core's own store comes from the L2") {
  GpuRig rig("mesh-28-8-small", routed("dp"));
  load_own_store(rig);
  CHECK(rig.sum("probe", "supplied") == 0);
}

// LA-LLC: slices that forward read hits.

namespace {

/// As kCoresInRows: the slices are at routers 0 to 3, SM i is at router 4 + i. kShared's home is
/// slice 0.
const std::vector<std::string> kForwarding = {"system.miss_routing=la-llc", kCoresInRows, kOneClock,
                                              "llc.clock_hz=1400000000", "llc.latency_cycles=100"};
constexpr std::uint64_t kIssue = 1;  ///< from the L1 to its engine
constexpr std::uint64_t kSlice = 100;

/// Core 0 loads a line, and the reader when core 0 has it.
double forwarded_latency(std::uint32_t reader) {
  GpuRig rig("mesh-28-8-small", kForwarding);
  run_two(rig, reader);
  CHECK(rig.value("llc0", "forwarded_hits") == 1);
  CHECK(rig.value("llc0", "returned_loads") == 0);
  CHECK(rig.value("probe0", "lookup_hits") == 1);
  const std::string engine = "probe" + std::to_string(reader);
  REQUIRE(rig.value(engine, "supplied") == 1);
  return rig.value(engine, "supply_latency", "sum");
}

}  // namespace

TEST_CASE("a hit that its slice forwards takes three messages and two lookups, exact: same row") {
  // From 1 (router 5) to slice 0 (router 0), to 0 (router 4), to 1.
  CHECK(forwarded_latency(1) ==
        kIssue + kMiss + message(3, 1) + kSlice + message(2, 1) + kSearch + message(2, 5));
}

TEST_CASE("a hit that its slice forwards takes three messages and two lookups, exact: corner") {
  CHECK(forwarded_latency(11) ==
        kIssue + kMiss + message(7, 1) + kSlice + message(2, 1) + kSearch + message(6, 5));
}

TEST_CASE("a load whose last sharer has lost the line returns to its slice, exact") {
  GpuRig rig("mesh-28-8-small", kForwarding);
  // A translation of the page for SM 1. SM 0 loses the line at the end of its kernel.
  rig.cycles_of({{kShared + 128}}, 1);
  rig.cycles_of({{kShared}}, 0);
  const std::uint64_t returned = rig.cycles_of({{kShared}}, 1);
  CHECK(rig.value("llc0", "forwarded_hits") == 1);
  CHECK(rig.value("llc0", "returned_loads") == 1);
  CHECK(rig.value("probe0", "lookups") == 1);
  CHECK(rig.value("probe0", "lookup_hits") == 0);
  CHECK(rig.value("probe1", "failed") == 1);
  CHECK(rig.value("probe1", "supplied") == 0);
  // SM 1 is the last sharer now: the slice responds to it at once.
  const std::uint64_t direct = rig.cycles_of({{kShared}}, 1);
  CHECK(rig.value("llc0", "forwarded_hits") == 1);
  CHECK(returned - direct == message(2, 1) + kSearch + message(2, 1) + kSlice);
}

namespace {

/// Cores 0, 2 and 5 load a line, one after the other.
void run_three(GpuRig& rig) {
  std::vector<std::vector<ListAccess>> lists(6);
  for (const std::uint32_t core : {0U, 2U, 5U}) {
    for (std::uint32_t n = 0; n < 4 * core; ++n) {
      lists[core].push_back({kOwn + (32 * core + n) * 128});
    }
    lists[core].push_back({kShared});
  }
  ListKernel kernel(std::move(lists), true);
  rig.run(kernel);
  CHECK(rig.value("probe2", "supplied") == 1);
  CHECK(rig.value("probe5", "supplied") == 1);
}

}  // namespace

TEST_CASE("the last sharer is the core that got the line from the slice: sent") {
  GpuRig rig("mesh-28-8-small", kForwarding);
  run_three(rig);
  CHECK(rig.value("probe0", "lookup_hits") == 2);
}

TEST_CASE("the last sharer is the core of the last read, also if it was forwarded: read") {
  std::vector<std::string> sets = kForwarding;
  sets.emplace_back("llc.last_sharer=read");
  GpuRig rig("mesh-28-8-small", sets);
  run_three(rig);
  CHECK(rig.value("probe0", "lookup_hits") == 1);
  CHECK(rig.value("probe2", "lookup_hits") == 1);
}

TEST_CASE("the line of a core's own store is not forwarded") {
  GpuRig rig("mesh-28-8-small", kForwarding);
  load_own_store(rig);
  CHECK(rig.sum("llc", "forwarded_hits") == 0);
}

TEST_CASE("forwarded loads of all cores pass full queues") {
  // One entry in each queue that a forwarded load passes.
  GpuRig rig("mesh-28-8-small",
             {"system.miss_routing=la-llc", "llc.remote_queue_depth=1", "llc.queue_depth=1",
              "llc.response_queue_depth=1", "llc.latency_cycles=2", "llc.clock_hz=1400000000",
              "probe.incoming_depth=1", "probe.reply_depth=1", "l1.miss_queue_depth=1", "l1.sets=1",
              "l1.ways=2", "mesh.vc_flits=1"});
  // All cores load the same lines in two orders, without waiting, and store to some of them.
  constexpr std::uint32_t kLines = 24;
  constexpr std::uint32_t kLoads = 10 * kLines;
  std::vector<std::vector<ListAccess>> lists(12);
  for (std::uint32_t core = 0; core < 12; ++core) {
    for (std::uint32_t n = 0; n < kLoads; ++n) {
      const Address line = kShared + (core % 2 == 0 ? n : kLoads - n) % kLines * 128;
      lists[core].push_back({line});
      if (n % 10 == core % 10) lists[core].push_back({line, AccessKind::kStore});
    }
  }
  ListKernel kernel(std::move(lists), false);
  rig.run(kernel);
  CHECK(rig.sum("llc", "forwarded_hits") > 0);
  CHECK(rig.sum("llc", "forward_queue_full") > 0);
  CHECK(rig.sum("probe", "deflected") > 0);
  CHECK(rig.sum("llc", "forwarded_hits") ==
        rig.sum("probe", "supplied") + rig.sum("llc", "returned_loads"));
}

namespace {

/// Sum of a counter over all blocks of a kind ("system.gpu0.probe3").
std::uint64_t sum_of(const RunResult& r, const std::string& kind, const char* counter) {
  std::uint64_t sum = 0;
  for (const auto& [name, statistics] : r.stats["modules"].items()) {
    const std::size_t at = name.rfind('.') + 1;
    const std::size_t number = name.find_last_not_of("0123456789") + 1;
    if (name.substr(at, number - at) == kind) sum += statistics.value(counter, std::uint64_t{0});
  }
  return sum;
}

/// Settings whose values a seed selects.
struct RandomSettings {
  explicit RandomSettings(unsigned seed) : random(seed) {}

  void operator()(const std::string& name, const std::vector<std::string>& values) {
    sets.push_back(name + "=" + values[random() % values.size()]);
  }
  void buffers() {
    RandomSettings& one_of = *this;
    one_of("noc.kind", {"mesh", "mesh", "crossbar"});
    one_of("mesh.vcs", {"1", "2"});
    one_of("mesh.vc_flits", {"1", "3", "8"});
    one_of("l1.sets", {"2", "32"});
    one_of("l1.mshr_entries", {"2", "32"});
    one_of("l1.reserve_frames", {"true", "false"});
  }

  std::mt19937 random;
  std::vector<std::string> sets;
};

/// Each load gets one response: from its slice or from the last sharer.
void verify_forwarding(const std::string& workload, unsigned seed) {
  RandomSettings one_of(seed);
  one_of("system.miss_routing", {"la-llc"});
  one_of("llc.last_sharer", {"sent", "read"});
  one_of("llc.remote_queue_depth", {"1", "2", "16"});
  one_of("llc.queue_depth", {"1", "16"});
  one_of("llc.response_queue_depth", {"1", "16"});
  one_of("llc.latency_cycles", {"2", "40", "120"});
  one_of("llc.sets", {"2", "128"});
  one_of("llc.mshr_entries", {"2", "32"});
  one_of("probe.incoming_depth", {"1", "2", "8"});
  one_of("probe.reply_depth", {"1", "8"});
  one_of.buffers();
  const RunResult r = verify_carried("mesh-28-8-small", workload, one_of.sets);
  const std::uint64_t forwarded = sum_of(r, "llc", "forwarded_hits");
  const std::uint64_t supplied = sum_of(r, "probe", "supplied");
  CHECK(sum_of(r, "probe", "predicted") == forwarded);
  CHECK(sum_of(r, "llc", "returned_loads") == sum_of(r, "probe", "failed"));
  CHECK(sum_of(r, "probe", "failed") + supplied == forwarded);
  CHECK(sum_of(r, "llc", "reads") - forwarded + supplied ==
        sum_of(r, "l1_", "load_misses") + sum_of(r, "l1_", "bypasses"));
}

}  // namespace

#define TESSERA_FORWARDING(NAME, SEED)                                          \
  TEST_CASE("carried, one response to each forwarded load: " NAME ", " #SEED) { \
    verify_forwarding(NAME, SEED);                                              \
  }
TESSERA_FORWARDING("bfs", 1)
TESSERA_FORWARDING("bfs", 2)
TESSERA_FORWARDING("mm", 3)
TESSERA_FORWARDING("mm", 4)
TESSERA_FORWARDING("kmeans", 5)
TESSERA_FORWARDING("transpose", 6)
TESSERA_FORWARDING("reduction", 7)
TESSERA_FORWARDING("hotspot", 8)
TESSERA_FORWARDING("btree", 9)
TESSERA_FORWARDING("sssp", 10)

TEST_CASE("forwarding within each GPU of a multi-GPU system") {
  const RunResult r = verify_carried("dualopt-small", "mm", {"system.miss_routing=la-llc"});
  CHECK(sum_of(r, "probe", "supplied") > 0);
}

namespace {

/// Any race of leaders, scouts, timeouts and the L2, on any buffers.
void verify_races(const std::string& workload, unsigned seed) {
  RandomSettings one_of(seed);
  one_of("system.miss_routing", {"ip", "rp"});
  for (const std::string policy : {"ip", "rp"}) {
    one_of("miss_routing." + policy + ".coverage", {"1", "3", "7", "11"});
    one_of("miss_routing." + policy + ".probes", {"1", "2", "3", "5"});
    one_of("miss_routing." + policy + ".rate", {"0.3", "0.7", "1"});
    one_of("miss_routing." + policy + ".selector", {"index", "supplier"});
  }
  one_of("probe.timeout_cycles", {"20", "90", "200", "2048"});
  one_of("probe.tracked", {"1", "5", "32"});
  one_of("probe.incoming_depth", {"1", "2", "8"});
  one_of("probe.reply_depth", {"1", "8"});
  one_of.buffers();
  verify_carried("mesh-28-8-small", workload, one_of.sets);
}

}  // namespace

#define TESSERA_RACES(NAME, SEED) \
  TEST_CASE("carried under random races of probes: " NAME ", " #SEED) { verify_races(NAME, SEED); }
TESSERA_RACES("bfs", 1)
TESSERA_RACES("bfs", 2)
TESSERA_RACES("mm", 3)
TESSERA_RACES("mm", 4)
TESSERA_RACES("kmeans", 5)
TESSERA_RACES("transpose", 6)
TESSERA_RACES("reduction", 7)
TESSERA_RACES("hotspot", 8)
TESSERA_RACES("btree", 9)
TESSERA_RACES("sssp", 10)

TEST_CASE("probing within each GPU of a multi-GPU system") {
  verify_carried("dualopt-small", "mm", {"system.miss_routing=rp", "miss_routing.rp.coverage=3"});
}

TEST_CASE("miss routing is refused where L1s have no common network") {
  const auto refusal = [](const std::string& preset) {
    try {
      resolve_config(preset, {"system.miss_routing=rp"});
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(refusal("nuba").find("system.miss_routing (rp) needs one network of all L1s of a GPU") !=
        std::string::npos);
  CHECK(refusal("mcm-uba").find("without modules") != std::string::npos);
  CHECK(refusal("mesh-28-8").empty());
}

TEST_CASE("a run waits for probes that outlive its last kernel by more than the watchdog's time") {
  // Searches of all cores with three probes each fill the request network.
  const RunResult r = run_workload(
      "mesh-28-8", "bfs", {},
      {"system.miss_routing=ip", "miss_routing.ip.coverage=27", "miss_routing.ip.probes=3",
       "miss_routing.ip.rate=1", "system.watchdog_cycles=10000"},
      {});
  INFO(r.failure.value_or(""));
  CHECK_FALSE(r.failure.has_value());
}

}  // namespace tessera::probing_test
