// SPDX-License-Identifier: Apache-2.0
#include "app/report/traffic.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "common/json.h"

namespace tessera::traffic_test {

using namespace tessera::app;
using nlohmann::ordered_json;

namespace {

ordered_json series(double interval_ns, const std::vector<std::uint64_t>& bytes) {
  return {{"interval_ns", interval_ns},
          {"bytes", bytes},
          {"total", std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0})}};
}

}  // namespace

TEST_CASE("series are summed by level, in the order of a request's way") {
  const ordered_json stats = {{"time_ns", 100.0},
                              {"modules",
                               {{"system.gpu0.dram0", {{"bandwidth", series(10, {5})}}},
                                {"system.gpu0.l1_0", {{"bandwidth", series(10, {1, 2})}}},
                                {"system.gpu0.llc0", {{"bandwidth", series(10, {10})}}},
                                {"system.gpu0.llc10", {{"bandwidth", series(10, {30})}}},
                                {"system.gpu0.llc2", {{"bandwidth", series(10, {0, 20})}}},
                                {"system.gpu0.noc",
                                 {{"response_bytes_over_time", series(10, {400})},
                                  {"response_egress0_bytes", 100U},
                                  {"response_egress1_bytes", 300U},
                                  {"request_bytes_over_time", series(10, {40})}}}}},
                              {"derived", {{"peak_gb_per_s", {{"dram", 2.0}}}}}};
  const auto levels = traffic_of(stats).levels;
  std::vector<std::string> names;
  for (const auto& l : levels) names.push_back(l.name);
  CHECK(names ==
        std::vector<std::string>{"L1 fills", "NoC request", "NoC response", "LLC", "DRAM"});
  CHECK(levels[0].bytes == 3);
  CHECK(levels[1].bytes == 40);
  CHECK(levels[2].bytes == 400);
  CHECK(levels[2].gb_per_s == Approx(4));
  // A network's parts are its outputs.
  REQUIRE(levels[2].parts.size() == 2);
  CHECK(levels[2].parts[1].module == "system.gpu0.noc.response_egress1");
  CHECK(levels[2].parts[1].bytes == 300);
  CHECK(levels[3].bytes_over_time == std::vector<std::uint64_t>{40, 20, 0, 0, 0, 0, 0, 0, 0, 0});
  REQUIRE(levels[3].parts.size() == 3);
  CHECK(levels[3].parts[1].module == "system.gpu0.llc2");
  CHECK(levels[3].parts[2].module == "system.gpu0.llc10");
  CHECK_FALSE(levels[3].peak_gb_per_s.has_value());
  CHECK(levels[4].peak_gb_per_s == 2.0);
}

TEST_CASE("bytes above an interval's peak have passed in the interval before") {
  ordered_json stats = {
      {"time_ns", 40.0},
      {"modules", {{"system.gpu0.dram0", {{"bandwidth", series(10, {5, 20, 23, 4})}}}}},
      {"derived", {{"peak_gb_per_s", {{"dram", 2.0}}}}}};
  const LevelTraffic level = traffic_of(stats).levels.at(0);
  // A packet of which 3 bytes passed before the third interval, which is busy from its begin.
  CHECK(level.bytes_over_time == std::vector<std::uint64_t>{8, 20, 20, 4});
  CHECK(level.gb_per_s_over_time == std::vector<double>{0.8, 2, 2, 0.4});
  CHECK(busiest_share_of_peak(level).value() == 1);
  CHECK(share_of_peak(level).value() == Approx(52.0 / 80));
  // Without a peak, bytes count where they end.
  stats["derived"] = ordered_json::object();
  CHECK(traffic_of(stats).levels.at(0).bytes_over_time == std::vector<std::uint64_t>{5, 20, 23, 4});
}

TEST_CASE("several GPUs have levels of their own, and remote caches are no LLC") {
  const ordered_json stats = {{"time_ns", 100.0},
                              {"modules",
                               {{"system.gpu1.llc0", {{"bandwidth", series(10, {1})}}},
                                {"system.gpu1.rcache0", {{"bandwidth", series(10, {2})}}},
                                {"system.fabric", {{"bytes_over_time", series(10, {4})}}},
                                {"system.iommu",
                                 {{"request_bytes_over_time", series(10, {8})},
                                  {"response_bytes_over_time", series(10, {16})}}}}},
                              {"derived", {{"peak_gb_per_s", {{"fabric", 256.0}}}}}};
  const auto levels = traffic_of(stats).levels;
  std::vector<std::string> names;
  std::vector<std::uint64_t> bytes;
  for (const auto& l : levels) {
    names.push_back(l.name);
    bytes.push_back(l.bytes);
  }
  CHECK(names == std::vector<std::string>{"Remote cache", "GPU fabric", "IOMMU request",
                                          "IOMMU response", "LLC"});
  CHECK(bytes == std::vector<std::uint64_t>{2, 4, 8, 16, 1});
  CHECK(levels[1].peak_gb_per_s == 256.0);
}

TEST_CASE("hierarchies have stacks and a host link, and the CPU's time counts") {
  ordered_json stats = {{"time_ns", 100.0},
                        {"modules",
                         {{"system.dram0", {{"bandwidth", series(10, {6})}}},
                          {"system.gpu0.stack1", {{"bandwidth", series(10, {2})}}},
                          {"system.host_link", {{"bandwidth", series(10, {40})}}}}},
                        {"derived",
                         {{"host_access_ns", 100.0},
                          {"peak_gb_per_s",
                           {{"dram", 2.0},
                            {"host_link_request", 3.0},
                            {"host_link_response", 4.0},
                            {"stacks", 8.0}}}}}};
  CHECK(traffic_time_ns(stats) == 200);
  auto levels = traffic_of(stats).levels;
  REQUIRE(levels.size() == 3);
  CHECK(levels[0].name == "Stacks");
  CHECK(levels[0].peak_gb_per_s == 8.0);
  CHECK(levels[1].name == "Host link");
  CHECK(levels[1].gb_per_s == Approx(0.2));
  CHECK(levels[1].peak_gb_per_s == 7.0);
  CHECK(levels[2].name == "DRAM");
  CHECK(levels[2].gb_per_s == Approx(0.03));
  CHECK(levels[2].peak_gb_per_s == 2.0);
  // memcpy: the stacks are the GPUs' memory, and there is no CPU.
  stats["modules"].erase("system.dram0");
  stats["derived"]["host_access_ns"] = nullptr;
  levels = traffic_of(stats).levels;
  REQUIRE(levels.size() == 2);
  CHECK(levels[0].name == "Stacks");
  CHECK(levels[0].gb_per_s == Approx(0.02));
  CHECK(levels[0].peak_gb_per_s == 8.0);
}

TEST_CASE("series of unequal intervals are brought to the widest without losing bytes") {
  for (const bool wide_first : {false, true}) {
    const std::string a = wide_first ? "gpu.llc1" : "gpu.llc0";
    const std::string b = wide_first ? "gpu.llc0" : "gpu.llc1";
    const ordered_json stats = {{"time_ns", 100.0},
                                {"modules",
                                 {{a, {{"bandwidth", series(10, {1, 2, 3, 4, 5})}}},
                                  {b, {{"bandwidth", series(40, {100, 200})}}}}}};
    const Traffic traffic = traffic_of(stats);
    REQUIRE(traffic.levels.size() == 1);
    CHECK(traffic.interval_ends_ns == std::vector<double>{40, 80, 100});
    CHECK(traffic.levels[0].bytes_over_time == std::vector<std::uint64_t>{110, 205, 0});
  }
}

namespace {

/// One kernel of 1 cycle a ns, from 0 to `end_ns`, and bytes of DRAM in intervals of 10 ns.
ordered_json run_of(double end_ns, const std::vector<std::uint64_t>& dram) {
  return {{"time_ns", end_ns},
          {"cycles", end_ns},
          {"kernels", {{{"start_cycle", 0}, {"cycles", end_ns}}}},
          {"modules",
           {{"system.gpu0.dram0", {{"bandwidth", series(10, dram)}}},
            {"system.gpu0.llc0", {{"bandwidth", series(10, {10, 20, 30})}}}}}};
}

}  // namespace

TEST_CASE("the last interval ends with the run, and its bandwidth is over its own length") {
  // The kernel ends at 25 ns: 50 bytes in 5 ns are as fast as 100 in 10.
  const Traffic traffic = traffic_of(run_of(25, {100, 100, 50}));
  CHECK(traffic.interval_ends_ns == std::vector<double>{10, 20, 25});
  CHECK(traffic.levels[1].gb_per_s_over_time == std::vector<double>{10, 10, 10});
}

TEST_CASE("the run ends with its last kernel, not with the sum of the kernels") {
  ordered_json stats = run_of(20, {100, 0, 0, 0, 50});
  stats["kernels"] = {{{"start_cycle", 0}, {"cycles", 10}}, {{"start_cycle", 35}, {"cycles", 10}}};
  const Traffic traffic = traffic_of(stats);
  CHECK(traffic.interval_ends_ns == std::vector<double>{10, 20, 30, 40, 45});
  CHECK(traffic.levels[1].gb_per_s_over_time.back() == Approx(10));
}

TEST_CASE("a level that has become quiet has intervals without traffic until the run's end") {
  const Traffic traffic = traffic_of(run_of(50, {100}));
  REQUIRE(traffic.levels.size() == 2);
  CHECK(traffic.interval_ends_ns == std::vector<double>{10, 20, 30, 40, 50});
  CHECK(traffic.levels[0].gb_per_s_over_time == std::vector<double>{1, 2, 3, 0, 0});
  CHECK(traffic.levels[1].gb_per_s_over_time == std::vector<double>{10, 0, 0, 0, 0});
}

TEST_CASE("a sliver at the run's end belongs to the interval before it") {
  // 20 to 20.5 ns: a single transfer there would look like a peak.
  const Traffic traffic = traffic_of(run_of(20.5, {100, 95, 10}));
  CHECK(traffic.interval_ends_ns == std::vector<double>{10, 20.5});
  CHECK(traffic.levels[1].bytes_over_time == std::vector<std::uint64_t>{100, 105});
  CHECK(traffic.levels[1].gb_per_s_over_time == std::vector<double>{10, 10});
}

TEST_CASE("write-backs after the last kernel are traffic of whole intervals") {
  const Traffic traffic = traffic_of(run_of(15, {100, 100, 0, 40}));
  CHECK(traffic.interval_ends_ns == std::vector<double>{10, 20, 30, 40});
  CHECK(traffic.levels[1].gb_per_s_over_time == std::vector<double>{10, 10, 0, 4});
}

TEST_CASE("a run that moved nothing has levels without intervals") {
  const Traffic traffic = traffic_of(
      {{"time_ns", 0.0}, {"modules", {{"system.gpu0.dram0", {{"bandwidth", series(10, {})}}}}}});
  REQUIRE(traffic.levels.size() == 1);
  CHECK(traffic.interval_ends_ns.empty());
  CHECK(traffic.levels[0].gb_per_s_over_time.empty());
}

TEST_CASE("numbers in names count as numbers") {
  CHECK(natural_less("llc2", "llc10"));
  CHECK_FALSE(natural_less("llc10", "llc2"));
  CHECK(natural_less("a", "ab"));
  CHECK_FALSE(natural_less("llc2", "llc2"));
}

}  // namespace tessera::traffic_test
