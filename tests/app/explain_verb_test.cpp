// SPDX-License-Identifier: Apache-2.0
// `tessera explain` of a run's folder: its check, and runs that it refuses or remarks on.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::explain_verb_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// vecadd on a small platform whose channels are slow, in out/.
json run_in(const ScratchFolder& folder) {
  const CommandResult r =
      run_tessera({"run", "uba-mem-small", "vecadd", "--set", "dram.bus_bytes_per_clock=16",
                   "--out", "out", "--overwrite", "--quiet"},
                  folder.path());
  REQUIRE(r.status == 0);
  return json::parse(folder.read("out/stats.json"));
}

CommandResult explained(const ScratchFolder& folder, const json& stats,
                        const std::vector<std::string>& more = {}) {
  folder.write("stats.json", stats.dump());
  std::vector<std::string> command = {"explain", "stats.json"};
  command.insert(command.end(), more.begin(), more.end());
  return run_tessera(command, folder.path());
}

}  // namespace

TEST_CASE("explain --check measures each named resource, and its settings replace the run's") {
  const ScratchFolder folder;
  const json stats = run_in(folder);
  const CommandResult r =
      run_tessera({"explain", "out", "--check", "--json", "--quiet"}, folder.path());
  REQUIRE(r.status == 0);
  const json document = json::parse(r.out);
  std::size_t named = 0;
  for (const json& b : document["bottlenecks"]) {
    if (named < 3 && b["saved_share"].get<double>() >= 0.05) ++named;
  }
  REQUIRE(document["check"].size() == named);
  REQUIRE(named >= 1);
  const json& first = document["check"][0];
  CHECK(first["resource"] == "DRAM channels");
  CHECK(first["cycles"] == stats["cycles"]);
  std::vector<std::string> command = {"run",    "uba-mem-small", "vecadd",
                                      "--json", "--quiet",       "--set"};
  for (const json& setting : first["settings"]) {
    if (command.back() != "--set") command.push_back("--set");
    command.push_back(setting.get<std::string>());
  }
  const CommandResult again = run_tessera(command, folder.path());
  REQUIRE(again.status == 0);
  CHECK(first["measured_cycles"] == json::parse(again.out)["cycles"]);
  CHECK(first["measured_share"].get<double>() > 0.3);
}

TEST_CASE("explain --check runs both directions of a network as one experiment") {
  const ScratchFolder folder;
  REQUIRE(run_tessera({"run", "uba-mem-small", "mersennetwister", "--set", "noc.link_bytes=1",
                       "--out", "out", "--quiet"},
                      folder.path())
              .status == 0);
  const json document =
      run_tessera({"explain", "out", "--check", "--json", "--quiet"}, folder.path()).document();
  REQUIRE(document["check"].size() == 1);
  const json& check = document["check"][0];
  CHECK(check["resource"] == "crossbar (responses), crossbar (requests)");
  const double predicted = document["bottlenecks"][0]["saved_share"].get<double>() +
                           document["bottlenecks"][1]["saved_share"].get<double>();
  CHECK(check["predicted_share"].get<double>() == Approx(predicted));
}

TEST_CASE("explain --check of a run that nothing bounds, and of one whose command has changed") {
  const ScratchFolder folder;
  REQUIRE(run_tessera({"run", "uba-mem-small", "mm", "--out", "out", "--quiet"}, folder.path())
              .status == 0);
  const CommandResult nothing = run_tessera({"explain", "out", "--check"}, folder.path());
  CHECK(nothing.status == 0);
  CHECK_THAT(nothing.out, Contains("Nothing to check: no resource is named."));
  json stats = run_in(folder);
  stats["cycles"] = stats["cycles"].get<int>() + 1;
  const CommandResult changed = explained(folder, stats, {"--check", "--quiet"});
  CHECK(changed.status == 2);
  CHECK_THAT(changed.error, Contains("the run's command takes") && Contains("cycles now"));
}

TEST_CASE("explain --check says which named resource no settings remove") {
  const ScratchFolder folder;
  REQUIRE(run_tessera({"run", "zero-copy-2-small", "fir", "--out", "out", "--quiet"}, folder.path())
              .status == 0);
  const std::string out = run_tessera({"explain", "out", "--check"}, folder.path()).out;
  CHECK_THAT(out, Contains("flush of the caches at the ends of kernels: the run would be"));
  CHECK_THAT(out, Contains("Not checked: flush of the caches at the ends of kernels. No settings "
                           "remove it."));
}

TEST_CASE("explain says that a run did not end, and does not check it") {
  const ScratchFolder folder;
  json stats = run_in(folder);
  CHECK_THAT(explained(folder, stats).out, !Contains("what follows is of its first"));
  stats["interrupted"] = true;
  CHECK_THAT(explained(folder, stats).out, Contains("The run was interrupted: what follows is of"));
  const CommandResult checked = explained(folder, stats, {"--check"});
  CHECK(checked.status == 2);
  CHECK_THAT(checked.error, Contains("--check: the run did not end"));
  stats.erase("interrupted");
  stats["failure"] = "out of memory";
  const CommandResult failed = explained(folder, stats, {"--json"});
  CHECK_THAT(json::parse(failed.out)["remark"].get<std::string>(),
             Contains("The run failed (out of memory)"));
  CHECK(explained(folder, stats, {"--check"}).status == 2);
}

TEST_CASE("explain refuses documents of another schema or with other types, with their file") {
  const ScratchFolder folder;
  const json stats = run_in(folder);
  json other = stats;
  other["schema"] = 99;
  CommandResult r = explained(folder, other);
  CHECK(r.status == 2);
  CHECK_THAT(r.error,
             Contains("stats.json has statistics of another schema than this Tessera's 1"));
  other = stats;
  other["modules"] = json::object();
  CHECK_THAT(explained(folder, other).error, Contains("stats.json is not the statistics of a run"));
  other = stats;
  other["cycles"] = 100;
  CHECK_THAT(explained(folder, other).error,
             Contains("the kernels of the critical path have more cycles than the run"));
  other = stats;
  other["critical_path"][0]["issue_slots"] = "many";
  r = explained(folder, other);
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Contains("stats.json is not the statistics of a run: type must be") &&
                          !Contains("json.exception"));
  other = stats;
  other["interrupted"] = "yes";
  CHECK_THAT(explained(folder, other).error, Contains("stats.json is not the statistics of a run"));
  // Of an older Tessera, without the waits by age.
  other = stats;
  for (json& part : other["critical_path"]) part.erase("wait_age_cycles");
  r = explained(folder, other);
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Contains("an older Tessera wrote it"));
}

TEST_CASE("explain of two runs says which work differs, and that equal times are as long") {
  const ScratchFolder folder;
  json stats = run_in(folder);
  const CommandResult same = explained(folder, stats, {"out"});
  REQUIRE(same.status == 0);
  CHECK_THAT(same.out, Contains(": as long."));
  CHECK_THAT(same.out, !Contains("different work"));
  stats["workload"] = "mm";
  stats["scale"] = "medium";
  CHECK_THAT(
      explained(folder, stats, {"out"}).out,
      Contains("The runs did different work: scale medium and small, workload mm and vecadd."));
}

}  // namespace tessera::explain_verb_test
