// SPDX-License-Identifier: Apache-2.0
// What a change of structure may not move: the results of five workloads on each preset that is
// quick, bytes carried or not, as one domain and as one domain for each node in the opposite order,
// and with GPUs that run ahead by windows, against golden/PRESET.json. There: cycles, and a hash of
// each other part of stats.json. A change that moves results on purpose writes the files anew
// (TESSERA_GOLDEN=write, below) and says why. (Not bfs, whose CTAs race: with functional values the
// order of processes may decide between them.)
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "app/report/shares.h"
#include "common/json.h"
#include "common/sha256.h"
#include "platforms/gpu_windows.h"
#include "platforms/topology/shape.h"
#include "tests/platforms/golden_cases.h"
#include "tests/platforms/level_sums.h"
#include "tests/platforms/workload_runs.h"

namespace tessera::golden_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using nlohmann::ordered_json;

namespace {

using Settings = std::vector<std::string>;

/// Each share that the report shows is within its whole. (Here, because these are the runs of many
/// workloads on all presets.)
void check_shares(const ordered_json& stats) {
  for (const app::NamedShare& s : app::shares_of(stats)) {
    INFO(s.name << ": " << s.share.part << " of " << s.share.whole << ", " << s.share.of);
    CHECK(app::is_within(s.share));
  }
}

ordered_json results(const std::string& platform, const Settings& sets, const std::string& workload,
                     ValueMode values, const BuildOptions& build) {
  auto stats = ordered_json::parse(document(platform, workload, values, sets, build));
  CHECK(stats.at("verified") == true);
  check_shares(stats);
  const ResolvedConfig config = resolve_config(platform, sets);
  check_level_sums(stats, config);
  // The CPU's accesses and the flush after the last kernel belong to no launch.
  if (!plan_of(config.gpu).has("hmd")) CHECK(nothing_outside(stats));
  // What has been added since the files were written, and is checked otherwise.
  for (ordered_json& kernel : stats.at("kernels")) {
    CHECK(kernel.at("stream").is_null());
    for (const char* key : {"stream", "first_cta_cycle", "levels"}) kernel.erase(key);
  }
  ordered_json r = {{"cycles", stats.at("cycles")}};
  for (const char* part : {"kernels", "modules", "derived", "energy"}) {
    r[part] = sha256(stats.at(part).dump()).substr(0, 16);
  }
  return r;
}

ordered_json results(const std::string& platform, const Settings& sets,
                     const std::string& workload) {
  ordered_json r;
  for (const auto& [name, values] : {std::pair("carried", ValueMode::kCarried),
                                     std::pair("functional", ValueMode::kFunctional)}) {
    r[name] = results(platform, sets, workload, values, {});
    BuildOptions divided;
    divided.domains = NodeLevel::kPartition;
    divided.reverse_processes = true;
    INFO(platform << ", " << workload << ", " << name
                  << ": each node a domain, domains and processes in the opposite order");
    CHECK(results(platform, sets, workload, values, divided) == r[name]);
  }
  const ResolvedConfig config = resolve_config(platform, sets);
  if (why_no_windows(plan_of(config.gpu), config.gpu)) return r;
  for (const DomainWindows& windows :
       {DomainWindows{}, DomainWindows{25'000'000}, DomainWindows{0, 2}}) {
    BuildOptions ahead;
    ahead.windows = windows;
    ahead.reverse_processes = windows.window != 0;
    INFO(platform << ", " << workload << ": GPUs run ahead by " << windows.window << " fs on "
                  << windows.threads << " threads");
    CHECK(results(platform, sets, workload, ValueMode::kCarried, ahead) == r["carried"]);
  }
  return r;
}

/// With TESSERA_GOLDEN=write in the environment, writes what it should compare with, and fails.
/// `name`: of the file, if there are settings.
void check_golden(const std::string& platform, const Settings& sets = {}, std::string name = {}) {
  if (sets.empty()) name = platform;
  const std::string path = TESSERA_SOURCE_DIR "/tests/platforms/golden/" + name + ".json";
  ordered_json now;
  for (const char* workload : {"histogram", "kmeans", "mm", "spmv", "vecadd"}) {
    now[workload] = results(platform, sets, workload);
  }
  const char* mode = std::getenv("TESSERA_GOLDEN");
  if (mode != nullptr && std::string(mode) == "write") {
    std::ofstream(path) << now.dump(1) << '\n';
    FAIL("wrote " << path);
  }
  std::ifstream file(path);
  INFO(path << " (TESSERA_GOLDEN=write makes it)");
  REQUIRE(file);
  CHECK(ordered_json::diff(ordered_json::parse(file), now) == ordered_json::array());
}

}  // namespace

#define TESSERA_GOLDEN(NAME) \
  TEST_CASE("golden: " NAME) { check_golden(NAME); }
TESSERA_FOR_GOLDEN(TESSERA_GOLDEN)

// No preset routes L1 misses to other cores.
TEST_CASE("golden: mesh-28-8-small, miss routing rp") {
  check_golden("mesh-28-8-small", {"system.miss_routing=rp"}, "mesh-28-8-small-rp");
}
TEST_CASE("golden: mesh-28-8-small, miss routing la-llc") {
  check_golden("mesh-28-8-small", {"system.miss_routing=la-llc"}, "mesh-28-8-small-la-llc");
}

}  // namespace tessera::golden_test
