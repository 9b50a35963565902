// SPDX-License-Identifier: Apache-2.0
// A miss routing policy from outside the tree, with which the two scenarios of the remote-core
// paper's figure 8 run on a whole GPU: a leader of 13 cores and a scout of 14.
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "policies/miss_routing.h"
#include "tests/platforms/gpu_rig.h"

namespace tessera::own_miss_routing_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr Address kShared = 1 << 20;
constexpr Address kOwn = 2 << 20;
constexpr std::uint32_t kBefore = 6;  ///< misses of core 0 before the one that is probed
constexpr std::uint32_t kAfter = 20;  ///< and after it, until the scout has returned

/// Only one miss of core 0 is probed: cores 1 to 13 by the leader, 14 to 27 by the scout.
class FigureEight final : public MissRouting {
 public:
  explicit FigureEight(std::uint32_t core) : core_(core) {}

  ProbeTargets route(const ReadMiss&) override {
    if (core_ != 0 || misses_++ != kBefore) return {};
    ProbeTargets targets(2);
    for (std::uint32_t c = 1; c < 28; ++c) targets[c < 14 ? 0 : 1].push_back(c);
    return targets;
  }

 private:
  const std::uint32_t core_;
  std::uint32_t misses_ = 0;
};

const PolicyRegistration<MissRouting> kRegistered(
    "figure-8", "a leader and a scout", [](const MissRoutingContext& context) {
      return std::unique_ptr<MissRouting>(std::make_unique<FigureEight>(context.core));
    });

/// The given cores load a line at once; core 0 loads it between lines of its own.
void run(GpuRig& rig, const std::vector<std::uint32_t>& holders) {
  std::vector<std::vector<ListAccess>> lists(28);
  for (const std::uint32_t core : holders) lists[core] = {{kShared}};
  for (std::uint32_t n = 0; n < kBefore; ++n) lists[0].push_back({kOwn + n * 128});
  lists[0].push_back({kShared});
  for (std::uint32_t n = 0; n < kAfter; ++n) lists[0].push_back({kOwn + (kBefore + n) * 128});
  ListKernel kernel(std::move(lists), true);
  rig.run(kernel);
  CHECK(rig.sum("probe", "supplied") == 1);
  CHECK(rig.sum("probe", "failed") == 0);
  CHECK(rig.sum("probe", "timeouts") == 0);
  CHECK(rig.sum("probe", "scouts") == 1);
  CHECK(rig.sum("llc", "local_lookups") == kBefore + kAfter + holders.size());
}

}  // namespace

TEST_CASE(
    "figure 8, first scenario: the leader returns with the line, the candidates are ignored") {
  GpuRig rig("mesh-28-8", {"system.miss_routing=figure-8"});
  run(rig, {3, 7, 20, 25});
  CHECK(rig.sum("probe", "leaders") == 1);
  CHECK(rig.sum("probe", "second_level") == 0);
  CHECK(rig.value("probe3", "lookup_hits") == 1);
  CHECK(rig.value("probe7", "lookups") == 0);
  CHECK(rig.value("probe20", "lookup_hits") == 1);
  CHECK(rig.value("probe25", "lookup_hits") == 1);
  // The leader has searched three cores, the scout all of its 14.
  CHECK(rig.sum("probe", "lookups") == 3 + 14);
  CHECK(rig.value("probe0", "search_length", "sum") == 3 + 14);
  CHECK(rig.sum("probe", "late") == 1);  // the scout
}

TEST_CASE("figure 8, second scenario: a second leader visits the scout's candidates") {
  GpuRig rig("mesh-28-8", {"system.miss_routing=figure-8"});
  run(rig, {20, 25});
  CHECK(rig.sum("probe", "leaders") == 2);
  CHECK(rig.sum("probe", "second_level") == 1);
  CHECK(rig.value("probe20", "lookups") == 2);
  CHECK(rig.value("probe25", "lookups") == 1);
  // The leader's 13 cores, the scout's 14, the first candidate.
  CHECK(rig.sum("probe", "lookups") == 13 + 14 + 1);
  CHECK(rig.value("probe0", "search_length", "sum") == 13 + 14 + 1);
  CHECK(rig.sum("probe", "late") == 0);
}

}  // namespace tessera::own_miss_routing_test
