// SPDX-License-Identifier: Apache-2.0
// What a change of structure may not move: the results of five workloads on each preset that is
// quick, against golden/PRESET.json. There: cycles, and a hash of each other part of stats.json.
// The results are those of two runs that differ in all that may not matter: bytes carried, each
// node a domain of its own, domains and processes in the opposite order; and values from one
// memory, one domain. (Carried values in one domain: the matrix.) Where GPUs may run ahead by
// windows, also those of two runs of this kind. A difference is followed by runs with one change
// each. A change that moves results on purpose writes the files anew (TESSERA_GOLDEN=write, below)
// and says why. (Not bfs, whose CTAs race: with functional values the order of processes may decide
// between them.)
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
#include "tests/platforms/hop_sums.h"
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
  check_hop_sums(stats);
  const ResolvedConfig config = resolve_config(platform, sets);
  check_level_sums(stats, config);
  // The CPU's accesses and the flush after the last kernel belong to no launch.
  if (!plan_of(config.gpu).has("hmd")) CHECK(nothing_outside(stats));
  // What has been added since the files were written, and is checked otherwise.
  for (ordered_json& kernel : stats.at("kernels")) {
    CHECK(kernel.at("stream").is_null());
    for (const char* key : {"stream", "first_cta_cycle", "levels"}) kernel.erase(key);
  }
  if (stats.at("derived").contains("misses_by_home")) {
    Counter misses = 0;
    for (const ordered_json& row : stats.at("derived").at("misses_by_home").at("misses")) {
      for (const Counter n : row) misses += n;
    }
    Counter served = 0;
    for (auto& [name, module] : stats.at("modules").items()) {
      if (name.find(".l1_") == std::string::npos) continue;
      served += module.at("miss_latency").at("count").get<Counter>();
      for (std::size_t n = 0; module.erase("misses_home" + std::to_string(n)) != 0; ++n) {
      }
    }
    CHECK(misses == served);
    stats.at("derived").erase("misses_by_home");
  }
  ordered_json r = {{"cycles", stats.at("cycles")}};
  for (const char* part : {"kernels", "modules", "derived", "energy"}) {
    r[part] = sha256(stats.at(part).dump()).substr(0, 16);
  }
  return r;
}

/// How a run differs from a plain one.
struct Variant {
  std::string what;
  ValueMode values = ValueMode::kFunctional;
  BuildOptions build = {};
};

BuildOptions divided() {
  BuildOptions build;
  build.domains = NodeLevel::kPartition;
  return build;
}

BuildOptions reversed(BuildOptions build = {}) {
  build.reverse_processes = true;
  return build;
}

BuildOptions ahead(const DomainWindows& windows) {
  BuildOptions build;
  build.windows = windows;
  return build;
}

/// The results of a plain run, to which those of all variants must be equal.
ordered_json results(const std::string& platform, const Settings& sets,
                     const std::string& workload) {
  constexpr ValueMode kCarried = ValueMode::kCarried;
  constexpr ValueMode kFunctional = ValueMode::kFunctional;
  const ordered_json plain = results(platform, sets, workload, kFunctional, {});
  const auto equal = [&](const Variant& v) {
    INFO(platform << ", " << workload << ": " << v.what);
    const bool same = results(platform, sets, workload, v.values, v.build) == plain;
    CHECK(same);
    return same;
  };
  if (!equal({"bytes carried, each node a domain, the opposite order", kCarried,
              reversed(divided())})) {
    equal({"bytes carried", kCarried});
    equal({"each node a domain", kFunctional, divided()});
    equal({"the opposite order", kFunctional, reversed()});
  }
  const ResolvedConfig config = resolve_config(platform, sets);
  if (why_no_windows(plan_of(config.gpu), config.gpu)) return plain;
  const DomainWindows whole{};
  const DomainWindows on_two_threads{0, 2};
  const DomainWindows short_ones{25'000'000};
  if (!equal({"GPUs run ahead by whole windows on two threads", kCarried, ahead(on_two_threads)})) {
    equal({"GPUs run ahead by whole windows", kCarried, ahead(whole)});
  }
  if (!equal(
          {"GPUs run ahead by 25 ns, the opposite order", kCarried, reversed(ahead(short_ones))})) {
    equal({"GPUs run ahead by 25 ns", kCarried, ahead(short_ones)});
  }
  return plain;
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
