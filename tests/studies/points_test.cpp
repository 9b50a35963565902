// SPDX-License-Identifier: Apache-2.0
#include "studies/points.h"

#include <catch2/catch.hpp>
#include <set>

#include "common/json.h"

namespace tessera::points_test {

using namespace tessera::studies;
using nlohmann::ordered_json;

namespace {

PointIdentity identity() {
  PointIdentity p;
  p.config = nlohmann::ordered_json{{"llc", {{"sets", 48}, {"ways", 16}}}};
  p.suite_workload = "mm";
  p.file_hashes = {"aa", "bb"};
  p.scale = Scale::kSmall;
  p.seed = 1;
  p.values = ValueMode::kFunctional;
  p.model = "cc";
  return p;
}

StudyPlan plan(const RunOptions& options) {
  const Study study = load_study(std::string(TESSERA_SOURCE_DIR) + "/tests/studies/data/tiny");
  return plan_points(study, {0, 1}, options);
}

}  // namespace

TEST_CASE("a point's key changes with everything that its result depends on") {
  std::set<std::string> keys = {point_key(identity())};
  const auto changed = [&keys](auto&& change) {
    PointIdentity p = identity();
    change(p);
    CHECK(keys.insert(point_key(p)).second);
  };
  changed([](PointIdentity& p) { (*p.config)["llc"]["sets"] = 96; });
  changed([](PointIdentity& p) { p.suite_workload = "mn"; });
  changed([](PointIdentity& p) { p.suite_workload = ""; });
  changed([](PointIdentity& p) { p.file_hashes[1] = "bc"; });
  changed([](PointIdentity& p) { p.file_hashes.emplace_back("dd"); });
  changed([](PointIdentity& p) { p.scale = Scale::kMedium; });
  changed([](PointIdentity& p) { p.seed = 2; });
  changed([](PointIdentity& p) { p.values = ValueMode::kCarried; });
  changed([](PointIdentity& p) { p.model = "cd"; });
  CHECK(point_key(identity()).size() == 64);
}

TEST_CASE("a point's key stays when nothing has changed") {
  CHECK(point_key(identity()) == point_key(identity()));
  const StudyPlan a = plan({});
  const StudyPlan b = plan({});
  REQUIRE(a.points.size() == b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) CHECK(a.points[i].key == b.points[i].key);
}

TEST_CASE("a plan has every needed point once, and equal platforms are one run") {
  const StudyPlan p = plan({});
  // VA on base, slow, twin; SX on base, slow (twin only for VA); LBM does not exist.
  CHECK(p.points.size() == 5);
  std::set<std::string> keys;
  for (const StudyPoint& point : p.points) keys.insert(point.key);
  CHECK(keys.size() == 4);
}

TEST_CASE("scale and seed reach the keys of a plan, and a scale has its own settings") {
  RunOptions other;
  other.scale = Scale::kMedium;
  const StudyPlan medium = plan(other);
  RunOptions seeded;
  seeded.seed = 7;
  std::set<std::string> keys;
  for (const StudyPlan& p : {plan({}), medium, plan(seeded)}) {
    for (const StudyPoint& point : p.points) keys.insert(point.key);
  }
  CHECK(keys.size() == 12);
  std::set<ordered_json> latencies;
  for (const auto& [platform, config] : medium.configs) {
    latencies.insert(config.to_json()["llc"]["latency_cycles"]);
  }
  CHECK(latencies == std::set<ordered_json>{120, 601});
}

TEST_CASE("a paper's own sizes belong to its scale") {
  StudyWorkload w{"FWT", "compute intensive", "fwt", true, "n=262144:passes=4"};
  CHECK(w.at(Scale::kPaper) == "fwt:n=262144:passes=4");
  CHECK(w.at(Scale::kMedium) == "fwt");
  w.paper_sizes.clear();
  CHECK(w.at(Scale::kPaper) == "fwt");
}

TEST_CASE("sizes reach a point's identity, also those of a user's manifest") {
  const ResolvedConfig config = resolve_config("uba-mem-small", {});
  const auto identified_by = [&config](const std::string& workload) {
    return identity_of(config, workload, {}, {}).suite_workload;
  };
  CHECK(identified_by("fwt:n=1024") == "fwt:n=1024");
  CHECK(identified_by("my/kernel.json:n=4") == ":n=4");
  CHECK(identified_by("my/kernel.json").empty());
}

TEST_CASE("a parameter that changes nothing on a platform is no part of a point's key") {
  const auto key = [](const std::string& platform, const std::vector<std::string>& sets) {
    return point_key(identity_of(resolve_config(platform, sets), "vecadd", {}, {}));
  };
  const std::vector<std::string> mdr = {"mdr.epoch_cycles=30000"};
  CHECK(key("uba-mem-small", {}) == key("uba-mem-small", mdr));
  CHECK(key("nuba-small", {}) != key("nuba-small", mdr));
  const std::vector<std::string> sets = {"llc.sets=64"};
  CHECK(key("uba-mem-small", {}) != key("uba-mem-small", sets));
  CHECK(key("umh-1-small", {}) == key("umh-1-small", sets));
  CHECK(key("uba-mem-small", {}) != key("nuba-small", {}));
}

TEST_CASE("what is kept of a run is what does not vary and can be read") {
  const ordered_json kept = kept_statistics(
      {{"cycles", 5}, {"modules", {{"a", 1}}}, {"derived", {{"ipc", 2}}}, {"host", 3}});
  CHECK(kept.dump() == R"({"cycles":5,"derived":{"ipc":2}})");
}

}  // namespace tessera::points_test
