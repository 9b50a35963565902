// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>

#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::sweep_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kExample = std::string(TESSERA_EXAMPLES_DIR) + "/sweep/llc.json";

/// A sweep of one design and one workload, as text.
std::string one_design(const std::string& parameter, const std::string& value) {
  return R"({"title": "t", "platforms": ["uba-mem-small"], "workloads": ["vecadd:n=4096"],
             "parameters": {")" +
         parameter + R"(": {"values": [)" + value +
         R"(]}}, "objectives": [{"of": "time_ns"}, {"of": "energy.total_j"}]})";
}

}  // namespace

TEST_CASE("the guide's sweep runs, and a second command runs nothing and has an equal document") {
  const ScratchFolder folder;
  const std::vector<std::string> command = {"sweep", kExample, "--jobs", "2"};
  const CommandResult r = run_tessera(command, folder.path());
  CAPTURE(r.error, r.out);
  REQUIRE(r.status == 0);
  // Three designs meet the constraint; the base design runs as well.
  CHECK_THAT(r.out, Contains("8 points: 8 run, 0 kept from earlier, 0 failed") &&
                        Contains("Designs left out: 1 by a constraint, 0 refused") &&
                        Contains("results out/sweep-llc/sweep.json\nreport  "
                                 "out/sweep-llc/report.html\n"));
  CHECK_THAT(folder.read("out/sweep-llc/report.html"),
             Contains("Size and associativity of the LLC"));
  const std::string first = folder.read("out/sweep-llc/sweep.json");
  const json d = json::parse(first);
  REQUIRE(d["designs"].size() == 3);
  CHECK(d["designs"][1]["settings"] == json({{"llc.sets", 16}, {"llc.ways", 16}}));
  CHECK(d["designs"][1]["objectives"]["capacity"].get<double>() == Approx(16 * 16 * 128));
  for (const json& design : d["designs"]) {
    for (const json& run : design["runs"]) CHECK(run["verified"] == true);
  }
  // What a design says is what a run of it says.
  const json run = run_tessera({"run", "uba-mem-small", "vecadd:n=65536", "--json", "--set",
                                "llc.sets=16", "--set", "llc.ways=16"},
                               folder.path())
                       .document();
  CHECK(d["designs"][1]["runs"][0]["cycles"] == run["cycles"]);
  CHECK(d["designs"][1]["runs"][0]["energy"]["total_j"] == run["energy"]["total_j"]);

  const std::string csv = folder.read("out/sweep-llc/sweep.csv");
  CHECK_THAT(csv, Contains("design,platform,llc.sets,llc.ways,workload,verified,cycles,time_ns,"
                           "derived.ipc,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 8);

  const CommandResult again = run_tessera(command, folder.path());
  CHECK(again.status == 0);
  CHECK_THAT(again.out, Contains("8 points: 0 run, 8 kept from earlier, 0 failed"));
  CHECK(folder.read("out/sweep-llc/sweep.json") == first);
  const CommandResult document =
      run_tessera({"sweep", kExample, "--json", "--quiet"}, folder.path());
  CHECK(document.out == first);
  CHECK(document.error.empty());
}

TEST_CASE("a changed sweep runs only its new points") {
  const ScratchFolder folder;
  folder.write("s.json", one_design("llc.ways", "4"));
  CHECK_THAT(run_tessera({"sweep", "s.json"}, folder.path()).out, Contains("1 points: 1 run"));
  folder.write("s.json", one_design("llc.ways", "4, 8"));
  CHECK_THAT(run_tessera({"sweep", "s.json"}, folder.path()).out,
             Contains("2 points: 1 run, 1 kept"));
}

TEST_CASE("a failing run is reported, and the status is 1") {
  const ScratchFolder folder;
  folder.write("s.json", one_design("system.cycle_limit", "10, 0"));
  const CommandResult r = run_tessera({"sweep", "s.json"}, folder.path());
  CAPTURE(r.error);
  CHECK(r.status == 1);
  CHECK_THAT(r.error, Contains("on uba-mem-small with {\"system.cycle_limit\":10}: "));
  CHECK_THAT(r.out, Contains("2 points: 2 run, 0 kept from earlier, 1 failed"));
  const json d = json::parse(folder.read("out/sweep-s/sweep.json"));
  CHECK(d["failed"].size() == 1);
  CHECK(d["front"] == json({1}));
}

TEST_CASE("an interrupted sweep keeps its points and ends with status 1") {
  const ScratchFolder folder;
  folder.write("s.json",
               R"({"title": "t", "platforms": ["uba-mem-small"], "workloads": ["saxpy", "atax"],
                   "scale": "paper", "values": "carried",
                   "parameters": {"llc.ways": {"values": [4]}},
                   "objectives": [{"of": "time_ns"}]})");
  const CommandResult r =
      run_tessera({"sweep", "s.json", "--jobs", "1", "--json"}, folder.path(), 2);
  CHECK(r.status == 1);
  CHECK_THAT(r.error, Contains("interrupted: ") && Contains("goes on from there"));
  CHECK(r.document().at("exit_status") == 1);
  CHECK_FALSE(fs::exists(folder.path() / "out/sweep-s/sweep.json"));
}

TEST_CASE("a sweep does not replace the result of another sweep or of another command") {
  const ScratchFolder folder;
  folder.write("a.json", one_design("llc.ways", "4"));
  folder.write("b.json", one_design("llc.ways", "4"));
  REQUIRE(run_tessera({"sweep", "a.json", "--out", "o"}, folder.path()).status == 0);
  const CommandResult r = run_tessera({"sweep", "b.json", "--out", "o"}, folder.path());
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Contains("o has the result of another sweep (a)") && Contains("--overwrite"));
  CHECK(run_tessera({"sweep", "b.json", "--out", "o", "--overwrite"}, folder.path()).status == 0);
  CHECK(json::parse(folder.read("o/sweep.json"))["sweep"] == "b");
  fs::create_directory(folder.path() / "run");
  folder.write("run/stats.json", "{}");
  const CommandResult other = run_tessera({"sweep", "a.json", "--out", "run"}, folder.path());
  CHECK(other.status == 2);
  CHECK_THAT(other.error, Contains("run has another command's result (stats.json)"));
}

TEST_CASE("bad sweeps are refused before anything is made") {
  const ScratchFolder folder;
  const auto refused = [&folder](const std::vector<std::string>& arguments,
                                 const std::string& part) {
    const CommandResult r = run_tessera(arguments, folder.path());
    CAPTURE(r.error);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK_THAT(r.error, Contains(part));
    CHECK_FALSE(fs::exists(folder.path() / "out"));
  };
  refused({"sweep"}, "FILE.json is missing");
  refused({"sweep", "nothing.json"}, "nothing.json");
  refused({"sweep", kExample, "--scale", "small"}, "--scale");
  refused({"sweep", kExample, "--jobs", "0"}, "--jobs");
  refused({"sweep", kExample, "--overwrite"}, "--overwrite goes with --out");
  folder.write("s.json", one_design("llc.wyas", "4"));
  refused({"sweep", "s.json"}, "/parameters/llc.wyas: ");
  folder.write("s.json", one_design("system.line_bytes", "96"));
  refused({"sweep", "s.json"}, "refused designs: 1 ");
  folder.write("s.json", "{");
  refused({"sweep", "s.json"}, "s.json:1");
}

}  // namespace tessera::sweep_test
