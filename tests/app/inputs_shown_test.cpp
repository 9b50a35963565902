// SPDX-License-Identifier: Apache-2.0
// Settings, scale, seed and values stand beside the results, wherever these are shown.
#include <catch2/catch.hpp>
#include <filesystem>

#include "common/json.h"
#include "common/text.h"
#include "tests/app/command.h"

namespace tessera::inputs_shown_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using nlohmann::json;

TEST_CASE(
    "a run shows its inputs in summary, files and report, and keeps them in its folder's name") {
  const ScratchFolder folder;
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> command = {"run", "uba-mem-small", "vecadd", "--quiet"};
    command.insert(command.end(), more.begin(), more.end());
    const CommandResult r = run_tessera(command, folder.path());
    CAPTURE(r.error);
    REQUIRE(r.status == 0);
    return r.out;
  };
  CHECK_THAT(run({}), Contains("\n  inputs         scale small, seed 1, values functional\n") &&
                          !Contains("settings"));
  const std::string out = run({"--set", "llc.sets=64", "--set", "gpu0.llc3.clock_hz=1GHz", "--seed",
                               "7", "--values", "carried"});
  CHECK_THAT(out, Contains("\n  inputs         scale small, seed 7, values carried\n"
                           "  settings       llc.sets=64, system.gpu0.llc3.clock_hz=1000000000\n"));
  const std::string name =
      "out/uba-mem-small-vecadd-carried-seed=7-llc.sets=64-system.gpu0.llc3.clock_hz=1000000000/";
  CHECK_THAT(out, Contains(name + "report.html\n"));
  const json stats = json::parse(folder.read(name + "stats.json"));
  CHECK(stats["settings"] ==
        json({{"llc.sets", 64}, {"system.gpu0.llc3.clock_hz", 1'000'000'000}}));
  CHECK_THAT(folder.read(name + "stats.csv"),
             Contains("run,scale,small,\r\n") && Contains("run,values,carried,\r\n") &&
                 Contains("run,seed,7,\r\n") && Contains("run,settings.llc.sets,64,\r\n"));
  CHECK_THAT(folder.read(name + "report.html"),
             Contains(R"("settings":"llc.sets=64, system.gpu0.llc3.clock_hz=1000000000")"));
  const json plain = json::parse(folder.read("out/uba-mem-small-vecadd/stats.json"));
  CHECK(plain["settings"] == json::object());

  // diff names the inputs of both sides.
  const CommandResult diff = run_tessera({"diff", "out/uba-mem-small-vecadd", name}, folder.path());
  CHECK_THAT(diff.out, StartsWith("A: scale small, seed 1, values functional\n"
                                  "B: scale small, seed 7, values carried; settings llc.sets=64, "
                                  "system.gpu0.llc3.clock_hz=1000000000\n"));
  const json inputs =
      run_tessera({"diff", name, name, "--json"}, folder.path()).document()["runs"][0]["inputs"];
  CHECK(inputs["a"] == json({{"scale", "small"},
                             {"seed", 7},
                             {"values", "carried"},
                             {"settings", stats["settings"]}}));
  CHECK(inputs["b"] == inputs["a"]);
  CHECK_THAT(run_tessera({"diff", name, name}, folder.path()).out,
             StartsWith("A and B: scale small, seed 7, values carried; settings llc.sets=64, "));
}

TEST_CASE("a comparison shows its inputs in table, files and report") {
  const ScratchFolder folder;
  const CommandResult r =
      run_tessera({"compare", "uba-mem-small,nuba-small", "vecadd", "--quiet", "--seed", "7",
                   "--set", "llc.sets=64", "--set", "l1.mshr_entries=64", "--out", "c"},
                  folder.path());
  CAPTURE(r.error);
  REQUIRE(r.status == 0);
  const std::string line =
      "scale small, seed 7, values functional; settings llc.sets=64, l1.mshr_entries=64";
  CHECK_THAT(r.out, StartsWith(line + "\n\nWORKLOAD"));
  const std::string csv = folder.read("c/compare.csv");
  CHECK_THAT(csv, StartsWith("platform,workload,cycles,speedup,ipc,l1_hit_rate,llc_hit_rate,"
                             "dram_utilisation,verified,error,scale,seed,values,skip,detail,"
                             "settings,llc.sets,l1.mshr_entries,system.topology,"
                             "system.page_placement,system.remote_caching,energy.sm.total_j,"));
  const std::string given = ",small,7,functional,,,\"llc.sets=64, l1.mshr_entries=64\",64,64,";
  CHECK_THAT(csv,
             Contains(given + "uba-mem,round-robin,home,") && Contains(given + "nuba,lab,mdr,"));
  const json document = json::parse(folder.read("c/compare.json"));
  CHECK(document["summary"]["inputs"] ==
        json({{"scale", "small"},
              {"seed", 7},
              {"values", "functional"},
              {"settings", {{"llc.sets", 64}, {"l1.mshr_entries", 64}}}}));
  CHECK(document["points"][1]["settings"] == document["summary"]["inputs"]["settings"]);
  CHECK_THAT(folder.read("c/report.html"), Contains("\"inputs\":\"" + line + "\""));
}

TEST_CASE("a window is among the inputs") {
  const ScratchFolder folder;
  const std::vector<std::string> window = {"--quiet", "--skip", "20000", "--detail", "1e5"};
  std::vector<std::string> run = {"run", "uba-mem-small", "mm"};
  run.insert(run.end(), window.begin(), window.end());
  CHECK_THAT(run_tessera(run, folder.path()).out,
             Contains("scale small, seed 1, values functional, skip 20 000, detail 100 000\n"));
  run.front() = "compare";
  CHECK_THAT(run_tessera(run, folder.path()).out,
             StartsWith("scale small, seed 1, values functional, skip 20 000, detail 100 000\n"));
}

TEST_CASE("a hash stands for inputs that do not fit in a folder's name") {
  const ScratchFolder folder;
  const auto run = [&folder](const std::string& latency) {
    std::vector<std::string> command = {"run", "uba-mem-small", "vecadd", "--quiet"};
    for (int slice = 0; slice < 4; ++slice) {
      command.emplace_back("--set");
      command.push_back("gpu0.llc" + std::to_string(slice) + ".latency_cycles=" + latency);
    }
    REQUIRE(run_tessera(command, folder.path()).status == 0);
  };
  run("100");
  run("101");
  const std::string begin = "uba-mem-small-vecadd-";
  std::size_t hashes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "out")) {
    const std::string name = entry.path().filename().string();
    if (name == "results.sqlite") continue;
    CAPTURE(name);
    REQUIRE(tessera::begins_with(name, begin));
    CHECK(name.size() == begin.size() + 12);
    CHECK(name.find_first_not_of("0123456789abcdef", begin.size()) == std::string::npos);
    ++hashes;
  }
  CHECK(hashes == 2);
}

}  // namespace tessera::inputs_shown_test
