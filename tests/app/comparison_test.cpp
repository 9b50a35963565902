// SPDX-License-Identifier: Apache-2.0
#include "app/report/comparison.h"

#include <catch2/catch.hpp>

#include "common/json.h"

namespace tessera::comparison_test {

using namespace tessera::app;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

ordered_json stats(std::uint64_t cycles) {
  return {{"cycles", cycles}, {"derived", {{"ipc", 2.0}}}, {"verified", true}};
}

ordered_json example() {
  return comparison_document({{"base", "a", stats(100), ""},
                              {"fast", "a", stats(50), ""},
                              {"base", "b", stats(100), ""},
                              {"fast", "b", stats(200), ""},
                              {"base", "c", stats(100), ""},
                              {"fast", "c", nullptr, "killed, twice"}},
                             {{"scale", "small"}, {"seed", 3}, {"settings", {{"l1.sets", 4}}}});
}

}  // namespace

TEST_CASE("speedups are over the first platform and their mean is harmonic") {
  const ordered_json summary = example()["summary"];
  CHECK(summary["baseline"] == "base");
  CHECK(summary["rows"][1]["speedup"] == 2.0);
  CHECK(summary["rows"][3]["speedup"] == 0.5);
  // 2 / (1/2 + 1/0.5): the workload that failed does not count.
  CHECK(summary["speedup_harmonic_mean"]["fast"].get<double>() == Approx(0.8));
  CHECK(summary["speedup_harmonic_mean"]["base"] == 1.0);
}

TEST_CASE("speedups of platforms with different clocks are those of times") {
  ordered_json base = stats(100);
  base["config"]["sm"]["clock_hz"] = 1e9;
  ordered_json fast = stats(100);
  fast["config"]["sm"]["clock_hz"] = 2e9;
  const ordered_json document = comparison_document(
      {{"base", "a", base, ""}, {"fast", "a", fast, ""}}, ordered_json::object());
  CHECK(document["summary"]["rows"][1]["speedup"] == 2.0);
  CHECK(document["summary"]["sm_clock_hz"] == ordered_json{{"base", 1e9}, {"fast", 2e9}});
  CHECK_THAT(comparison_table(document), Contains("a speedup is a ratio of times, not of cycles"));
  CHECK_FALSE(example()["summary"].contains("sm_clock_hz"));
}

TEST_CASE("a failed point has its reason and no speedup") {
  const ordered_json document = example();
  CHECK(document["summary"]["failed"] == 1);
  CHECK(document["summary"]["rows"][5]["speedup"].is_null());
  CHECK(document["points"][5]["error"] == "killed, twice");
  CHECK(document["points"][5]["platform"] == "fast");
  CHECK_THAT(comparison_csv(document),
             Contains("fast,c,,,,,,,,\"killed, twice\",small,3,,,,l1.sets=4,4,\r\n"));
  CHECK_THAT(comparison_table(document),
             Catch::StartsWith("scale small, seed 3; settings l1.sets=4\n\nWORKLOAD") &&
                 Contains("failed"));
}

TEST_CASE("a comparison has columns for settings, for what platforms differ in, and for energy") {
  const auto run = [](int sets, const char* noc, double noc_j) {
    return ordered_json{
        {"cycles", 1000},
        {"time_ns", 500.0},
        {"config", {{"l1", {{"sets", 4}, {"ways", 2}}}, {"llc", {{"sets", sets}}}, {"kind", noc}}},
        {"energy",
         {{"sm", {{"dynamic_j", 0.25}, {"static_j", 0.25}, {"total_j", 0.5}}},
          {"noc", {{"total_j", noc_j}, {"networks", {{"noc", {{"total_j", noc_j}}}}}}},
          {"total_j", 0.5 + noc_j},
          {"noc_power_w", noc_j / 5e-7}}}};
  };
  const ordered_json document =
      comparison_document({{"p", "w", run(16, "xbar", 0.25), ""},
                           {"q", "w", run(32, "mesh", 1.5), ""},
                           {"q", "x", nullptr, "killed"}},
                          {{"scale", "small"},
                           {"seed", 1},
                           {"values", "functional"},
                           {"settings", {{"l1.sets", 4}, {"system.gpu0.llc3.ways", 8}}}});
  CHECK(
      comparison_csv(document) ==
      "platform,workload,cycles,speedup,ipc,l1_hit_rate,llc_hit_rate,dram_utilisation,verified,"
      "error,scale,seed,values,skip,detail,settings,l1.sets,system.gpu0.llc3.ways,llc.sets,kind,"
      "energy.sm.total_j,energy.noc.total_j,energy.total_j,energy.noc_power_w,average_power_w\r\n"
      "p,w,1000,1.0,,,,,,,small,1,functional,,,\"l1.sets=4, system.gpu0.llc3.ways=8\",4,8,16,xbar,"
      "0.5,0.25,0.75,500000.0,1500000.0\r\n"
      "q,w,1000,1.0,,,,,,,small,1,functional,,,\"l1.sets=4, system.gpu0.llc3.ways=8\",4,8,32,mesh,"
      "0.5,1.5,2.0,3000000.0,4000000.0\r\n"
      "q,x,,,,,,,,killed,small,1,functional,,,\"l1.sets=4, system.gpu0.llc3.ways=8\",4,8,,,,,,,"
      "\r\n");
  const ordered_json& row = document["summary"]["rows"][1];
  CHECK(row["parameters"] ==
        ordered_json(
            {{"l1.sets", 4}, {"system.gpu0.llc3.ways", 8}, {"llc.sets", 32}, {"kind", "mesh"}}));
  CHECK(row["energy"]["energy.total_j"] == 2.0);
  CHECK(row["average_power_w"].get<double>() == Approx(4e6));
}

TEST_CASE("a point with wrong values keeps its statistics but gives no speedup") {
  ordered_json wrong = stats(10);
  wrong["verified"] = false;
  const ordered_json summary = comparison_document(
      {{"base", "a", stats(100), ""}, {"fast", "a", wrong, "wrong values"}}, {})["summary"];
  CHECK(summary["rows"][1]["cycles"] == 10);
  CHECK(summary["rows"][1]["speedup"].is_null());
}

}  // namespace tessera::comparison_test
