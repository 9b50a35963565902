// SPDX-License-Identifier: Apache-2.0
// `tessera diff` of documents written by hand: what counts as worse, and what is refused.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/app/command.h"

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

json run_with(const json& derived) {
  return {{"platform", "p"}, {"workload", "w"},    {"config", json::object()},
          {"cycles", 1000},  {"derived", derived}, {"verified", nullptr}};
}

/// Exit status of `diff A B --fail-above 5%`.
int status_of(const json& a, const json& b) {
  const ScratchFolder folder;
  folder.write("a.json", a.dump());
  folder.write("b.json", b.dump());
  return run_tessera({"diff", "a.json", "b.json", "--fail-above", "5%"}, folder.path()).status;
}

}  // namespace

TEST_CASE("diff: a value that has a better direction fails in the other only, from 0 too") {
  const auto hits = [](double x) { return run_with({{"llc_hit_rate", x}}); };
  CHECK(status_of(hits(0.5), hits(0.4)) == 1);
  CHECK(status_of(hits(0.5), hits(0.6)) == 0);
  CHECK(status_of(hits(0.5), hits(0.49)) == 0);
  CHECK(status_of(hits(0), hits(0.6)) == 0);
  const auto faults = [](int x) { return run_with({{"page_faults", x}}); };
  CHECK(status_of(faults(0), faults(7)) == 1);
  CHECK(status_of(faults(7), faults(0)) == 0);
  const auto bytes = [](int x) { return run_with({{"noc_bytes", x}}); };
  CHECK(status_of(bytes(100), bytes(110)) == 1);
  CHECK(status_of(bytes(100), bytes(90)) == 1);
  CHECK(status_of(bytes(0), bytes(90)) == 1);
  CHECK(status_of(bytes(100), bytes(104)) == 0);
}

TEST_CASE("diff: a run that did not end as it should is worse, even when it took fewer cycles") {
  json before = run_with({});
  json after = run_with({});
  after["cycles"] = 10;
  CHECK(status_of(before, after) == 0);
  for (const char* key : {"failure", "interrupted", "error"}) {
    after = run_with({});
    after["cycles"] = 10;
    after[key] = "x";
    CHECK(status_of(before, after) == 1);
    CHECK(status_of(after, before) == 1);  // 10 to 1000 cycles
    before["cycles"] = 10;
    CHECK(status_of(after, before) == 0);
    before["cycles"] = 1000;
  }
}

TEST_CASE("diff of comparisons: their runs by workload and platform, from folder and file") {
  const ScratchFolder folder;
  const auto compare = [&](const char* out, const char* workloads) {
    return run_tessera({"compare", "uba-mem-small,nuba-small", workloads, "--quiet", "--out", out},
                       folder.path());
  };
  REQUIRE(compare("a", "vecadd,saxpy").status == 0);
  REQUIRE(compare("b", "vecadd").status == 0);
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{
           {"a", "b"}, {"a/compare.json", "b/compare.json"}}) {
    const json d = run_tessera({"diff", a, b, "--json"}, folder.path()).document();
    CHECK(d.at("only_a") == json({"saxpy on nuba-small", "saxpy on uba-mem-small"}));
    CHECK(d.at("only_b") == json::array());
    REQUIRE(d.at("runs").size() == 2);
    CHECK(d.at("runs").at(0).at("run") == "vecadd on nuba-small");
    CHECK(d.at("runs").at(0).at("statistics") == json::array());
  }
}

TEST_CASE("diff refuses what it cannot read, and limits that say nothing") {
  const ScratchFolder folder;
  folder.write("a.json", run_with({}).dump());
  const auto error_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command = {"diff", "a.json"};
    command.insert(command.end(), more.begin(), more.end());
    const CommandResult r = run_tessera(command, folder.path());
    CHECK(r.status == 2);
    return r.error;
  };
  CHECK_THAT(error_of({"a.json", "--limit", "-1"}),
             Contains("--limit: '-1' is not a whole number"));
  for (const char* limit : {"inf", "nan", "1e999", "", "%", "2 x"}) {
    CHECK_THAT(error_of({"a.json", "--fail-above", limit}), Contains("--fail-above: '"));
  }
  std::filesystem::create_directory(folder.path() / "c");
  CHECK_THAT(error_of({"c"}), Contains("c holds no run"));
  for (const char* points : {"3", "\"x\"", "{\"a\": 1}"}) {
    folder.write("c/compare.json", std::string("{\"points\": ") + points + "}");
    CHECK_THAT(error_of({"c"}), Contains("is not the document of a comparison"));
  }
  folder.write("c/compare.json", R"({"points": [1, {"workload": 3, "cycles": 1}]})");
  CHECK_THAT(error_of({"c"}), Contains("is not the statistics of a run"));
}

TEST_CASE("config of two files: bytes in their names are printed as numbers") {
  const ScratchFolder folder;
  const json config = run_tessera({"config", "uba-mem-small"}, folder.path()).document();
  const std::string name = "a\x1b[31m.json";
  folder.write(name, config.dump());
  const CommandResult r = run_tessera({"config", name, "nuba-small"}, folder.path());
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Contains("a\\x1b[31m.json") && !Contains("\x1b"));
}
