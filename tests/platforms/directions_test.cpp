// SPDX-License-Identifier: Apache-2.0
// Directions that follow from NUBA's architecture, at small scale. Each point runs in a process of
// its own (SystemC elaborates once).

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <string>

#include "common/json.h"
#include "tests/platforms/child_process.h"
#include "tests/platforms/gpu_rig.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::directions_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

using nlohmann::ordered_json;

ordered_json run(const std::string& platform, const std::string& workload,
                 const std::vector<std::string>& sets) {
  return ordered_json::parse(document(platform, workload, ValueMode::kFunctional, sets));
}

double cycles(const std::string& platform, const std::string& workload,
              const std::vector<std::string>& sets) {
  return run(platform, workload, sets)["cycles"].get<double>();
}

/// The hottest slice's share of lookups, relative to an even spread.
double hottest_slice(const ordered_json& stats) {
  double most = 0;
  double sum = 0;
  double slices = 0;
  for (const auto& [name, s] : stats["modules"].items()) {
    if (!s.contains("remote_lookups")) continue;
    const double n = s["local_lookups"].get<double>() + s["remote_lookups"].get<double>();
    most = std::max(most, n);
    sum += n;
    ++slices;
  }
  return most / (sum / slices);
}

/// A child's result.
double number_of_child(const std::function<double()>& work) {
  double number = 0;
  const std::string text = in_child([&] {
    const double response = work();
    return std::string(reinterpret_cast<const char*>(&response), sizeof response);
  });
  REQUIRE(text.size() == sizeof number);
  std::memcpy(&number, text.data(), sizeof number);
  return number;
}

/// Cycles of a kernel in which every SM reads one shared read-only array of `kib` KiB, `passes`
/// times, the SM's warps in turns. nuba-small has 192 KiB of LLC in each of 4 partitions. One warp
/// an SM goes through the array in order, as far as 64 loads in flight let it; many mix.
double shared_read_cycles(const std::string& caching, unsigned kib, unsigned passes,
                          std::size_t warps_per_sm) {
  return number_of_child([&] {
    GpuRig rig("nuba-small",
               {"system.remote_caching=" + caching, "system.page_placement=round-robin",
                "l1.sets=1", "l1.ways=1", "mdr.epoch_cycles=5000",
                // The crossbar gives about half of its links on mixed traffic: so that the network
                // is twice as fast as memory, as in the paper, memory is halved, too.
                "dram.bus_bytes_per_clock=32"},
               {});
    const std::size_t lines = kib * 1024 / 128;
    const std::size_t warps = rig.config().system.sms * warps_per_sm;
    std::vector<std::vector<Address>> lists(warps);
    for (std::size_t w = 0; w < warps; ++w) {
      // The warps of an SM read the array together, in turns.
      for (std::size_t n = w % warps_per_sm; n < lines * passes; n += warps_per_sm) {
        // SMs begin a share of the array and a page apart: in different channels.
        const std::size_t sm = w / warps_per_sm;
        const std::size_t line = (n + sm * (lines / rig.config().system.sms + 32)) % lines;
        lists[w].push_back(Allocations::kBase + line * 128);
      }
    }
    ListKernel kernel(std::move(lists), false, true);
    return static_cast<double>(rig.run(kernel));
  });
}

}  // namespace

TEST_CASE("low-sharing kernels run faster on nuba than on uba-mem with the same NoC") {
  for (const char* workload : {"vecadd", "saxpy", "2dconv"}) {
    INFO(workload);
    const std::vector<std::string> noc = {"noc.link_bytes=4"};
    CHECK(cycles("nuba-small", workload, noc) < cycles("uba-mem-small", workload, noc));
  }
}

TEST_CASE("nuba loses less than uba-mem when NoC bandwidth is halved") {
  for (const char* workload : {"vecadd", "2dconv"}) {
    INFO(workload);
    const auto loss = [&](const char* platform) {
      return cycles(platform, workload, {"noc.link_bytes=4"}) /
             cycles(platform, workload, {"noc.link_bytes=8"});
    };
    const double uba = loss("uba-mem-small");
    CHECK(uba > 1.2);
    CHECK(loss("nuba-small") < uba);
  }
}

TEST_CASE("on a shared-data kernel first-touch makes one channel hot, and LAB does not") {
  // Every SM of bicg reads the whole of one vector; its pages' first touches come from few SMs.
  const ordered_json ft = run("nuba-norep-small", "mm", {"system.page_placement=first-touch"});
  const ordered_json lab = run("nuba-norep-small", "mm", {"system.page_placement=lab"});
  CHECK(lab["derived"]["page_balance"].get<double>() > ft["derived"]["page_balance"].get<double>());
  CHECK(hottest_slice(lab) < hottest_slice(ft));
}

TEST_CASE(
    "full replication helps a small shared footprint, hurts one beyond capacity, MDR follows") {
  // 96 KiB fit into a partition's 192 KiB; 640 KiB fit into all slices together, but not into each
  // partition.
  struct Point {
    double home;
    double full;
    double mdr;
  };
  const auto measure = [](unsigned kib, unsigned passes, std::size_t warps) {
    return Point{shared_read_cycles("home", kib, passes, warps),
                 shared_read_cycles("full-replication", kib, passes, warps),
                 shared_read_cycles("mdr", kib, passes, warps)};
  };
  const Point small = measure(96, 40, 16);
  CHECK(small.full < 0.8 * small.home);
  const Point large = measure(640, 10, 1);
  CHECK(large.full > 1.1 * large.home);
  // MDR starts without replication, and is never far from the better of the two.
  CHECK(small.mdr < 1.05 * small.full);
  CHECK(large.mdr < 1.05 * large.home);
}

}  // namespace tessera::directions_test
