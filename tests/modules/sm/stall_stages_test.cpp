// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/stall_stages.h"

#include <catch2/catch.hpp>

#include "modules/protocol/memory_request.h"

namespace tessera::stall_stages_test {

namespace {

const ClockDomain kClock(1'000'000'000);
constexpr Tick kCycle = 1'000'000;

constexpr std::size_t index(LoadStage s) { return static_cast<std::size_t>(s); }
constexpr std::size_t index(LoadPath p) { return static_cast<std::size_t>(p); }

/// Issued in cycle 100, sent to the L1 in 110, back in 500.
LoadStageTimes load_of(const MemoryRequest& request) {
  return {100 * kCycle, 110 * kCycle, request, 500 * kCycle};
}

MemoryRequest miss_in_slice() {
  MemoryRequest r;
  r.stamp(Hop::kIssued) = 150 * kCycle;
  r.stamp(Hop::kAtLlc) = 180 * kCycle;
  r.stamp(Hop::kToDram) = 300 * kCycle;
  r.stamp(Hop::kFromDram) = 410 * kCycle;
  r.stamp(Hop::kFromLlc) = 430 * kCycle;
  return r;
}

}  // namespace

TEST_CASE("the time of a wait is in the stages that the load passed in it") {
  MemoryWaits s;
  load_of(miss_in_slice()).add_since(200 * kCycle, kClock, s);
  CHECK(s.stats.by_stage[index(LoadStage::kTranslation)] == 0);
  CHECK(s.stats.by_stage[index(LoadStage::kL1Hit)] == 0);
  CHECK(s.stats.by_stage[index(LoadStage::kL1Miss)] == 0);
  CHECK(s.stats.by_stage[index(LoadStage::kRequestNetwork)] == 0);
  CHECK(s.stats.by_stage[index(LoadStage::kLlc)] == 100 * kCycle);
  CHECK(s.stats.by_stage[index(LoadStage::kDram)] == 110 * kCycle);
  CHECK(s.stats.by_stage[index(LoadStage::kLlcReturn)] == 20 * kCycle);
  CHECK(s.stats.by_stage[index(LoadStage::kResponseNetwork)] == 70 * kCycle);
  // 50 cycles after it left the L1: below 64.
  CHECK(s.ages[index(LoadPath::kDram)][6] == 1);
  CHECK(s.age_waits[index(LoadPath::kDram)][6] == 300 * kCycle);

  // A second wait, of which the load was in the L1 and before it.
  load_of(miss_in_slice()).add_since(105 * kCycle, kClock, s);
  CHECK(s.stats.by_stage[index(LoadStage::kTranslation)] == 5 * kCycle);
  CHECK(s.stats.by_stage[index(LoadStage::kL1Miss)] == 40 * kCycle);
  CHECK(s.stats.by_stage[index(LoadStage::kRequestNetwork)] == 30 * kCycle);
  CHECK(s.stats.by_stage[index(LoadStage::kLlc)] == 220 * kCycle);
  CHECK(s.ages[index(LoadPath::kDram)][0] == 1);
  CHECK(s.age_waits[index(LoadPath::kDram)][0] == 395 * kCycle);
}

TEST_CASE("a hit of a slice has no time in DRAM, and a hit of the L1 none behind it") {
  MemoryRequest r = miss_in_slice();
  r.stamp(Hop::kToDram) = r.stamp(Hop::kFromDram) = kNever;
  MemoryWaits s;
  load_of(r).add_since(0, kClock, s);
  CHECK(s.stats.by_stage[index(LoadStage::kLlc)] == 250 * kCycle);
  CHECK(s.stats.by_stage[index(LoadStage::kDram)] == 0);
  CHECK(s.stats.by_stage[index(LoadStage::kLlcReturn)] == 0);
  CHECK(s.ages[index(LoadPath::kLlc)][0] == 1);

  MemoryWaits hit;
  load_of(MemoryRequest()).add_since(490 * kCycle, kClock, hit);
  CHECK(hit.stats.by_stage[index(LoadStage::kL1Hit)] == 10 * kCycle);
  CHECK(hit.stats.by_stage[index(LoadStage::kL1Miss)] == 0);
  // 380 cycles after it was sent.
  CHECK(hit.ages[index(LoadPath::kL1)][9] == 1);
}

TEST_CASE("ages above the last bucket count in it") {
  MemoryWaits s;
  LoadStageTimes(0, 0, MemoryRequest(), 200'000 * kCycle).add_since(100'000 * kCycle, kClock, s);
  CHECK(s.ages[index(LoadPath::kL1)][MemoryWaits::kAges - 1] == 1);
}

TEST_CASE("sums and differences of waits have all fields") {
  MemoryWaits a;
  load_of(miss_in_slice()).add_since(0, kClock, a);
  MemoryWaits b = a;
  load_of(MemoryRequest()).add_since(200 * kCycle, kClock, b);
  const MemoryWaits d = b - a;
  CHECK(d.stats.by_stage[index(LoadStage::kL1Hit)] == 300 * kCycle);
  CHECK(d.stats.by_stage[index(LoadStage::kLlc)] == 0);
  CHECK(d.ages[index(LoadPath::kL1)][7] == 1);
  CHECK(d.ages[index(LoadPath::kDram)][0] == 0);
  CHECK(d.age_waits[index(LoadPath::kL1)][7] == 300 * kCycle);
  MemoryWaits sum = a;
  sum += d;
  CHECK(sum.stats.by_stage == b.stats.by_stage);
  CHECK(sum.ages == b.ages);
  CHECK(sum.age_waits == b.age_waits);
}

}  // namespace tessera::stall_stages_test
