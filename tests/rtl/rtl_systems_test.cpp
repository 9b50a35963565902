// SPDX-License-Identifier: Apache-2.0
// RTL blocks in whole systems.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "platforms/run_result.h"
#include "platforms/simulation.h"
#include "stimuli/workload.h"

namespace tessera::rtl_systems_test {

namespace {

// Cycles of mm.
constexpr std::uint64_t kUbaMem = 28498;
constexpr std::uint64_t kNuba = 31265;

RunResult run(const char* platform, const char* workload,
              const std::vector<std::string>& settings) {
  const ResolvedConfig config = resolve_config(platform, settings);
  Simulation simulation(config);
  const auto made = make_workload(workload);
  RunOptions options;
  options.values = ValueMode::kCarried;
  RunResult r = simulation.run(*made, options);
  CHECK_FALSE(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  return r;
}

}  // namespace

TEST_CASE("mm on uba-mem-small takes the model's cycles with every slice in RTL") {
  CHECK(run("uba-mem-small", "mm", {"impl.llc=rtl-llc"}).stats["cycles"] == kUbaMem);
}

TEST_CASE("mm on nuba-small takes the model's cycles with every slice in RTL") {
  CHECK(run("nuba-small", "mm", {"impl.llc=rtl-llc"}).stats["cycles"] == kNuba);
}

TEST_CASE("mm takes these cycles on uba-mem-small without RTL") {
  CHECK(run("uba-mem-small", "mm", {}).stats["cycles"] == kUbaMem);
}

TEST_CASE("mm takes these cycles on nuba-small without RTL") {
  CHECK(run("nuba-small", "mm", {}).stats["cycles"] == kNuba);
}

TEST_CASE("an RTL slice is refused in functional mode, before the run") {
  Simulation simulation(resolve_config("uba-mem-small", {"gpu0.llc3.impl=rtl-llc"}));
  const auto workload = make_workload("vecadd");
  CHECK_THROWS_WITH(simulation.run(*workload, {}),
                    "system.gpu0.llc3.impl = rtl-llc: RTL has bytes in each request; run with "
                    "--values carried");
}

TEST_CASE("histogram verifies with RTL slices, whose atomics go through atomic units") {
  const RunResult r = run("uba-mem-small", "histogram", {"impl.llc=rtl-llc"});
  std::uint64_t atomics = 0;
  for (unsigned i = 0; i < 8; ++i) {
    atomics +=
        r.stats["modules"]["system.gpu0.llc" + std::to_string(i)]["atomics"].get<std::uint64_t>();
  }
  CHECK(atomics > 0);
}

}  // namespace tessera::rtl_systems_test
