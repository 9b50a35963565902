// SPDX-License-Identifier: Apache-2.0
// A user's own sc_module (docs/guide/plugins.md has it) in the place of our LLC slice, without a
// change to the platform.
#include <catch2/catch.hpp>

#include "docs/guide/examples/plugin/uncached.cpp"
#include "platforms/simulation.h"
#include "stimuli/workload.h"

TEST_CASE("a workload verifies with a user's own LLC slice") {
  register_block<LlcSite>("uncached", make_uncached);
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

TEST_CASE("one slice of many is a user's own, by its own setting") {
  register_block<LlcSite>("uncached", make_uncached);
  const ResolvedConfig config = resolve_config(
      "uba-mem-small", {"system.gpu0.llc3.impl=uncached", "system.gpu0.llc2.sets=24"});
  Simulation simulation(config);
  const auto workload = make_workload("vecadd");
  RunOptions options;
  options.values = ValueMode::kCarried;
  const RunResult r = simulation.run(*workload, options);
  CHECK_FALSE(r.failure.has_value());
  CHECK(r.stats["modules"]["system.gpu0.llc3"]["served"].get<std::uint64_t>() > 0);
  CHECK_FALSE(r.stats["modules"]["system.gpu0.llc2"].contains("served"));
}

namespace {

/// Our walker, made by a user's factory.
int walkers_made = 0;

BlockHandle make_counted_walker(const WalkerSite& site) {
  ++walkers_made;
  return make_block("tlm", site);
}

}  // namespace

TEST_CASE("every kind of block can be a user's own: the page walker") {
  register_block<WalkerSite>("counted", make_counted_walker);
  const Simulation simulation(resolve_config("dca-small", {"impl.walker=counted"}));
  CHECK(walkers_made == 1);
}

TEST_CASE("every kind of block has a parameter and a factory") {
  const auto d = resolve_config("uba-mem-small", {}).to_json();
  for (const char* kind : kBlockKinds) {
    CAPTURE(kind);
    CHECK(d["impl"][kind] == "tlm");
    CHECK(block_implementations(kind) == std::vector<std::string>{"tlm"});
  }
  CHECK(d["impl"].size() == kBlockKinds.size());
}

TEST_CASE("one block's unknown implementation is refused with the nearest name") {
  CHECK_THROWS_WITH(
      resolve_config("uba-mem-small", {"system.gpu0.llc3.impl=tml"}),
      Catch::Contains("no implementation of 'llc' is named 'tml'; did you mean 'tlm'?"));
}

TEST_CASE("an unknown implementation is refused with the nearest name") {
  CHECK_THROWS_WITH(resolve_config("uba-mem-small", {"impl.llc=tml"}),
                    Catch::Contains("did you mean 'tlm'?"));
}

TEST_CASE("a block without the sockets that a platform needs is refused") {
  register_block<LlcSite>("uncached", make_uncached);
  const ResolvedConfig config = resolve_config("nuba-small", {"impl.llc=uncached"});
  CHECK_THROWS_WITH(Simulation(config),
                    Catch::Contains("llc0: implementation 'uncached' of 'llc' has 1 target and "
                                    "1 initiator sockets, this platform needs 2 target and 2"));
}
