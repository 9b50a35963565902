// SPDX-License-Identifier: Apache-2.0
#include "app/report/csv.h"

#include <catch2/catch.hpp>

#include "common/json.h"

namespace tessera::csv_test {

using namespace tessera::app;
using nlohmann::ordered_json;

TEST_CASE("a field is quoted where commas, quotes or line ends ask for it") {
  CHECK(csv_field("plain") == "plain");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_field("two\nlines") == "\"two\nlines\"");
}

TEST_CASE("statistics are one line a number, nested ones flattened, with units") {
  const ordered_json stats = {
      {"platform", "p"},
      {"cycles", 12},
      {"verified", nullptr},
      {"figures",
       {{"latency", {{"value", 29.5}, {"unit", "cycle/hop"}, {"description", "of a load"}}},
        {"rate", {{"value", nullptr}, {"unit", ""}, {"description", ""}}}}},
      {"kernels",
       {{{"name", "k"},
         {"grid", {2, 1, 1}},
         {"cycles", 12},
         {"stream", nullptr},
         {"levels", {{"l1", {{"hits", 3}, {"bytes", 64}}}}}}}},
      {"outside_kernels", {{"levels", {{"dram", {{"bytes", 32}}}}}}},
      {"derived", {{"ipc", 1.5}, {"latency_breakdown", {{"llc", 3.25}}}}},
      {"dictionary",
       {{"derived",
         {{"ipc", {{"unit", "instruction/cycle"}}}, {"latency_breakdown", {{"unit", "cycle"}}}}}}},
      {"energy",
       {{"sm", {{"total_j", 2.5}}}, {"noc_j", 0.5}, {"noc_power_w", 4.0}, {"noc_area_mm2", 9.0}}},
      {"modules",
       {{"gpu0.llc0", {{"hits", 7}, {"latency", {{"mean", 2.5}, {"buckets", {1, 2}}}}}}}}};
  const ordered_json catalogue = {
      {{"module", "gpu0.llc0"}, {"name", "hits"}, {"unit", "access"}},
      {{"module", "gpu0.llc0"}, {"name", "latency"}, {"unit", "cycle"}}};
  CHECK(stats_csv(stats, catalogue) ==
        "module,statistic,value,unit\r\n"
        "run,platform,p,\r\n"
        "run,cycles,12,cycle\r\n"
        "run,verified,,\r\n"
        "figures,latency,29.5,cycle/hop\r\n"
        "figures,rate,,\r\n"
        "kernels.0,name,k,\r\n"
        "kernels.0,grid.0,2,\r\n"
        "kernels.0,grid.1,1,\r\n"
        "kernels.0,grid.2,1,\r\n"
        "kernels.0,cycles,12,cycle\r\n"
        "kernels.0,stream,,\r\n"
        "kernels.0,levels.l1.hits,3,access\r\n"
        "kernels.0,levels.l1.bytes,64,byte\r\n"
        "outside_kernels,levels.dram.bytes,32,byte\r\n"
        "derived,ipc,1.5,instruction/cycle\r\n"
        "derived,latency_breakdown.llc,3.25,cycle\r\n"
        "energy,noc_j,0.5,J\r\n"
        "energy,noc_power_w,4.0,W\r\n"
        "energy,noc_area_mm2,9.0,mm2\r\n"
        "gpu0.llc0,hits,7,access\r\n"
        "gpu0.llc0,latency.mean,2.5,cycle\r\n"
        "gpu0.llc0,latency.buckets.0,1,cycle\r\n"
        "gpu0.llc0,latency.buckets.1,2,cycle\r\n");
}

}  // namespace tessera::csv_test
