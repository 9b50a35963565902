// SPDX-License-Identifier: Apache-2.0
// Read misses that other cores' L1s serve, on a whole GPU (remote-core paper).
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/platforms/gpu_rig.h"
#include "tests/platforms/workload_runs.h"

using namespace tessera;        // NOLINT(google-build-using-namespace)
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

TEST_CASE("the line of a core's own store comes from the L2") {
  GpuRig rig("mesh-28-8-small", routed("dp"));
  std::vector<std::vector<ListAccess>> lists(6);
  lists[0] = {{kShared}};
  for (std::uint32_t n = 0; n < 4; ++n) lists[5].push_back({kOwn + n * 128});
  lists[5].push_back({kShared, AccessKind::kStore});
  lists[5].push_back({kShared});
  ListKernel kernel(std::move(lists), true);
  rig.run(kernel);
  CHECK(rig.sum("probe", "own_writes") == 1);
  CHECK(rig.sum("probe", "supplied") == 0);
}

namespace {

/// Any race of leaders, scouts, timeouts and the L2, on any buffers.
void verify_races(const std::string& workload, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> sets;
  const auto one_of = [&](const std::string& name, const std::vector<std::string>& values) {
    sets.push_back(name + "=" + values[random() % values.size()]);
  };
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
  one_of("noc.kind", {"mesh", "mesh", "crossbar"});
  one_of("mesh.vcs", {"1", "2"});
  one_of("mesh.vc_flits", {"1", "3", "8"});
  one_of("l1.sets", {"2", "32"});
  one_of("l1.mshr_entries", {"2", "32"});
  one_of("l1.reserve_frames", {"true", "false"});
  verify_carried("mesh-28-8-small", workload, sets);
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
