// SPDX-License-Identifier: Apache-2.0
// A kind of block of one's own, in the tree: its file, a platform's file and this test. (The plugin
// of the same file is out of the tree: tests/app/install.)
#include <catch2/catch.hpp>
#include <set>
#include <string>

#define TESSERA_IN_TREE
#include "common/error.h"
#include "common/json.h"
#include "docs/guide/examples/plugin/queued_link.cpp"
#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "platforms/topology/shape.h"
#include "platforms/unused_parameters.h"
#include "tests/platforms/child_process.h"
#include "tests/platforms/one_kernel.h"
#include "tests/platforms/workload_runs.h"
#include "tests/support/temporary_file.h"

namespace tessera::own_block_kind_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using Catch::Contains;
using nlohmann::json;

namespace {

/// A platform's file: `base` with blocks of a kind in all links of a class.
class WithLinks {
 public:
  explicit WithLinks(const std::string& base, const std::string& traffic,
                     const json& settings = json::object(), const std::string& kind = "queued_link")
      : file_(json({{"base", base}, {"insert", {{traffic, kind}}}, {"queued_link", settings}})
                  .dump()) {}
  std::string path() const { return file_.path(); }

 private:
  TemporaryFile file_;
};

/// Latency of the only load of a run, in cycles. All clocks are equal, so that no edge is waited
/// for.
std::string lone_load(const std::string& platform) {
  return in_child([&] {
    Simulation simulation(resolve_config(platform, {"dram.clock_hz=1.4GHz"}));
    OneKernel kernel("setp.eq.u32 %p1, %r1, 0; @%p1 ld.global.u32 %r2, [%rd1];\n", {1, 1, 1});
    RunOptions options;
    const RunResult r = simulation.run(kernel, options);
    return r.stats["derived"]["avg_load_latency_cycles"].dump();
  });
}

std::uint64_t sum(const RunResult& r, const std::string& block, const std::string& statistic) {
  std::uint64_t all = 0;
  for (const auto& [name, module] : r.stats["modules"].items()) {
    if (name.find("." + block) == std::string::npos) continue;
    if (module.contains(statistic)) all += module[statistic].get<std::uint64_t>();
  }
  return all;
}

/// Mean wait in the queues between L1s and the network, in cycles of the link. Each of `lines`
/// lanes of a warp loads a line of its own.
std::string mean_wait(const json& settings, unsigned lines) {
  return in_child([&] {
    const WithLinks platform("uba-mem-small", "l1", settings);
    Simulation simulation(resolve_config(platform.path(), {}));
    OneKernel kernel("setp.lt.u32 %p1, %r1, " + std::to_string(lines) +
                         ";\nmul.wide.u32 %rd2, %r1, 128;\nadd.s64 %rd2, %rd1, %rd2;\n"
                         "@%p1 ld.global.u32 %r2, [%rd2];\n",
                     {1, 1, 1});
    const RunResult r = simulation.run(kernel, RunOptions());
    if (r.failure) return *r.failure;
    if (sum(r, "queued_link_", "requests") != lines) return std::string("other requests");
    return r.stats["derived"]["queued_link"]["mean_wait_cycles"].dump();
  });
}

}  // namespace

TEST_CASE("a kind of one's own stands in links: parameters, statistics, energy, a derived figure") {
  const WithLinks platform("uba-mem-small", "memory", {{"pj_per_bit", 2.0}});
  const RunResult r =
      run_workload(platform.path(), "vecadd", ValueMode::kCarried, {}, BuildOptions{true});
  INFO(r.failure.value_or(""));
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(sum(r, "queued_link_", "requests") == sum(r, "dram", "reads") + sum(r, "dram", "writes"));
  const std::uint64_t bytes = sum(r, "queued_link_", "bytes");
  CHECK(bytes == r.stats["derived"]["dram_bytes"]);
  CHECK(r.stats["derived"]["queued_link"]["mean_wait_cycles"] >= 4);
  CHECK(r.stats["dictionary"]["derived"]["queued_link.mean_wait_cycles"]["unit"] == "cycle");
  const auto& energy = r.stats["energy"];
  CHECK(energy["queued_link"]["dynamic_j"].get<double>() ==
        Approx(static_cast<double>(bytes) * 8 * 2e-12));
  double total = 0;
  for (const auto& part : energy) {
    if (part.is_object()) total += part["total_j"].get<double>();
  }
  CHECK(energy["total_j"].get<double>() == Approx(total));
  CHECK(r.stats["config"]["insert"]["memory"] == "queued_link");
  CHECK(r.stats["config"]["queued_link"]["latency_cycles"] == 4);
}

TEST_CASE("a lone load takes twice the latency of a link in its way longer") {
  const double before = std::stod(lone_load("uba-mem-small"));
  CHECK(before > 100);
  for (const unsigned latency : {1U, 20U}) {
    CAPTURE(latency);
    const WithLinks platform("uba-mem-small", "l1", {{"latency_cycles", latency}});
    CHECK(std::stod(lone_load(platform.path())) == before + 2 * (latency + 1));
  }
}

TEST_CASE("a request waits for a link's latency, and a cycle for each request before it") {
  // L1s send a request a cycle, and a link of the same clock forwards one a cycle.
  for (const unsigned lines : {1U, 8U}) CHECK(mean_wait({{"latency_cycles", 20}}, lines) == "20.0");
  // A cycle of the link is 10^4 cycles of the SM. All requests arrive in the first one, and are due
  // at the same edge. They leave one a cycle: the waits are 4 to 11.
  CHECK(mean_wait({{"clock_hz", 140'000}}, 8) == "7.5");
}

TEST_CASE("blocks of a kind of one's own are in each GPU, and have settings of their own") {
  const WithLinks links("dca-small", "memory");
  const std::string platform = links.path();
  const PlatformPlan plan = plan_of(resolve_config(platform, {}).gpu);
  CHECK(plan.of_kind("queued_link").size() == plan.of_kind("dram").size());
  REQUIRE(plan.find("system.gpu3.queued_link_0") != nullptr);
  CHECK(plan.traffic_of(plan.links.back()) == "memory");
  const RunResult r = run_workload(platform, "vecadd", ValueMode::kCarried,
                                   {"system.gpu3.queued_link_0.entries=1"}, BuildOptions{true});
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK_THROWS_WITH(resolve_config(platform, {"system.gpu3.queued_link_0.entrys=1"}),
                    Contains("did you mean 'entries'?"));
}

TEST_CASE("an insert that does not fit is refused") {
  const auto resolved = [](const std::string& traffic, const std::string& kind) {
    const WithLinks platform("uba-mem-small", traffic, json::object(), kind);
    resolve_config(platform.path(), {});
  };
  CHECK_THROWS_WITH(
      resolved("memroy", "queued_link"),
      Contains(".json:1") && Contains("no link of the traffic 'memroy'; did you mean 'memory'?"));
  CHECK_THROWS_WITH(
      resolved("memory", "llc"),
      Contains("blocks of the kind 'llc' do not fit into a link") && Contains("queued_link"));
  CHECK_THROWS_WITH(resolved("memory", "queud_link"), Contains("did you mean 'queued_link'?"));
}

TEST_CASE("parameters of a kind that a platform lacks have no effect") {
  const std::vector<std::string> paths = {"queued_link.entries"};
  const auto unused = unused_parameters(resolve_config("uba-mem-small", {}).gpu, paths);
  REQUIRE(unused.size() == 1);
  CHECK(unused.front().why == "no link has a queue (insert)");
  const WithLinks platform("uba-mem-small", "memory");
  CHECK(unused_parameters(resolve_config(platform.path(), {}).gpu, paths).empty());
}

}  // namespace tessera::own_block_kind_test
