// SPDX-License-Identifier: Apache-2.0
// Output that cannot be written: no verb ends with status 0, and what was computed is not lost.
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <sstream>

#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::lost_output_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kTiny = TESSERA_SOURCE_DIR "/tests/studies/data/tiny";
const std::vector<std::string> kRun = {"run", "uba-mem-small", "vecadd", "--quiet"};
const std::vector<std::string> kCompare = {"compare", "uba-mem-small,nuba-small", "vecadd",
                                           "--quiet"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The verbs that `tessera --help` lists.
std::vector<std::string> verbs(const fs::path& folder) {
  std::istringstream help(run_tessera({"--help"}, folder).out);
  std::vector<std::string> all;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line == "Verbs:") {
      listed = true;
    } else if (listed && line.empty()) {
      break;
    } else if (listed) {
      all.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return all;
}

/// Commands of each verb that write to standard output.
std::map<std::string, std::vector<std::vector<std::string>>> commands() {
  const std::string ptx = TESSERA_SOURCE_DIR "/stimuli/kernels/vecadd/vecadd.ptx";
  return {
      {"run", {with(kRun, {"--out", "r"}), with(kRun, {"--json"})}},
      {"compare", {with(kCompare, {"--out", "c"}), with(kCompare, {"--json"})}},
      {"study",
       {{"study", kTiny, "--quiet", "--out", "s"}, {"study", kTiny, "--json", "--out", "s"}}},
      {"sweep", {{"sweep", "w.json", "--quiet"}, {"sweep", "w.json", "--quiet", "--json"}}},
      {"results", {{"results"}, {"results", "--csv"}, {"results", "--json"}}},
      {"analyze", {{"analyze", ptx}, {"analyze", ptx, "--executable"}, {"analyze", ptx, "--json"}}},
      {"list", {{"list", "platforms"}, {"list", "studies"}, {"list", "platforms", "--json"}}},
      {"config",
       {{"config", "nuba-small"},
        {"config", "nuba-small", "uba-mem-small"},
        {"config", "nuba-small", "uba-mem-small", "--json"},
        {"config", "nuba-small", "--plan"},
        {"config", "nuba-small", "--picture"}}},
      {"completion", {{"completion", "bash"}, {"completion", "zsh"}}},
      {"import",
       {{"import", "g.config"},
        {"import", "g.config", "--json"},
        {"import", "g.config", "--out", "i.json"}}},
      {"diff", {{"diff", "r", "r"}, {"diff", "r", "r", "--json"}}},
      {"explain", {{"explain", "r"}, {"explain", "r", "r"}, {"explain", "r", "--json"}}},
      {"series", {{"series", "o"}, {"series", "o", "--json"}}},
      {"trace", {{"trace", "info", "k.traceg"}, {"trace", "info", "k.traceg", "--json"}}},
      {"vp", {{"vp", "x.bin"}, {"vp", "x.bin", "--json"}}},
  };
}

/// RISC-V: sends a character to the UART, and ends with status 0.
std::string hello() {
  const std::uint32_t code[] = {
      0x100002b7,  // lui t0, 0x10000
      0x07800313,  // li t1, 'x'
      0x00628023,  // sb t1, 0(t0)
      0x00100fb7,  // lui t6, 0x100
      0x00005f37,  // lui t5, 5
      0x555f0f13,  // addi t5, t5, 0x555
      0x01efa023,  // sw t5, 0(t6)
      0x0000006f,  // j .
  };
  return {reinterpret_cast<const char*>(code), sizeof code};
}

}  // namespace

TEST_CASE("every verb fails with a message if standard output cannot be written") {
  const ScratchFolder folder;
  const auto check = [&folder](const std::vector<std::string>& arguments) {
    CAPTURE(arguments);
    const CommandResult r = run_tessera_in({"/dev/full"}, arguments, folder.path());
    CHECK(r.status == 1);
    CHECK_THAT(r.error,
               Contains("tessera: standard output cannot be written: No space left on device\n"));
  };
  check({"--help"});
  check({"--version"});
  const auto all = commands();
  folder.write("x.bin", hello());
  folder.write("g.config", "-gpgpu_n_clusters 2\n");
  folder.write("k.traceg",
               "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
               "-accelsim tracer version = 5\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\n"
               "insts = 1\n0000 ffffffff 0 EXIT 0 0\n#END_TB\n");
  folder.write("w.json",
               R"({"title": "t", "platforms": ["uba-mem-small"], "workloads": ["vecadd:n=4096"],
                   "parameters": {"llc.ways": {"values": [8]}}, "objectives": [{"of": "cycles"}]})");
  // 2: a build without Unicorn.
  const bool cores = run_tessera({"vp", "x.bin"}, folder.path()).status == 0;
  for (const std::string& verb : verbs(folder.path())) {
    check({verb, "--help"});
    CAPTURE(verb);
    REQUIRE(all.count(verb) == 1);  // a new verb: add its commands
    if (verb == "vp" && !cores) continue;
    if (verb == "diff") REQUIRE(run_tessera(with(kRun, {"--out", "r"}), folder.path()).status == 2);
    if (verb == "series") {
      REQUIRE(run_tessera(with(kRun, {"--series", "1000", "--out", "o"}), folder.path()).status ==
              0);
    }
    for (const std::vector<std::string>& arguments : all.at(verb)) check(arguments);
  }
  // The files are there nevertheless.
  for (const char* file :
       {"r/stats.json", "c/compare.json", "s/study.json", "i.json", "out/sweep-w/sweep.json"}) {
    CHECK(json::accept(folder.read(file)));
  }
  for (const char* name : {"r", "c", "s", "out/sweep-w"}) {
    CHECK_FALSE(folder.read(std::string(name) + "/report.html").empty());
  }
}

TEST_CASE("a run whose report does not fit prints its summary and keeps its statistics") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera_in({"", 250'000}, with(kRun, {"--out", "o"}), folder.path());
  CHECK(r.status == 1);
  CHECK_THAT(r.out, Contains("vecadd on uba-mem-small") && Contains("host time"));
  CHECK_THAT(r.out, !Contains("report"));
  CHECK(r.error == "tessera: o/report.html cannot be written: File too large\n");
  CHECK(json::parse(folder.read("o/stats.json")).at("verified") == true);
  CHECK_THAT(folder.read("o/stats.csv"), Contains("run,cycles,"));
  // No parts of files are left.
  for (const auto& entry : fs::directory_iterator(folder.path() / "o")) {
    CHECK_THAT(entry.path().filename().string(), Catch::StartsWith("stats."));
  }
}

TEST_CASE("a run none of whose files fit prints its summary") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera_in({"", 8192}, with(kRun, {"--out", "o"}), folder.path());
  CHECK(r.status == 1);
  CHECK_THAT(r.out, Contains("vecadd on uba-mem-small") && Contains("host time"));
  for (const char* file : {"stats.json", "stats.csv", "report.html"}) {
    CHECK_THAT(r.error, Contains("o/" + std::string(file) + " cannot be written: File too large"));
  }
  CHECK_FALSE(fs::exists(folder.path() / "o"));
}

TEST_CASE("a comparison whose points cannot be kept prints them") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera_in({"", 8192}, with(kCompare, {"--out", "c"}), folder.path());
  CHECK(r.status == 1);
  const CommandResult whole = run_tessera(with(kCompare, {"--out", "w"}), folder.path());
  CHECK(r.out == whole.out.substr(0, whole.out.find("\nreport")));
  CHECK_THAT(r.error, Contains("out/results.sqlite cannot be used") &&
                          Contains("no points are kept") &&
                          Contains("c/compare.json cannot be written"));
  // What fits is kept.
  CHECK(folder.read("c/compare.csv") == folder.read("w/compare.csv"));
}

TEST_CASE("a study whose points cannot be kept prints its claims") {
  const ScratchFolder folder;
  const std::vector<std::string> study = {"study", kTiny, "--quiet", "--out", "s"};
  const CommandResult r = run_tessera_in({"", 4096}, study, folder.path());
  CHECK(r.status == 1);
  CHECK_THAT(r.out, Contains("slower") && Contains("4 points: 4 run, 0 kept"));
  CHECK_THAT(r.out, !Contains("report"));
  CHECK_THAT(r.error, Contains("out/results.sqlite cannot be used") &&
                          Contains("s/report.html cannot be written: File too large"));
}

}  // namespace tessera::lost_output_test
