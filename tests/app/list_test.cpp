// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "common/json.h"
#include "tests/app/command.h"
#include "tests/support/suite_cases.h"

namespace tessera::list_test {

using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

json listed(const std::string& topic, const std::vector<std::string>& more = {}) {
  const ScratchFolder folder;
  std::vector<std::string> arguments = {"list", topic, "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const CommandResult r = run_tessera(arguments, folder.path());
  CAPTURE(r.error);
  REQUIRE(r.status == 0);
  return r.document().at(topic);
}

std::set<std::string> names(const json& entries) {
  std::set<std::string> all;
  for (const json& e : entries) all.insert(e.at("name").get<std::string>());
  return all;
}

}  // namespace

TEST_CASE("list platforms has the presets with descriptions") {
  const json entries = listed("platforms");
  CHECK(names(entries).count("uba-mem") == 1);
  CHECK(names(entries).count("uba-mem-small") == 1);
  for (const json& e : entries) CHECK_FALSE(e.at("description").get<std::string>().empty());
}

TEST_CASE("list workloads has the suite, and the microbenchmarks as a family") {
#define TESSERA_NAME(NAME, WHAT) NAME,
  const std::set<std::string> suite{TESSERA_FOR_SUITE(TESSERA_NAME, 0)};
  const std::set<std::string> micro{TESSERA_FOR_MICRO(TESSERA_NAME, 0)};
#undef TESSERA_NAME
  const json all = listed("workloads");
  std::set<std::string> found[2];
  for (const json& e : all) found[e.at("family") == "micro" ? 1 : 0].insert(e.at("name"));
  CHECK(found[0] == suite);
  CHECK(found[1] == micro);
  CHECK(all.size() == suite.size() + micro.size());
}

TEST_CASE("list workloads tells what the papers run") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera({"list", "workloads", "--json"}, folder.path());
  REQUIRE(r.status == 0);
  const json document = r.document();
  CHECK(document.at("kernels").size() == 59);
  CHECK(document.at("paper_workloads").size() == 99);
  const auto named = [](const json& entries, const char* name) {
    for (const json& e : entries) {
      if (e.at("name") == name) return e;
    }
    FAIL("nothing is called " << name);
    return json();
  };
  const json naive = named(document.at("kernels"), "gemm-naive");
  CHECK(naive.at("workloads") == json{"2mm", "3mm", "gemm"});
  CHECK(naive.at("papers").front() ==
        json{{"paper", "nuba"}, {"name", "2MM"}, {"class", "high-sharing"}});
  CHECK(named(document.at("workloads"), "vecadd").at("used_by") == "ladm");
  CHECK(named(document.at("workloads"), "kmeans").at("used_by") == "nuba, ladm, dualopt");
}

TEST_CASE("list studies has the figures") {
  const json entries = listed("studies");
  REQUIRE(names(entries).count("nuba") == 1);
  REQUIRE(names(entries).count("dualopt") == 1);
  for (const json& e : entries) {
    CHECK_FALSE(e.at("title").get<std::string>().empty());
    if (e.at("name") == "nuba") CHECK_THAT(e.at("figures").get<std::string>(), Contains("fig07"));
  }
}

TEST_CASE("list policies names every decision point's choices") {
  const auto all = names(listed("policies"));
  for (const char* name : {"fixed-channel", "pae", "first-touch", "lab", "least-first",
                           "round-robin", "distributed", "home", "full-replication", "mdr"}) {
    CHECK(all.count(name) == 1);
  }
}

TEST_CASE("list policies has each policy's description, parameters and counters") {
  const json all = listed("policies");
  const auto entry = [&all](const char* family, const char* name) {
    for (const json& e : all) {
      CHECK_FALSE(e.at("description").get<std::string>().empty());
      if (e.at("family") == family && e.at("name") == name) return e;
    }
    FAIL("no policy " << family << "." << name);
    return json();
  };
  const json lab = entry("page_placement", "lab");
  CHECK(lab.at("chosen_by") == json{"system.page_placement"});
  REQUIRE(lab.at("parameters").size() == 1);
  CHECK(lab.at("parameters")[0].at("name") == "page_placement.lab.threshold");
  CHECK(lab.at("parameters")[0].at("value") == 0.9);
  CHECK(lab.at("parameters")[0].at("aliases") == json{"system.lab_threshold"});
  CHECK(lab.at("counters").empty());
  const json griffin = entry("page_migration", "griffin");
  CHECK(griffin.at("parameters").size() == 4);
  CHECK(griffin.at("counters").size() == 6);
  CHECK(griffin.at("counters")[0].at("unit") == "page");
  CHECK(entry("cache_replacement", "lru").at("chosen_by").size() == 3);
  CHECK(entry("dram_scheduler", "fcfs").at("parameters").empty());
  CHECK(entry("page_migration", "none").at("counters").empty());
}

TEST_CASE("list parameters shows value, unit, range and description of the platform") {
  bool found = false;
  for (const json& e : listed("parameters", {"--platform", "uba-mem-small"})) {
    CAPTURE(e.dump());
    CHECK_FALSE(e.at("description").get<std::string>().empty());
    if (e.at("name") != "system.sms") continue;
    found = true;
    CHECK(e.at("value") == 8);
    CHECK(e.at("min") <= 8);
    CHECK(e.at("max") >= 64);
  }
  CHECK(found);
}

TEST_CASE("list statistics counts equal blocks once") {
  std::size_t l1 = 0;
  for (const json& e : listed("statistics", {"--platform", "uba-mem-small"})) {
    CAPTURE(e.dump());
    CHECK_FALSE(e.at("description").get<std::string>().empty());
    if (e.at("name") == "load_hits") {
      ++l1;
      CHECK(e.at("instances") == 8);
    }
  }
  CHECK(l1 == 1);
}

TEST_CASE("config --plan prints what a platform consists of") {
  const ScratchFolder folder;
  const CommandResult r = run_tessera({"config", "nuba-small", "--plan"}, folder.path());
  REQUIRE(r.status == 0);
  const json plan = r.document();
  CHECK(plan.at("nodes").at(0).at("name") == "system");
  CHECK(plan.at("blocks").at(0).at("name") == "system.gpu0.mdr");
  CHECK(plan.at("links").at(0).at("to") == "system.gpu0.dram0");
  CHECK(plan.at("traffic").at(1).at("name") == "p2p");
  CHECK(run_tessera({"config", "nuba-small", "uba-mem-small", "--plan"}, folder.path()).status ==
        2);
}

TEST_CASE("config prints a document that runs as a platform file") {
  const ScratchFolder folder;
  const CommandResult printed =
      run_tessera({"config", "uba-mem-small", "--set", "llc.ways=8"}, folder.path());
  REQUIRE(printed.status == 0);
  CHECK(printed.document().at("llc").at("ways") == 8);
  folder.write("mine.json", printed.out);
  const CommandResult again = run_tessera({"config", "mine.json"}, folder.path());
  CAPTURE(again.error);
  REQUIRE(again.status == 0);
  CHECK(again.out == printed.out);
}

TEST_CASE("every verb explains itself") {
  const ScratchFolder folder;
  for (const char* verb :
       {"run", "compare", "study", "sweep", "analyze", "list", "config", "import"}) {
    const CommandResult r = run_tessera({verb, "--help"}, folder.path());
    CHECK(r.status == 0);
    CHECK_THAT(r.out, Contains(std::string("Usage: tessera ") + verb));
    CHECK(r.error.empty());
  }
  CHECK_THAT(run_tessera({"--help"}, folder.path()).out, Contains("compare"));
  CHECK_THAT(run_tessera({"--version"}, folder.path()).out, Contains("tessera 0."));
}

TEST_CASE("the help names traces and captured runs as workloads, and their export") {
  const ScratchFolder folder;
  CHECK_THAT(run_tessera({"run", "--help"}, folder.path()).out,
             Contains("a trace of Accel-Sim (folder, list or kernel's file), or a captured run "
                      "(.ttrace)"));
  CHECK_THAT(run_tessera({"--help"}, folder.path()).out,
             Contains("print what a trace or a captured run contains, or export a captured run\n"));
}

}  // namespace tessera::list_test
