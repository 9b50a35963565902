// SPDX-License-Identifier: Apache-2.0
// tessera results: the points of earlier commands, filtered and sorted.
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "common/json.h"
#include "common/sha256.h"
#include "tests/app/command.h"

namespace tessera::results_verb_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// Four points: two settings on two platforms.
void run_points(const ScratchFolder& folder) {
  for (const char* sets : {"llc.ways=8", "llc.ways=16"}) {
    REQUIRE(run_tessera(
                {"compare", "uba-mem-small,nuba-small", "vecadd:n=4096", "--set", sets, "--quiet"},
                folder.path())
                .status == 0);
  }
}

json points(const ScratchFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "results");
  arguments.push_back("--json");
  const CommandResult r = run_tessera(arguments, folder.path());
  CAPTURE(r.error);
  REQUIRE(r.status == 0);
  return r.document().at("points");
}

}  // namespace

TEST_CASE("results lists, filters and sorts the points of earlier commands") {
  const ScratchFolder folder;
  run_points(folder);
  CHECK(points(folder, {}).size() == 4);
  CHECK(points(folder, {"--where", "platform=nuba-small"}).size() == 2);
  CHECK(points(folder, {"--where", "platform!=nuba-small", "--where", "llc.ways=8"}).size() == 1);
  // A parameter that nobody set is that of the resolved configuration.
  CHECK(points(folder, {"--where", "system.line_bytes=128"}).size() == 4);
  CHECK(points(folder, {"--where", "llc.ways<16"}).size() == 2);
  CHECK(points(folder, {"--where", "llc.ways>=8"}).size() == 4);
  CHECK(points(folder, {"--where", "llc.ways>8", "--where", "llc.ways<=8"}).empty());
  CHECK(points(folder, {"--where", "verified=true"}).size() == 4);
  const json sorted = points(folder, {"--sort", "cycles", "--columns", "platform,cycles,llc.sets"});
  REQUIRE(sorted.size() == 4);
  for (std::size_t i = 1; i < 4; ++i) CHECK(sorted[i - 1]["cycles"] <= sorted[i]["cycles"]);
  CHECK(sorted[0].size() == 3);
  CHECK(sorted[0].at("llc.sets").is_number());
}

TEST_CASE("results as CSV has a column for each setting, figure and energy") {
  const ScratchFolder folder;
  run_points(folder);
  const CommandResult r = run_tessera({"results", "--csv"}, folder.path());
  REQUIRE(r.status == 0);
  std::istringstream lines(r.out);
  std::string heading;
  std::getline(lines, heading);
  for (const char* column : {"platform,workload,scale,values,seed,window,verified,llc.ways,",
                             ",cycles,", ",derived.ipc,", ",energy.noc.total_j,", ",key"}) {
    CHECK_THAT(heading, Contains(column));
  }
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    CHECK(std::count(line.begin(), line.end(), ',') ==
          std::count(heading.begin(), heading.end(), ','));
  }
  CHECK(rows == 4);
  CHECK_THAT(run_tessera({"results"}, folder.path()).out,
             Contains("llc.ways=16") && Contains("4 points"));
}

TEST_CASE("results refuses unknown names and conditions that are none") {
  const ScratchFolder folder;
  CHECK_THAT(run_tessera({"results"}, folder.path()).out, Contains("0 points"));
  run_points(folder);
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& why) {
    const CommandResult r = run_tessera(arguments, folder.path());
    CHECK(r.status == 2);
    CHECK_THAT(r.error, Contains(why));
  };
  refused({"results", "--where", "platfrom=x"}, "did you mean 'platform'?");
  refused({"results", "--sort", "llc.wyas"}, "did you mean 'llc.ways'?");
  refused({"results", "--columns", "cylces"}, "did you mean 'cycles'?");
  refused({"results", "--where", "cycles"}, "expected NAME=VALUE");
  refused({"results", "--where", "=3"}, "expected NAME=VALUE");
  refused({"results", "--where", "cycles<fast"}, "'fast' in 'cycles<fast' is not a number");
  refused({"results", "--json", "--csv"}, "choose one");
  refused({"results", "--store", "/dev/null/x"}, "cannot be used as a database of results");
}

TEST_CASE("results imports points of old files, lists them, and reports refused files") {
  const ScratchFolder folder;
  const nlohmann::ordered_json stats = {
      {"platform", "uba-mem"}, {"workload", "mm"}, {"config", json::object()}, {"cycles", 12}};
  const std::string key(64, '0');
  std::filesystem::create_directory(folder.path() / "old");
  const nlohmann::ordered_json document = {
      {"key", key}, {"sha256", sha256(stats.dump(2) + "\n")}, {"stats", stats}};
  folder.write("old/" + key + ".json", document.dump());
  const CommandResult r = run_tessera({"results", "--import", "old", "--json"}, folder.path());
  CHECK(r.status == 0);
  CHECK(r.error == "tessera: 1 points imported, 0 there already, 0 files refused\n");
  const json points = r.document().at("points");
  REQUIRE(points.size() == 1);
  CHECK(points[0].at("model") == "unknown");
  CHECK(points[0].at("cycles") == 12);
  folder.write("old/" + std::string(64, '1') + ".json", document.dump());
  const CommandResult second = run_tessera({"results", "--import", "old"}, folder.path());
  CHECK(second.status == 1);
  CHECK_THAT(second.error, Contains("1.json is not the result of a point") &&
                               Contains("0 points imported, 1 there already, 1 files refused"));
  CHECK(run_tessera({"results", "--import", "none"}, folder.path()).status == 2);
}

}  // namespace tessera::results_verb_test
