// SPDX-License-Identifier: Apache-2.0
// Figures of locality on trees of several levels, from the statistics of their single blocks.
#include <catch2/catch.hpp>
#include <regex>
#include <string>
#include <vector>

#include "common/json.h"
#include "platforms/derived.h"
#include "tests/platforms/numbered_statistics.h"

namespace tessera::nested_figures_test {

using namespace tessera::test;

namespace {

/// The modules whose name below "system." is like `pattern`.
std::vector<std::string> like(const NumberedStatistics& s, const std::string& pattern) {
  const std::regex whole("system\\.(" + pattern + ")");
  std::vector<std::string> found;
  for (const auto& [module, statistics] : s.modules().items()) {
    std::smatch match;
    if (std::regex_match(module, match, whole)) found.push_back(match[1]);
  }
  return found;
}

struct Expected {
  std::size_t l1s = 0;
  std::size_t slices = 0;
  std::string planes;  ///< names of the networks between modules; empty: none
  std::size_t plane_count = 0;
  std::size_t gpus = 0;
  bool partitions = false;  ///< a local miss is one that the SM's own partition serves
};

void check(const std::string& platform, const Expected& e) {
  const NumberedStatistics s(platform);
  const auto l1s = like(s, R"(gpu\d+\.l1_\d+)");
  const auto slices = like(s, R"(gpu\d+\.llc\d+)");
  const auto engines = like(s, R"(gpu\d+\.rdma)");
  REQUIRE(l1s.size() == e.l1s);
  REQUIRE(slices.size() == e.slices);
  REQUIRE(engines.size() == e.gpus);
  double leaving = s.sum(engines, "requests_in");
  if (!e.planes.empty()) {
    const auto planes = like(s, R"(gpu\d+\.)" + e.planes + R"(\d+)");
    REQUIRE(planes.size() == e.plane_count);
    leaving += s.sum(planes, "request_packets");
  }
  const double accesses =
      s.sum(slices, "reads") + s.sum(slices, "writes") + s.sum(slices, "atomics");
  const double misses = e.partitions ? s.sum(slices, "sm_loads") : s.sum(l1s, "load_misses");
  const double local =
      e.partitions ? s.sum(slices, "sm_loads_served") : misses - s.sum(l1s, "remote_load_misses");
  const auto pages = std::vector<std::uint64_t>(s.config().gpu.system.channels, 1);
  const nlohmann::ordered_json d = derive(s.modules(), s.config().gpu, 1000, pages);
  CHECK(d.at("off_node_fraction").get<double>() == Approx(leaving / accesses).epsilon(1e-12));
  CHECK(d.at("l1_miss_local_fraction").get<double>() == Approx(local / misses).epsilon(1e-12));
}

}  // namespace

TEST_CASE("locality of GPUs of modules: dca-mcm-small", "[figures]") {
  check("dca-mcm-small", {16, 16, "ring", 8, 4});
}

TEST_CASE("locality of GPUs of partitions: dualopt-nuba-small", "[figures]") {
  check("dualopt-nuba-small", {16, 8, "", 0, 4, true});
}

TEST_CASE("locality of a user's tree of all three levels", "[figures]") {
  check(TESSERA_SOURCE_DIR "/docs/guide/examples/own-tree.json", {16, 8, "ring", 4, 2, true});
}

}  // namespace tessera::nested_figures_test
