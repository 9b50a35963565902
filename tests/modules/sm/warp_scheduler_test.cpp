// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/warp_scheduler.h"

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/modules/sm/sm_rig.h"

namespace tessera::warp_scheduler_test {

using namespace tessera::test;

namespace {

/// The youngest warp: no part of Tessera, registered under a name. It counts choices of each
/// scheduler of the SM.
class Youngest final : public WarpScheduler {
 public:
  std::uint32_t choose(const WarpCandidates& c) override {
    std::uint32_t best = WarpTable::first(c.usable);
    for (std::uint64_t left = c.usable; left != 0; left &= left - 1) {
      const std::uint32_t slot = WarpTable::first(left);
      if (c.warps[slot].age > c.warps[best].age) best = slot;
    }
    ++choices_.at(c.scheduler);
    return best;
  }
  void reset() override { choices_ = {}; }
  std::vector<PolicyCounter> counters() const override {
    return {{"youngest0", "choice", "choices for scheduler 0", &choices_[0]},
            {"youngest1", "choice", "choices for scheduler 1", &choices_[1]}};
  }

 private:
  std::array<std::uint64_t, 2> choices_{};
};

std::unique_ptr<WarpScheduler> make_youngest(const WarpScheduler::Context&) {
  return std::make_unique<Youngest>();
}
const PolicyRegistration<WarpScheduler> kRegistered("youngest", "the youngest warp", make_youngest);

std::uint64_t counted(const SmCluster& sm, const std::string& name) {
  StatisticsRegistry registry;
  sm.register_statistics(registry);
  return registry.sum("sm", name);
}

SmConfig with(const std::string& scheduler) {
  SmConfig c = plain();
  c.schedulers = 1;
  c.warp_scheduler.name = scheduler;
  return c;
}

}  // namespace

TEST_CASE("a warp scheduler from outside chooses the warp that issues") {
  Rig rig(with("youngest"));
  ScriptedKernel k({{alu(), alu()}, {alu(), alu()}});
  rig.run(k);
  CHECK(k.cycle(1, 0) == 10);
  CHECK(k.cycle(1, 1) == 11);
  CHECK(k.cycle(0, 0) == 13);  // the youngest has exited
  CHECK(counted(rig.sm, "youngest0") == 6);
  rig.sm.reset();
  CHECK(counted(rig.sm, "youngest0") == 0);
}

TEST_CASE("an SM's warp scheduler receives which of the SM's schedulers issues") {
  SmConfig config = with("youngest");
  config.schedulers = 2;
  Rig rig(config);
  ScriptedKernel k({{alu(), alu()}, {alu()}});
  rig.run(k);
  CHECK(counted(rig.sm, "youngest0") == 3);
  CHECK(counted(rig.sm, "youngest1") == 2);
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

TEST_CASE("an unknown warp scheduler is refused with the nearest name") {
  CHECK_THROWS_WITH(make_policy<WarpScheduler>("gtoo"),
                    Catch::Contains("unknown warp_scheduler policy 'gtoo'") &&
                        Catch::Contains("did you mean 'gto'?"));
}

}  // namespace tessera::warp_scheduler_test
