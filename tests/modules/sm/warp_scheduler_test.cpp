// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/warp_scheduler.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/modules/sm/sm_rig.h"

using namespace tessera;
using namespace tessera::test;

namespace {

/// The youngest warp: no part of Tessera, registered under a name. It counts its choices.
class Youngest final : public WarpScheduler {
 public:
  std::uint32_t choose(const WarpCandidates& c) override {
    std::uint32_t best = WarpTable::first(c.usable);
    for (std::uint64_t left = c.usable; left != 0; left &= left - 1) {
      const std::uint32_t slot = WarpTable::first(left);
      if (c.warps[slot].age > c.warps[best].age) best = slot;
    }
    ++choices;
    return best;
  }
  void reset() override { choices = 0; }
  unsigned choices = 0;
};

std::shared_ptr<Youngest> last_made;
std::shared_ptr<WarpScheduler> make_youngest() {
  last_made = std::make_shared<Youngest>();
  return last_made;
}
const bool kRegistered = register_warp_scheduler("youngest", make_youngest);

SmConfig with(const std::string& scheduler) {
  SmConfig c = plain();
  c.schedulers = 1;
  c.warp_scheduler = scheduler;
  return c;
}

}  // namespace

TEST_CASE("a warp scheduler from outside chooses the warp that issues") {
  REQUIRE(kRegistered);
  Rig rig(with("youngest"));
  ScriptedKernel k({{alu(), alu()}, {alu(), alu()}});
  rig.run(k);
  CHECK(k.cycle(1, 0) == 10);
  CHECK(k.cycle(1, 1) == 11);
  CHECK(k.cycle(0, 0) == 13);  // the youngest has exited
  CHECK(last_made->choices == 6);
  rig.sm.reset();
  CHECK(last_made->choices == 0);
}

TEST_CASE("greedy-then-oldest goes back to the oldest warp when the last one cannot issue") {
  Rig rig(with("gto"));
  ScriptedKernel k({{alu(1), alu(2, 1)}, {alu(), alu()}, {alu()}});
  rig.run(k);
  CHECK(k.cycle(0, 0) == 10);
  CHECK(k.cycle(1, 0) == 11);  // warp 0 waits for its result
  CHECK(k.cycle(1, 1) == 12);
  CHECK(k.cycle(0, 1) == 14);
  CHECK(k.cycle(2, 0) == 16);
}

TEST_CASE("loose round-robin skips warps that cannot issue") {
  Rig rig(with("lrr"));
  ScriptedKernel k({{alu(1), alu(2, 1)}, {alu(), alu()}, {alu(), alu()}});
  rig.run(k);
  CHECK(k.cycle(0, 0) == 10);
  CHECK(k.cycle(1, 0) == 11);
  CHECK(k.cycle(2, 0) == 12);
  CHECK(k.cycle(1, 1) == 13);
  CHECK(k.cycle(2, 1) == 14);
}

TEST_CASE("a configuration names a warp scheduler that exists") {
  SmConfig c;
  CHECK(c.validate().empty());
  c.warp_scheduler = "gtoo";
  REQUIRE(c.validate().size() == 1);
  CHECK(c.validate()[0].find("gtoo") != std::string::npos);
  CHECK_THROWS_WITH(make_warp_scheduler("gtoo"), Catch::Contains("gto"));
}
