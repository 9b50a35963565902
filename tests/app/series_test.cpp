// SPDX-License-Identifier: Apache-2.0
// Columns of a run's series, from a document written by hand, and the verb.
#include "app/report/series.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/json.h"
#include "tests/app/command.h"

namespace tessera::series_test {

using namespace tessera::app;
using namespace tessera::test;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

ordered_json statistic(const char* kind, const char* unit, const ordered_json& values) {
  return {{"unit", unit}, {"kind", kind}, {"description", "text"}, {"values", values}};
}

/// Two intervals of 100 ns and one of 50 ns.
ordered_json example() {
  ordered_json classes;
  classes["system.gpu*.llc*"] = {
      {"blocks", 2},
      {"first", "system.gpu0.llc0"},
      {"statistics",
       {{"hits", statistic("counter", "access", {3, 0, 0})},
        {"misses", statistic("counter", "access", {1, 2, 0})},
        {"stalls_mshr", statistic("counter", "access", {0, 4, 1})},
        {"miss_latency.count", statistic("histogram", "", {2, 0, 1})},
        {"miss_latency.sum", statistic("histogram", "cycle", {100, 0, 30})},
        {"bandwidth", statistic("bandwidth", "byte", {400, 100, 200})}}}};
  classes["system.gpu*.p*p*"] = {
      {"blocks", 1},
      {"first", "system.gpu0.p2p0"},
      {"statistics", {{"request_bytes_over_time", statistic("bandwidth", "byte", {10, 0, 0})}}}};
  classes["system.gpu*.dram*"] = {
      {"blocks", 4},
      {"first", "system.gpu0.dram0"},
      {"statistics", {{"queue_occupancy", statistic("occupancy", "request", {8.0, 2.0, 0.0})}}}};
  classes["system.gpu*.sm*"] = {{"blocks", 2},
                                {"first", "system.gpu0.sm0"},
                                {"statistics",
                                 {{"issued_slots", statistic("counter", "slot", {100, 40, 10})},
                                  {"memory_slots", statistic("counter", "slot", {200, 0, 0})},
                                  {"idle_slots", statistic("counter", "slot", {0, 0, 250})}}}};
  return {
      {"cycles", 250},
      {"config", {{"sm", {{"clock_hz", 1e9}, {"schedulers", 2}}}, {"llc", {{"clock_hz", 5e8}}}}},
      {"derived", {{"peak_gb_per_s", {{"llc", 8.0}}}}},
      {"series",
       {{"begin_ns", 1000.0},
        {"end_ns", 1250.0},
        {"interval_ns", 100.0},
        {"intervals", 3},
        {"classes", classes}}}};
}

ordered_json column(const ordered_json& document, const std::string& name) {
  for (const ordered_json& c : document["columns"]) {
    if (c["name"] == name) return c["values"];
  }
  FAIL("no column " + name);
  return {};
}

}  // namespace

TEST_CASE("series: bandwidths, hit rates, occupancies, latencies, issue slots and stalls") {
  const ordered_json d = series_document(example(), false);
  CHECK(d["begin_ns"] == ordered_json({1000.0, 1100.0, 1200.0}));
  CHECK(d["end_ns"] == ordered_json({1100.0, 1200.0, 1250.0}));
  CHECK(column(d, "llc.gb_per_s") == ordered_json({4.0, 1.0, 4.0}));
  CHECK(column(d, "llc.share_of_peak") == ordered_json({0.5, 0.125, 0.5}));
  CHECK(column(d, "p2p_request.gb_per_s") == ordered_json({0.1, 0.0, 0.0}));
  CHECK(column(d, "llc.hit_rate") == ordered_json({0.75, 0.0, nullptr}));
  CHECK(column(d, "dram.queue_occupancy") == ordered_json({2.0, 0.5, 0.0}));
  CHECK(column(d, "llc.miss_latency") == ordered_json({50.0, nullptr, 30.0}));
  // 50 cycles of 2 slices in 100 ns, 25 in the last interval.
  CHECK(column(d, "llc.miss_latency.in_flight") == ordered_json({1.0, 0.0, 0.6}));
  // 2 SMs of 2 schedulers: 400, 400 and 200 slots.
  CHECK(column(d, "sm.issued_slots.share") == ordered_json({0.25, 0.1, 0.05}));
  CHECK(column(d, "sm.memory_slots.share") == ordered_json({0.5, 0.0, 0.0}));
  CHECK(column(d, "sm.other_slots.share") == ordered_json({0.25, 0.9, 0.95}));
  CHECK(column(d, "llc.stalls_mshr") == ordered_json({0, 4, 1}));
  for (const ordered_json& c : d["columns"]) {
    CHECK(c["values"].size() == 3);
    CHECK_THAT(c["name"].get<std::string>(), !Contains("idle_slots"));
  }
}

TEST_CASE("series: raw columns, and the CSV with empty cells") {
  ordered_json stats = example();
  ordered_json& classes = stats["series"]["classes"];
  const ordered_json llc = classes["system.gpu*.llc*"];
  classes = {{"system.gpu*.llc*",
              {{"blocks", 2},
               {"first", "system.gpu0.llc0"},
               {"statistics",
                {{"hits", llc["statistics"]["hits"]}, {"misses", llc["statistics"]["misses"]}}}}}};
  CHECK(series_csv(series_document(stats, true)) ==
        "begin_ns,end_ns,llc.hit_rate,system.gpu*.llc*.hits,system.gpu*.llc*.misses\r\n"
        "1000.0,1100.0,0.75,3,1\r\n"
        "1100.0,1200.0,0.0,0,2\r\n"
        "1200.0,1250.0,,0,0\r\n");
}

TEST_CASE("series: classes of one name keep their nodes apart") {
  ordered_json stats = example();
  ordered_json& classes = stats["series"]["classes"];
  classes["system.llc*"] = classes["system.gpu*.llc*"];
  classes["system.llc*"]["first"] = "system.llc0";
  const ordered_json d = series_document(stats, false);
  CHECK(column(d, "gpu*.llc*.hit_rate") == column(d, "llc*.hit_rate"));
  // One level.
  CHECK(column(d, "llc.gb_per_s") == ordered_json({8.0, 2.0, 8.0}));
}

TEST_CASE("series: a run without them is refused with the remedy") {
  ordered_json stats = example();
  stats.erase("series");
  CHECK_THROWS_WITH(series_document(stats, false), Contains("tessera run --series NS"));
}

TEST_CASE("tessera series prints what a run has recorded, to standard output, file and as JSON") {
  const ScratchFolder folder;
  REQUIRE(run_tessera({"run", "uba-mem-small", "vecadd:n=16384", "--quiet", "--series", "200",
                       "--out", "r"},
                      folder.path())
              .status == 0);
  const CommandResult csv = run_tessera({"series", "r"}, folder.path());
  REQUIRE(csv.status == 0);
  CHECK_THAT(csv.out, Catch::StartsWith("begin_ns,end_ns,l1.gb_per_s,") &&
                          Contains("\r\n0.0,200.0,") && Contains("\r\n200.0,400.0,"));
  CHECK(run_tessera({"series", "r/stats.json", "--out", "s/s.csv"}, folder.path()).out ==
        "  series         s/s.csv\n");
  CHECK(run_tessera({"series", "r/stats.json", "--out", "s/q.csv", "--quiet"}, folder.path())
            .out.empty());
  CHECK(folder.read("s/s.csv") == csv.out);
  const nlohmann::json document = run_tessera({"series", "r", "--json"}, folder.path()).document();
  const auto stats = nlohmann::json::parse(folder.read("r/stats.json"));
  CHECK(document.at("end_ns").size() == stats.at("series").at("intervals"));
  CHECK(document.at("end_ns").back() == stats.at("series").at("end_ns"));
  // Observing options are no part of a point's key: nothing is kept.
  CHECK(run_tessera({"results", "--json"}, folder.path()).document().at("points").empty());
  const CommandResult none = run_tessera(
      {"run", "uba-mem-small", "vecadd:n=16384", "--quiet", "--out", "n"}, folder.path());
  REQUIRE(none.status == 0);
  const CommandResult refused = run_tessera({"series", "n"}, folder.path());
  CHECK(refused.status == 2);
  CHECK_THAT(refused.error, Contains("the run has no series: tessera run --series NS"));
  CHECK(run_tessera({"series", "none"}, folder.path()).status == 2);
  folder.write("x.json", "{}");
  CHECK_THAT(run_tessera({"series", "x.json"}, folder.path()).error,
             Contains("x.json is not the statistics of a run"));
  folder.write("d.json", R"({"cycles": 1, "config": {}, "series": {"intervals": "x"}})");
  const CommandResult damaged = run_tessera({"series", "d.json"}, folder.path());
  CHECK(damaged.status == 2);
  CHECK_THAT(damaged.error, Contains("the series of d.json are damaged"));
  CHECK(run_tessera({"run", "dca-small", "vecadd", "--values", "carried", "--threads", "2",
                     "--series", "100"},
                    folder.path())
            .status == 2);
}

TEST_CASE("the commands of the guide to series run, and write its columns") {
  std::ifstream guide(TESSERA_SOURCE_DIR "/docs/guide/series.md");
  const ScratchFolder folder;
  int commands = 0;
  for (std::string line; std::getline(guide, line);) {
    if (line.rfind("tessera ", 0) != 0) continue;
    std::istringstream words(line.substr(8));
    const std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    const CommandResult r = run_tessera(arguments, folder.path());
    CAPTURE(line, r.error);
    CHECK(r.status == 0);
    ++commands;
  }
  CHECK(commands == 4);
  const std::string csv = folder.read("out/mm/series.csv");
  for (const char* column :
       {",llc.gb_per_s,", ",llc.share_of_peak,", ",llc.hit_rate,", ",l1.load_hit_rate,",
        ",dram.queue_occupancy,", ",l2_tlb.mshrs,", ",sm.resident_warps,", ",l1.miss_latency,",
        ",l1.miss_latency.in_flight,", ",sm.issued_slots.share,", ",sm.other_slots.share,",
        ",llc.stalls_mshr,"}) {
    CHECK_THAT(csv, Contains(column));
  }
  CHECK_THAT(folder.read("out/mm/all.csv"), Contains(",system.gpu*.noc.response_egress*_bytes,"));
}

}  // namespace tessera::series_test
