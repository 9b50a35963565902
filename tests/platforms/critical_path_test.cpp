// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "common/json.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::critical_path_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using nlohmann::ordered_json;

namespace {

ordered_json run(const std::string& platform, const std::string& workload,
                 const BuildOptions& build = {}) {
  return ordered_json::parse(
      document(platform, workload, ValueMode::kFunctional, {"sm.schedulers=2"}, build));
}

}  // namespace

TEST_CASE("the critical path has all cycles of the kernels, and all slots of these cycles") {
  // The SMs count no cycle 0. In UMH, the second launch is ready between two edges of the SMs,
  // which count from the second edge on.
  struct Case {
    const char* platform;
    std::uint64_t uncounted[2];  // cycles of each part
  };
  for (const auto& [platform, uncounted] :
       {Case{"nuba-small", {1, 0}}, {"dualopt-small", {1, 0}}, {"umh-1-small", {1, 1}}}) {
    CAPTURE(platform);
    const ordered_json stats = run(platform, "kmeans");
    const ordered_json& parts = stats.at("critical_path");
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].at("kernels") == "kmeans_transpose");
    CHECK(parts[1].at("kernels") == "kmeans_assign");
    CHECK(parts[1].at("spans") == 2);
    std::uint64_t cycles = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const ordered_json& part = parts[i];
      const auto own = part.at("cycles").get<std::uint64_t>();
      std::uint64_t slots = 0;
      for (const auto& [use, n] : part.at("issue_slots").items()) slots += n.get<std::uint64_t>();
      CHECK(slots == 2 * (own - uncounted[i]));
      cycles += own;
    }
    CHECK(cycles == stats.at("cycles"));
    for (const char* kernel : {"kmeans_transpose", "kmeans_assign"}) {
      std::uint64_t of_kernel = 0;
      for (const ordered_json& k : stats.at("kernels")) {
        if (k.at("name") == kernel) of_kernel += k.at("cycles").get<std::uint64_t>();
      }
      CHECK(of_kernel == parts[kernel == std::string("kmeans_transpose") ? 0 : 1].at("cycles"));
    }
  }
}

TEST_CASE(
    "the critical path does not depend on the order of processes, and several domains have none") {
  const ordered_json plain = run("mcm-nuba-small", "mm");
  BuildOptions build;
  build.reverse_processes = true;
  CHECK(run("mcm-nuba-small", "mm", build).at("critical_path") == plain.at("critical_path"));
  build.domains = NodeLevel::kPartition;
  CHECK_FALSE(run("mcm-nuba-small", "mm", build).contains("critical_path"));
}

}  // namespace tessera::critical_path_test
