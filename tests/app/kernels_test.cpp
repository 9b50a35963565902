// SPDX-License-Identifier: Apache-2.0
#include "app/report/kernels.h"

#include <catch2/catch.hpp>
#include <string>

#include "app/report/traffic.h"
#include "common/json.h"

namespace tessera::kernels_test {

using namespace tessera::app;
using nlohmann::ordered_json;

namespace {

ordered_json launch(const std::string& name, const ordered_json& stream, unsigned cycles,
                    unsigned hits, unsigned misses) {
  return {{"name", name},
          {"start_cycle", 0},
          {"cycles", cycles},
          {"stream", stream},
          {"levels",
           {{"l1", {{"hits", hits}, {"merged", 0}, {"misses", misses}, {"bytes", 128}}},
            {"dram", {{"bytes", 1500}}}}}};
}

}  // namespace

TEST_CASE("the summary sums launches of one name and stream, most cycles first") {
  ordered_json stats = {{"kernels",
                         {launch("short", nullptr, 10, 0, 0), launch("long", nullptr, 600, 1, 3),
                          launch("long", nullptr, 700, 2, 2)}}};
  CHECK(kernel_table(stats) ==
        "\n"
        "  Kernels  launches  cycles  l1 hits  dram bytes\n"
        "  long            2   1 300   37.5 %     3.00 kB\n"
        "  short           1      10        -     1.50 kB\n");
  stats["kernels"][1]["stream"] = "left";
  CHECK(kernel_table(stats) ==
        "\n"
        "  Kernels  stream   launches  cycles  l1 hits  dram bytes\n"
        "  long     default         1     700   50.0 %     1.50 kB\n"
        "  long     left            1     600   25.0 %     1.50 kB\n"
        "  short    default         1      10        -     1.50 kB\n");
}

TEST_CASE("the summary has no table of one launch, and eight rows at most") {
  ordered_json stats = {{"kernels", {launch("a", nullptr, 1, 0, 0)}}};
  CHECK(kernel_table(stats).empty());
  CHECK(kernel_table(ordered_json::object()).empty());
  for (unsigned i = 0; i < 9; ++i) {
    stats["kernels"].push_back(launch("k" + std::to_string(i), nullptr, 100 - i, 0, 0));
  }
  const std::string text = kernel_table(stats);
  CHECK_THAT(text, Catch::Contains("  k7 ") && Catch::EndsWith("  and 2 more in stats.json\n"));
  CHECK_THAT(text, !Catch::Contains("  k8 "));
}

TEST_CASE("traffic over time ends with the kernel that ends last, whichever was launched last") {
  ordered_json stats = {
      {"time_ns", 100.0},
      {"cycles", 100},
      {"kernels", {launch("long", "a", 100, 0, 0), launch("short", "b", 30, 0, 0)}},
      {"modules",
       {{"system.gpu0.dram0",
         {{"bandwidth", {{"interval_ns", 10.0}, {"bytes", {5}}, {"total", 5}}}}}}}};
  CHECK(traffic_of(stats).interval_ends_ns.back() == 100);
}

}  // namespace tessera::kernels_test
