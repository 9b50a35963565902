// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::compare_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("compare --json has every point and the speedup over the first platform") {
  const ScratchFolder folder;
  const std::string slow = folder.write(
      "slow.json", "{\"base\": \"uba-mem-small\", \"llc\": {\"latency_cycles\": 600}}");
  const CommandResult r = run_tessera(
      {"compare", "uba-mem-small," + slow, "vecadd,saxpy", "--json", "--jobs", "2"}, folder.path());
  CAPTURE(r.error);
  REQUIRE(r.status == 0);
  const json d = r.document();
  REQUIRE(d["points"].size() == 4);
  const json& summary = d["summary"];
  CHECK(summary["baseline"] == "uba-mem-small");
  CHECK(summary["failed"] == 0);
  for (std::size_t i = 0; i < 4; ++i) {
    const json& row = summary["rows"][i];
    CHECK(row["cycles"] == d["points"][i]["cycles"]);
    CHECK(row["verified"] == true);
    if (row["platform"] == "uba-mem-small") {
      CHECK(row["speedup"] == 1.0);
    } else {
      CHECK(row["speedup"] < 1.0);
    }
  }
  CHECK(summary["speedup_harmonic_mean"][slow] < 1.0);
}

TEST_CASE("a point gives the same statistics in compare as in run") {
  const ScratchFolder folder;
  json alone = run_tessera({"run", "uba-mem-small", "mm", "--json"}, folder.path()).document();
  json point = run_tessera({"compare", "uba-mem-small", "mm", "--json"}, folder.path())
                   .document()["points"][0];
  alone.erase("host");
  point.erase("host");
  CHECK(alone == point);
}

TEST_CASE("a point that another command has saved has this command's platform and settings") {
  const ScratchFolder folder;
  folder.write("mine.json", R"({"base": "uba-mem-small"})");
  REQUIRE(run_tessera({"run", "mine.json", "vecadd:n=4096", "--set", "llc.ways=16", "--quiet"},
                      folder.path())
              .status == 0);
  REQUIRE(run_tessera({"compare", "uba-mem-small", "vecadd:n=4096", "--quiet", "--out", "c"},
                      folder.path())
              .status == 0);
  const json d = json::parse(folder.read("c/compare.json"));
  CHECK(run_tessera({"results", "--json"}, folder.path()).document().at("points").size() == 1);
  CHECK(d["points"][0]["platform"] == "uba-mem-small");
  CHECK(d["points"][0]["settings"] == json::object());
}

TEST_CASE("each point of a comparison has a report of its own, also without a run") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "b");
  folder.write("mine.json", R"({"base": "uba-mem-small"})");
  folder.write("b/mine.json", R"({"base": "uba-mem-small", "llc": {"ways": 8}})");
  const std::vector<std::string> command = {
      "compare", "mine.json,b/mine.json", "vecadd:n=4096,vecadd:n=1024", "--quiet", "--out", "c"};
  REQUIRE(run_tessera(command, folder.path()).status == 0);
  const auto points = folder.path() / "c" / "points";
  // Two platforms have the same file name.
  const char* const names[] = {"mine-vecadd_n=4096.html", "mine-vecadd_n=4096-2.html",
                               "mine-vecadd_n=1024.html", "mine-vecadd_n=1024-2.html"};
  std::vector<std::string> before;
  for (const char* name : names) {
    before.push_back(folder.read("c/points/" + std::string(name)));
    CHECK_THAT(folder.read("c/report.html"), Contains("\"points/" + std::string(name) + "\""));
  }
  CHECK_THAT(before[0], Contains("<title>Tessera: vecadd:n=4096 on mine.json</title>"));
  CHECK_THAT(before[1], Contains("<title>Tessera: vecadd:n=4096 on b/mine.json</title>"));
  // The same command again takes all points from the database.
  std::filesystem::remove_all(points);
  const CommandResult again = run_tessera(command, folder.path());
  REQUIRE(again.status == 0);
  for (std::size_t i = 0; i < before.size(); ++i) {
    CHECK(folder.read("c/points/" + std::string(names[i])) == before[i]);
  }
}

TEST_CASE("compare prints a table and writes its three files") {
  const ScratchFolder folder;
  const CommandResult r =
      run_tessera({"compare", "uba-mem-small", "vecadd,saxpy", "--out", "c"}, folder.path());
  CAPTURE(r.error);
  REQUIRE(r.status == 0);
  CHECK_THAT(r.out, Contains("SPEEDUP"));
  CHECK_THAT(r.out, Contains("saxpy"));
  CHECK(json::parse(folder.read("c/compare.json")).at("points").size() == 2);
  CHECK_THAT(folder.read("c/compare.csv"), Contains("uba-mem-small,saxpy,"));
  CHECK_FALSE(folder.read("c/report.html").empty());
}

TEST_CASE("a failing point is reported and the others go on") {
  const ScratchFolder folder;
  // So few cycles that only the failure is measured.
  const std::string stopped = folder.write(
      "stopped.json", "{\"base\": \"uba-mem-small\", \"system\": {\"cycle_limit\": 10}}");
  const CommandResult r =
      run_tessera({"compare", "uba-mem-small," + stopped, "vecadd", "--json"}, folder.path());
  CAPTURE(r.error);
  CHECK(r.status == 1);
  const json rows = r.document()["summary"]["rows"];
  CHECK(rows[0]["error"].is_null());
  CHECK(rows[0]["verified"] == true);
  CHECK(rows[1]["error"].is_string());
  CHECK(rows[1]["speedup"].is_null());
  CHECK_THAT(r.error, Contains("stopped.json"));
}

TEST_CASE("an interrupted comparison keeps what it has and ends with status 1") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera({"compare", "uba-mem", "mm,atax", "--scale", "paper",
                                       "--values", "carried", "--jobs", "1", "--json"},
                                      folder.path(), 2);
  CHECK(r.status == 1);
  const json d = r.document();
  CHECK(d["points"].size() == 2);
  CHECK(d["summary"]["failed"] == 2);
  CHECK_THAT(r.error, Contains("not run: interrupted"));
}

}  // namespace tessera::compare_test
