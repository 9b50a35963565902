// SPDX-License-Identifier: Apache-2.0
// Results are kept, compared, and say how they were made.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::results_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

const std::vector<std::string> kRun = {"run", "uba-mem-small", "vecadd", "--quiet"};

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("a run without --out never replaces another's results") {
  const ScratchFolder folder;
  CHECK_THAT(run_tessera(kRun, folder.path()).out, Contains("out/uba-mem-small-vecadd/report"));
  const std::string first = folder.read("out/uba-mem-small-vecadd/stats.json");
  CHECK_THAT(run_tessera(kRun, folder.path()).out, Contains("out/uba-mem-small-vecadd-2/report"));
  CHECK(folder.read("out/uba-mem-small-vecadd/stats.json") == first);
  // Two at once take a folder each.
  BackgroundCommand other(kRun, folder.path());
  const CommandResult mine = run_tessera(kRun, folder.path());
  const CommandResult theirs = other.wait();
  CHECK(mine.status == 0);
  CHECK(theirs.status == 0);
  for (const char* n : {"-3", "-4"}) {
    CHECK_FALSE(folder.read("out/uba-mem-small-vecadd" + std::string(n) + "/stats.json").empty());
  }
}

TEST_CASE("option --out with another run's results asks for --overwrite") {
  const ScratchFolder folder;
  const auto to_o = with(kRun, {"--out", "o"});
  REQUIRE(run_tessera(to_o, folder.path()).status == 0);
  const std::string first = folder.read("o/stats.json");
  const CommandResult again = run_tessera(with(to_o, {"--seed", "2"}), folder.path());
  CHECK(again.status == 2);
  CHECK_THAT(again.error, Contains("--out: o holds the results") && Contains("--overwrite"));
  CHECK(folder.read("o/stats.json") == first);
  CHECK(run_tessera(with(to_o, {"--seed", "2", "--overwrite"}), folder.path()).status == 0);
  CHECK(json::parse(folder.read("o/stats.json")).at("seed") == 2);
}

TEST_CASE("an interrupted run stands beside the complete one that it would have replaced") {
  const ScratchFolder folder;
  REQUIRE(run_tessera(with(kRun, {"--out", "o"}), folder.path()).status == 0);
  const std::string first = folder.read("o/stats.json");
  const CommandResult r = run_tessera({"run", "uba-mem", "mm", "--scale", "paper", "--values",
                                       "carried", "--out", "o", "--overwrite"},
                                      folder.path(), 2);
  CHECK(r.status == 1);
  CHECK(folder.read("o/stats.json") == first);
  CHECK(json::parse(folder.read("o-incomplete/stats.json")).at("interrupted") == true);
}

TEST_CASE("an interrupt while arrays are initialised ends the run at once, with status 1") {
  const ScratchFolder folder;
  folder.write("k.ptx",
               ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
  const std::string manifest = folder.write("m.json", R"({"name": "m", "ptx": "k.ptx",
"arrays": [{"name": "a", "type": "u32", "count": 1000000001,
            "init": {"row_starts": 2}}],
"launches": [{"kernel": "k", "grid": 1, "block": 1, "arguments": []}]})");
  const auto begin = std::chrono::steady_clock::now();
  const CommandResult r =
      run_tessera({"run", "uba-mem", manifest, "--quiet", "--out", "o"}, folder.path(), 1);
  CAPTURE(r.error);
  CHECK(r.status == 1);
  CHECK_THAT(r.error, Contains("interrupted"));
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(8));
}

TEST_CASE("stats.json says how it was made") {
  const ScratchFolder folder;
  const json far =
      run_tessera({"run", "dualopt-small", "vecadd", "--json"}, folder.path()).document();
  for (const auto& [part, number] : far.at("derived").at("remote").items()) {
    INFO(part);
    const json& known = far.at("dictionary").at("derived");
    CHECK((known.contains("remote." + part) || known.contains("remote." + part + ".*")));
  }
  const json d = run_tessera(with(kRun, {"--json"}), folder.path()).document();
  CHECK(d.at("schema") == 1);
  CHECK(d.at("commit").get<std::string>().size() >= 7);
  const json& host = d.at("host");
  CHECK(host.at("command_line") ==
        json({"tessera", "run", "uba-mem-small", "vecadd", "--quiet", "--json"}));
  CHECK_THAT(host.at("date").get<std::string>(),
             Catch::Matches("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-9:]{8}Z"));
  CHECK(host.at("cpu_seconds") > 0);
  // Every statistic and derived value has its entry.
  std::set<std::string> known;
  for (const auto& [block, statistics] : d.at("dictionary").at("modules").items()) {
    for (const auto& [name, info] : statistics.items()) {
      CHECK_FALSE(info.at("description").get<std::string>().empty());
      CHECK_FALSE(info.at("unit").get<std::string>().empty());
      known.insert(block + " " + name);
    }
  }
  CHECK(known.count("system.gpu*.llc* hits") == 1);
  CHECK(known.count("system.gpu*.l1_* loads") == 1);
  for (const auto& [name, statistic] : d.at("modules").at("system.gpu0.llc3").items()) {
    CHECK(known.count("system.gpu*.llc* " + name) == 1);
  }
  const json& derived = d.at("dictionary").at("derived");
  for (const auto& [name, value] : d.at("derived").items()) {
    INFO(name);
    CHECK(derived.contains(name));
    if (!value.is_object()) continue;
    for (const auto& [part, number] : value.items()) {
      CHECK((derived.contains(name + "." + part) || derived.contains(name + ".*")));
    }
  }
  const CommandResult version = run_tessera({"--version"}, folder.path());
  CHECK_THAT(version.out, Contains("(commit " + d.at("commit").get<std::string>() + ")"));
}

TEST_CASE("diff of a run with itself, with another of its kind, and with a slower one") {
  const ScratchFolder folder;
  run_tessera(with(kRun, {"--out", "a"}), folder.path());
  run_tessera(with(kRun, {"--out", "b"}), folder.path());
  run_tessera(with(kRun, {"--out", "c", "--set", "llc.latency_cycles=4000"}), folder.path());
  const CommandResult same = run_tessera({"diff", "a", "b", "--fail-above", "0%"}, folder.path());
  CHECK(same.status == 0);
  CHECK_THAT(same.out, Contains("nothing differs"));

  const json d = run_tessera({"diff", "a/stats.json", "c", "--json"}, folder.path()).document();
  const json& run = d.at("runs").at(0);
  CHECK(run.at("config") == json({{{"key", "llc.latency_cycles"}, {"a", 120}, {"b", 4000}}}));
  const double before = json::parse(folder.read("a/stats.json")).at("cycles");
  const double after = json::parse(folder.read("c/stats.json")).at("cycles");
  CHECK(run.at("cycles").at("change") == (after - before) / before);
  REQUIRE(run.at("statistics").size() > 10);
  for (const json& moved : run.at("statistics")) {
    CHECK_THAT(moved.at("name").get<std::string>(), !Contains("log2_buckets"));
  }
  // It regresses one way only.
  const CommandResult worse = run_tessera({"diff", "a", "c", "--fail-above", "2%"}, folder.path());
  CHECK(worse.status == 1);
  CHECK_THAT(worse.error, Contains("run: cycles went from"));
  CHECK(run_tessera({"diff", "a", "c", "--fail-above", "900%"}, folder.path()).status == 0);
  CHECK(run_tessera({"diff", "a", "c"}, folder.path()).status == 0);
}

TEST_CASE("diff matches the runs of folders by name and misses none") {
  const ScratchFolder folder;
  run_tessera(with(kRun, {"--out", "x/one"}), folder.path());
  run_tessera(with(kRun, {"--out", "x/two"}), folder.path());
  run_tessera(with(kRun, {"--out", "y/two"}), folder.path());
  const CommandResult r =
      run_tessera({"diff", "x", "y", "--json", "--fail-above", "50%"}, folder.path());
  CHECK(r.status == 1);
  CHECK(r.document().at("only_a") == json({"one"}));
  CHECK(r.document().at("runs").at(0).at("run") == "two");
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"diff", "x", "nowhere"},
                                              {"diff", "x", "y", "--fail-above", "x%"},
                                              {"diff", "x", "y", "--fail-above", "-1%"}}) {
    CHECK(run_tessera(bad, folder.path()).status == 2);
  }
  std::filesystem::create_directory(folder.path() / "bad");
  folder.write("bad/stats.json", "{\"cycles\": ");
  CHECK_THAT(run_tessera({"diff", "x", "bad"}, folder.path()).error, Contains("is no JSON"));
}

TEST_CASE("config of two platforms prints what differs") {
  const ScratchFolder folder;
  const json d =
      run_tessera({"config", "nuba-small", "uba-mem-small", "--json"}, folder.path()).document();
  std::set<std::string> keys;
  for (const json& c : d.at("changes")) keys.insert(c.at("key").get<std::string>());
  CHECK(keys.count("system.topology") == 1);
  CHECK(keys.count("system.sms") == 0);
  CHECK_THAT(run_tessera({"config", "nuba", "nuba"}, folder.path()).out,
             Contains("no parameter differs"));
  CHECK(run_tessera({"config", "nuba", "nubaa"}, folder.path()).status == 2);
}

TEST_CASE("config --sources prints where the values of a platform come from") {
  const ScratchFolder folder;
  const CommandResult text = run_tessera({"config", "h100", "--sources"}, folder.path());
  REQUIRE(text.status == 0);
  CHECK_THAT(text.out, Contains("llc.sets") && Contains("320") &&
                           Contains("NVIDIA H100 whitepaper: 50 MiB of L2 over 80 slices"));
  const json listed =
      run_tessera({"config", "h100", "--sources", "--json"}, folder.path()).document();
  const auto sms = std::find_if(listed.begin(), listed.end(), [](const json& entry) {
    return entry.at("parameter") == "system.sms";
  });
  REQUIRE(sms != listed.end());
  CHECK(sms->at("value") == 132);
  CHECK(sms->at("unit") == "SM");
  CHECK_THAT(run_tessera({"config", "uba-mem", "--sources"}, folder.path()).out,
             Contains("uba-mem: its files name no sources"));
  CHECK(run_tessera({"config", "h100", "a100", "--sources"}, folder.path()).status == 2);
}

TEST_CASE(
    "compare keeps its runs: the same command runs nothing, another has a folder of its own") {
  const ScratchFolder folder;
  const std::vector<std::string> command = {"compare", "uba-mem-small,nuba-small", "vecadd",
                                            "--quiet"};
  REQUIRE(run_tessera(command, folder.path()).status == 0);
  const std::string first = folder.read("out/compare/compare.json");
  REQUIRE(run_tessera(command, folder.path()).status == 0);
  // Not even the host's seconds have changed.
  CHECK(folder.read("out/compare/compare.json") == first);
  CHECK_THAT(run_tessera({"compare", "uba-mem-small", "vecadd", "--quiet"}, folder.path()).out,
             Contains("out/compare-2/report.html"));
  CHECK(folder.read("out/compare/compare.json") == first);
  const CommandResult refused = run_tessera(
      {"compare", "uba-mem-small", "vecadd", "--out", "out/compare", "--quiet"}, folder.path());
  CHECK(refused.status == 2);
  CHECK_THAT(refused.error, Contains("--overwrite"));
}

TEST_CASE("bytes that a terminal would obey are printed as numbers") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera({"run",
                                       "ab\x01\x1b[31m\xff\xc2\x9b"
                                       "\xc3\xa4",
                                       "vecadd"},
                                      folder.path());
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Contains("'ab\\x01\\x1b[31m\\xff\\xc2\\x9b\xc3\xa4'"));
}

TEST_CASE(
    "a folder that is no study, and one with a slash at its end, are reported as what they are") {
  const ScratchFolder folder;
  CHECK_THAT(run_tessera({"study", folder.path().string() + "/"}, folder.path()).error,
             Contains("is no study: there is no study.json in it"));
  const std::string tiny = TESSERA_SOURCE_DIR "/tests/studies/data/tiny/";
  CHECK_THAT(run_tessera({"study", tiny, "--out", "s"}, folder.path()).out,
             Contains("4 points: 4 run"));
}

TEST_CASE("too many SMs for a network: the message names the setting to change") {
  const ScratchFolder folder;
  const CommandResult r =
      run_tessera({"run", "uba-mem-small", "vecadd", "--set", "system.sms=1024"}, folder.path());
  CHECK(r.status == 2);
  CHECK_THAT(r.error, Contains("a radix of 32 has room (noc.radix)"));
  CHECK(run_tessera({"config", "uba-mem", "--set", "system.sms=1024", "--set", "noc.radix=32"},
                    folder.path())
            .status == 0);
}

TEST_CASE("option --check-races lists races and changes nothing else") {
  const ScratchFolder folder;
  for (const char* values : {"functional", "carried"}) {
    const std::vector<std::string> bfs = {"run",     "uba-mem-small", "bfs", "--json",
                                          "--quiet", "--values",      values};
    json plain = run_tessera(bfs, folder.path()).document();
    const CommandResult r = run_tessera(with(bfs, {"--check-races"}), folder.path());
    json checked = r.document();
    CHECK_FALSE(plain.contains("races"));
    REQUIRE(checked["races"].size() >= 1);
    const auto first = checked["races"][0].get<std::string>();
    CHECK_THAT(first, Contains("kernel 'bfs_level'") && Contains("'level' + "));
    CHECK_THAT(r.error, Contains("warning: " + first));
    for (json* d : {&plain, &checked}) {
      d->erase("races");
      d->erase("host");
    }
    CHECK(plain == checked);
  }
  const CommandResult none =
      run_tessera({"run", "uba-mem-small", "mm", "--check-races", "--out", "o"}, folder.path());
  CHECK_THAT(none.out, Contains("none found"));
  CHECK(json::parse(folder.read("o/stats.json")).at("races") == json::array());
}

}  // namespace tessera::results_test
