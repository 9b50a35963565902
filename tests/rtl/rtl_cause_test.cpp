// SPDX-License-Identifier: Apache-2.0
// Why a system's cycles differ between RTL slices and the model's: the model's slice can send
// several requests in a cycle to a channel that accepts them at once. With a link to the channel
// that accepts one a cycle, the cycles are equal.
#include <catch2/catch.hpp>
#include <string>

#define TESSERA_IN_TREE
#include "docs/guide/examples/plugin/queued_link.cpp"
#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "stimuli/workload.h"
#include "tests/support/temporary_file.h"

namespace tessera::rtl_cause_test {

namespace {

std::uint64_t cycles(const std::string& base, const char* workload, const char* slice) {
  const test::TemporaryFile platform(R"({"base": ")" + base +
                                     R"(", "insert": {"memory": "queued_link"}, )" +
                                     R"("queued_link": {"entries": 1, "latency_cycles": 1}})");
  Simulation simulation(resolve_config(platform.path(), {std::string("impl.llc=") + slice}));
  RunOptions options;
  options.values = ValueMode::kCarried;
  const RunResult r = simulation.run(*make_workload(workload), options);
  REQUIRE_FALSE(r.failure.has_value());
  REQUIRE(r.verification->passed);
  return r.stats["cycles"];
}

constexpr std::uint64_t kTranspose = 55435;
constexpr std::uint64_t kKmeans = 41126;

}  // namespace

TEST_CASE("one request a cycle to the channel: transpose on nuba-small, the model's slices") {
  CHECK(cycles("nuba-small", "transpose", "tlm") == kTranspose);
}

TEST_CASE("one request a cycle to the channel: transpose on nuba-small, RTL slices") {
  CHECK(cycles("nuba-small", "transpose", "rtl-llc") == kTranspose);
}

TEST_CASE("one request a cycle to the channel: kmeans on uba-mem-small, the model's slices") {
  CHECK(cycles("uba-mem-small", "kmeans", "tlm") == kKmeans);
}

TEST_CASE("one request a cycle to the channel: kmeans on uba-mem-small, RTL slices") {
  CHECK(cycles("uba-mem-small", "kmeans", "rtl-llc") == kKmeans);
}

}  // namespace tessera::rtl_cause_test
