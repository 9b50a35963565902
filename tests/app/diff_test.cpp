// SPDX-License-Identifier: Apache-2.0
// `tessera diff` of documents written by hand: what counts as worse, and what is refused.
#include <catch2/catch.hpp>
#include <filesystem>

#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::diff_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

json run_with(const json& derived) {
  return {{"platform", "p"}, {"workload", "w"},    {"config", json::object()},
          {"cycles", 1000},  {"derived", derived}, {"verified", nullptr}};
}

/// `diff A B --fail-above 5%` with `more` options.
CommandResult judged(const json& a, const json& b, const std::vector<std::string>& more = {}) {
  const ScratchFolder folder;
  folder.write("a.json", a.dump());
  folder.write("b.json", b.dump());
  std::vector<std::string> command = {"diff", "a.json", "b.json", "--fail-above", "5%"};
  command.insert(command.end(), more.begin(), more.end());
  return run_tessera(command, folder.path());
}

int status_of(const json& a, const json& b, const std::vector<std::string>& more = {}) {
  return judged(a, b, more).status;
}

}  // namespace

TEST_CASE("diff: a named value that has a better direction fails in the other only, from 0 too") {
  const std::vector<std::string> hit_rate = {"--metric", "llc_hit_rate"};
  const auto hits = [](double x) { return run_with({{"llc_hit_rate", x}}); };
  CHECK(status_of(hits(0.5), hits(0.4), hit_rate) == 1);
  CHECK(status_of(hits(0.5), hits(0.6), hit_rate) == 0);
  CHECK(status_of(hits(0.5), hits(0.49), hit_rate) == 0);
  CHECK(status_of(hits(0), hits(0.6), hit_rate) == 0);
  const std::vector<std::string> page_faults = {"--metric", "page_faults"};
  const auto faults = [](int x) { return run_with({{"page_faults", x}}); };
  CHECK(status_of(faults(0), faults(7), page_faults) == 1);
  CHECK(status_of(faults(7), faults(0), page_faults) == 0);
  const std::vector<std::string> noc_bytes = {"--metric", "noc_bytes"};
  const auto bytes = [](int x) { return run_with({{"noc_bytes", x}}); };
  CHECK(status_of(bytes(100), bytes(110), noc_bytes) == 1);
  CHECK(status_of(bytes(100), bytes(90), noc_bytes) == 1);
  CHECK(status_of(bytes(0), bytes(90), noc_bytes) == 1);
  CHECK(status_of(bytes(100), bytes(104), noc_bytes) == 0);
}

TEST_CASE("diff judges cycles, and other values only if they are named") {
  json before = run_with({{"inter_gpu_bytes", 0}, {"llc_hit_rate", 0.5}});
  json after = run_with({{"inter_gpu_bytes", 64}, {"llc_hit_rate", 0.1}});
  after["cycles"] = 720;  // 28 % faster
  CHECK(status_of(before, after) == 0);
  const CommandResult named = judged(before, after, {"--metric", "inter_gpu_bytes"});
  CHECK(named.status == 1);
  CHECK(named.error ==
        "tessera: run: inter_gpu_bytes went from 0 to 64 (from 0; --fail-above 5.00%)\n");
  const CommandResult two =
      judged(before, after, {"--metric", "inter_gpu_bytes", "--metric", "llc_hit_rate"});
  CHECK_THAT(two.error, Contains("llc_hit_rate went from 0.5 to 0.1 (-80.0 %; "));
  const CommandResult slower = judged(after, before);
  CHECK(slower.status == 1);
  CHECK(slower.error ==
        "tessera: run: cycles went from 720 to 1000 (+38.9 %; --fail-above 5.00%)\n");
}

TEST_CASE("diff judges energy and statistics by their names, and refuses names of no value") {
  const auto run = [](double joules, int misses) {
    json r = run_with({{"llc_hit_rate", 0.5}});
    r["energy"] = {{"total_j", joules}};
    r["modules"] = {{"system.gpu0.llc3", {{"misses", misses}, {"latency", {{"mean", 4}}}}}};
    return r;
  };
  CHECK(status_of(run(1, 10), run(1.2, 20)) == 0);
  CHECK(status_of(run(1, 10), run(1.2, 10), {"--metric", "energy.total_j"}) == 1);
  CHECK(status_of(run(1, 10), run(0.8, 10), {"--metric", "energy.total_j"}) == 0);
  CHECK(status_of(run(1, 10), run(1, 20), {"--metric", "system.gpu0.llc3.misses"}) == 1);
  CHECK(status_of(run(1, 10), run(1, 20), {"--metric", "system.gpu0.llc3.latency.mean"}) == 0);
  const CommandResult unknown = judged(run(1, 1), run(1, 1), {"--metric", "llc_hits_rate"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.error, Contains("--metric: no run has a value 'llc_hits_rate'") &&
                                Contains("did you mean 'llc_hit_rate'?"));
  const ScratchFolder folder;
  folder.write("a.json", run(1, 1).dump());
  const CommandResult alone =
      run_tessera({"diff", "a.json", "a.json", "--metric", "llc_hit_rate"}, folder.path());
  CHECK(alone.status == 2);
  CHECK_THAT(alone.error, Contains("--metric goes with --fail-above"));
  // Before the files are read.
  CHECK_THAT(
      run_tessera({"diff", "no.json", "no.json", "--metric", "llc_hit_rate"}, folder.path()).error,
      Contains("--metric goes with --fail-above"));
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
             Contains("--limit: -1 is outside the range from 0"));
  // A number without a unit can be meant as per cent or as a fraction.
  for (const char* limit : {"2", "0.02", "0", "-1%", "inf%", "nan%", "1e999%", "", "%", "2 x"}) {
    CHECK_THAT(error_of({"a.json", "--fail-above", limit}),
               Contains("--fail-above: '" + std::string(limit) + "' is no percentage") &&
                   Contains("as 2% or 0.5%"));
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

}  // namespace tessera::diff_test
