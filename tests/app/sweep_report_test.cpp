// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "app/report/sweep.h"
#include "common/json.h"

namespace tessera::sweep_report_test {

using namespace tessera::app;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

TEST_CASE("sweep.csv has a column for each setting and number, and empty fields for missing ones") {
  const ordered_json first = {{"verified", true},
                              {"cycles", 10},
                              {"time_ns", 2.5},
                              {"derived", {{"ipc", 0.5}, {"latency", {{"llc", 7}}}}},
                              {"energy", {{"total_j", 1}}}};
  const ordered_json second = {{"verified", nullptr}, {"cycles", 20}, {"derived", {{"faults", 3}}}};
  const std::vector<SweepRow> rows = {
      {"0", "a,b", ordered_json{{"llc.sets", 16}}, "mm", first},
      {"1", "c", ordered_json{{"llc.ways", 4}, {"llc.sets", 32}}, "mm", second},
      {"base", "c", ordered_json::object(), "mm", nullptr}};
  CHECK(sweep_csv(rows) ==
        "design,platform,llc.sets,llc.ways,workload,verified,cycles,time_ns,derived.ipc,"
        "derived.latency.llc,energy.total_j,derived.faults\r\n"
        "0,\"a,b\",16,,mm,true,10,2.5,0.5,7,1,\r\n"
        "1,c,32,4,mm,,20,,,,,3\r\n"
        "base,c,,,mm,,,,,,,\r\n");
}

TEST_CASE("a sweep's text has the front, the hypervolume, the effects and what was left out") {
  const ordered_json document = {
      {"title", "Sizes"},
      {"platforms", {"p"}},
      {"parameters", {{{"name", "llc.sets"}}, {{"name", "llc.ways"}}}},
      {"objectives", {{{"name", "time"}}}},
      {"designs",
       {{{"settings", {{"llc.sets", 16}}}, {"objectives", {{"time", 1.25}}}},
        {{"settings", {{"llc.sets", 32}}}, {"objectives", {{"time", nullptr}}}}}},
      {"front", {0}},
      {"hypervolume", {{"value", 0.75}, {"reference", {{"time", 2.0}}}}},
      {"sensitivity",
       {{{"objective", "time"},
         {"main",
          {{{"parameter", "llc.sets"}, {"share", 0.25}},
           {{"parameter", "llc.ways"}, {"share", 0.001}}}},
         {"interactions", {{{"parameters", {"llc.sets", "llc.ways"}}, {"share", 0.5}}}}}}},
      {"excluded", 3},
      {"invalid", ordered_json::array()}};
  const std::string text = sweep_text(document);
  CHECK_THAT(text, Contains("Pareto front: 1 of 2 designs"));
  CHECK_THAT(text, Contains("DESIGN  llc.sets  llc.ways  time"));
  CHECK_THAT(text, Contains("     0        16         -  1.25"));
  CHECK_THAT(text, Contains("Hypervolume: 0.750 (reference: time 2.00)"));
  // The largest first; a share below half a percent is left out.
  CHECK_THAT(text, Contains("  time: llc.sets x llc.ways 50.0 %, llc.sets 25.0 %\n"));
  CHECK_THAT(text, Contains("Designs left out: 3 by a constraint, 0 refused"));
}

}  // namespace tessera::sweep_report_test
