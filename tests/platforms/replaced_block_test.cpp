// SPDX-License-Identifier: Apache-2.0
// A user's own sc_module (docs/guide/plugins.md has it) in the place of our LLC slice, without a
// change to the platform.
#include <catch2/catch.hpp>

#include "docs/guide/examples/plugin/uncached.cpp"
#include "platforms/simulation.h"
#include "stimuli/workload.h"

TEST_CASE("a workload verifies with a user's own LLC slice") {
  register_block("llc", "uncached", make_uncached);
  const ResolvedConfig config = resolve_config("uba-mem-small", {"impl.llc=uncached"});
  Simulation simulation(config);
  const auto workload = make_workload("vecadd");
  RunOptions options;
  options.values = ValueMode::kCarried;
  const RunResult r = simulation.run(*workload, options);
  CHECK_FALSE(r.failure.has_value());
  REQUIRE(r.verification.has_value());
  CHECK(r.verification->passed);
  CHECK(r.stats["modules"]["system.gpu0.llc0"]["served"].get<std::uint64_t>() > 0);
}

TEST_CASE("an unknown implementation is refused with the nearest name") {
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"impl.llc=tml"}),
                    Catch::Contains("did you mean 'tlm'?"));
}

TEST_CASE("a block without the sockets that a platform needs is refused") {
  register_block("llc", "uncached", make_uncached);
  const ResolvedConfig config = resolve_config("nuba-small", {"impl.llc=uncached"});
  CHECK_THROWS_WITH(Simulation(config),
                    Catch::Contains("llc0: implementation 'uncached' of 'llc' has 1 target and "
                                    "1 initiator sockets, this platform needs 2 target and 2"));
}
