// SPDX-License-Identifier: Apache-2.0
// Kernels that run at the same time, in the CtaDispatcher.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/error.h"
#include "tests/modules/host/dispatcher_rig.h"

namespace tessera::concurrent_kernels_test {

namespace {

FakeKernel kernel_of(std::uint32_t ctas, std::uint64_t takes, bool cooperative = false) {
  return FakeKernel(ctas, 32, cooperative, takes);
}

/// When the CTAs of an SM start, in cycles, with the launch that each belongs to.
using Starts = std::vector<std::pair<unsigned, std::uint64_t>>;

Starts starts_of(const FakeSm& sm) {
  Starts all;
  for (std::size_t i = 0; i < sm.starts.size(); ++i) {
    all.emplace_back(sm.launched[i], kClock.cycle_at(sm.starts[i]));
  }
  return all;
}

std::vector<std::uint64_t> cycles(const std::vector<Tick>& ticks) {
  std::vector<std::uint64_t> all;
  for (const Tick t : ticks) all.push_back(kClock.cycle_at(t));
  return all;
}

std::uint64_t ended(const Rig::Launched& launch) {
  REQUIRE(launch.ended_at != kNever);
  REQUIRE_FALSE(launch.error);
  return kClock.cycle_at(launch.ended_at);
}

}  // namespace

// A launch of time 0 begins in cycle 1. A CTA starts in the cycle after it is dealt. Its end takes
// effect in the cycle after it, where the SM gets the next CTA. Caches are empty two cycles after a
// flush begins.

TEST_CASE("leftover: an SM gets CTAs of the second kernel when the first has none left for it") {
  Rig rig(2, "distributed", 2);
  FakeKernel first = kernel_of(3, 10);
  FakeKernel second = kernel_of(4, 10);
  rig.launch(first);
  rig.launch(second);
  rig.run(1'000);
  // "distributed": the first kernel's CTA 0 is for SM 0, CTAs 1 and 2 for SM 1.
  CHECK(starts_of(*rig.sms[0]) == Starts{{1, 2}, {2, 3}, {2, 14}});
  CHECK(starts_of(*rig.sms[1]) == Starts{{1, 2}, {1, 3}, {2, 14}, {2, 15}});
  // CTAs end in cycles 12 and 13, so that the flush begins in 14. The other one: 24, 25; 26.
  CHECK(ended(rig.launches[0]) == 16);
  CHECK(ended(rig.launches[1]) == 28);
  CHECK(cycles(rig.beside.flushed) == std::vector<std::uint64_t>{14});
  CHECK(cycles(rig.caches[0]->flushed) == std::vector<std::uint64_t>{26});
  CHECK(kClock.cycle_at(rig.launches[1].first_cta_at) == 3);
  CHECK(rig.launches[0].alone == std::vector<bool>{true});
  CHECK(rig.launches[1].alone == std::vector<bool>{false});
  CHECK(rig.launches[1].turn == kNever);
  // Time in which both run counts once.
  CHECK(rig.dispatcher.stats().busy_cycles == 27);
  CHECK(rig.dispatcher.stats().ctas == 7);
  CHECK(rig.dispatcher.stats().kernels == 2);
}

TEST_CASE("leftover: a kernel whose next CTA does not fit holds up the kernels after it") {
  Rig rig(1, "distributed", 64);
  FakeKernel wide(2, 2048, false, 10);  // one a time
  FakeKernel narrow = kernel_of(1, 10);
  rig.launch(wide);
  rig.launch(narrow);
  rig.run(1'000);
  // An SM has 2048 threads: the last wide CTA leaves none either.
  CHECK(starts_of(*rig.sms[0]) == Starts{{1, 2}, {1, 14}, {2, 26}});
}

TEST_CASE("even: an SM gets the next CTA of the kernel that has fewest on it") {
  Rig rig(1, "distributed", 2, 0, "even");
  FakeKernel first = kernel_of(3, 10);
  FakeKernel second = kernel_of(2, 10);
  rig.launch(first);
  rig.launch(second);
  rig.run(1'000);
  CHECK(starts_of(*rig.sms[0]) == Starts{{1, 2}, {2, 3}, {1, 14}, {2, 15}, {1, 26}});
}

TEST_CASE("sequential: a kernel begins when the flush of the kernel before it has ended") {
  Rig rig(2, "distributed", 2, 0, "sequential");
  FakeKernel first = kernel_of(2, 10);
  FakeKernel second = kernel_of(2, 10);
  rig.launch(first);
  rig.launch(second);
  rig.run(1'000);
  CHECK(ended(rig.launches[0]) == 15);
  CHECK(kClock.cycle_at(rig.launches[1].turn) == 15);
  CHECK(rig.launches[0].turn == kNever);
  for (const auto& sm : rig.sms) CHECK(starts_of(*sm) == Starts{{1, 2}, {2, 16}});
  CHECK(rig.beside.flushed.empty());
  CHECK(cycles(rig.caches[1]->flushed) == std::vector<std::uint64_t>{13, 27});
  CHECK(rig.launches[1].alone == std::vector<bool>{true});
}

TEST_CASE("partitioned: each kernel has half of the SMs, and a third one waits for a free half") {
  Rig rig(4, "distributed", 2, 0, "partitioned");
  FakeKernel first = kernel_of(2, 10);
  FakeKernel second = kernel_of(3, 100);
  FakeKernel third = kernel_of(2, 10);
  rig.launch(first);
  rig.launch(second);
  rig.launch(third);
  rig.run(1'000);
  // The first ends in cycle 15, after its flush. The third needs the SMs from cycle 13 on only.
  for (const unsigned sm : {0U, 1U}) CHECK(starts_of(*rig.sms[sm]) == Starts{{1, 2}, {3, 14}});
  CHECK(starts_of(*rig.sms[2]) == Starts{{2, 2}});
  CHECK(starts_of(*rig.sms[3]) == Starts{{2, 2}, {2, 3}});
  CHECK(ended(rig.launches[0]) == 15);
  CHECK(kClock.cycle_at(rig.launches[2].turn) == 13);
}

TEST_CASE("a kernel of higher priority gets the next CTAs, and CTAs that run stay") {
  Rig rig(1, "distributed", 1);
  FakeKernel low = kernel_of(3, 10);
  FakeKernel high = kernel_of(2, 10);
  rig.launch(low);
  rig.run(5);
  rig.launch(high, -1);
  rig.run(1'000);
  CHECK(starts_of(*rig.sms[0]) == Starts{{1, 2}, {2, 14}, {2, 26}, {1, 38}, {1, 50}});
}

TEST_CASE("kernels that end while a flush runs share the next one") {
  Rig rig(4, "round-robin", 1);
  FakeKernel first = kernel_of(1, 10);
  FakeKernel second = kernel_of(1, 10);
  FakeKernel third = kernel_of(1, 11);
  FakeKernel last = kernel_of(1, 100);
  for (FakeKernel* k : {&first, &second, &third, &last}) rig.launch(*k);
  rig.run(1'000);
  // A kernel has all SMs in turn: SM 0 runs the first one, and so on, all from cycle 2 on. The
  // first two end together.
  CHECK(ended(rig.launches[0]) == 15);
  CHECK(ended(rig.launches[1]) == 15);
  // The third's CTA has ended in cycle 14, while the flush of cycle 13 ran.
  CHECK(ended(rig.launches[2]) == 17);
  CHECK(cycles(rig.beside.flushed) == std::vector<std::uint64_t>{13, 15});
  CHECK(ended(rig.launches[3]) == 105);
  CHECK(cycles(rig.caches[0]->flushed) == std::vector<std::uint64_t>{103});
}

TEST_CASE("a kernel begins during a flush beside kernels, and after a flush that runs alone") {
  Rig rig(2, "round-robin", 1);
  FakeKernel first = kernel_of(1, 10);
  FakeKernel second = kernel_of(1, 20);
  FakeKernel third = kernel_of(1, 10);
  FakeKernel fourth = kernel_of(1, 10);
  rig.launch(first);
  rig.launch(second);
  rig.run(12);
  rig.launch(third);  // begins in cycle 13, where the flush of the first one begins
  rig.run(23 + 1 - 12);
  REQUIRE(kClock.cycle_at(now()) == 24);
  rig.run(13);
  REQUIRE(kClock.cycle_at(now()) == 37);
  CHECK(rig.ended == 3);
  CHECK(starts_of(*rig.sms[0]) == Starts{{1, 2}, {3, 14}});
  rig.launch(fourth);
  rig.run(1'000);
  CHECK(kClock.cycle_at(rig.launches[3].first_cta_at) == 39);
  // The third ends in cycle 25 beside nothing: the second's CTA ended in cycle 22.
  CHECK(cycles(rig.beside.flushed) == std::vector<std::uint64_t>{13, 23});
  CHECK(cycles(rig.caches[0]->flushed) == std::vector<std::uint64_t>{25, 50});
}

TEST_CASE("a kernel that is launched while a flush runs alone waits for the end of the flush") {
  Rig rig(1, "distributed", 1);
  FakeKernel first = kernel_of(1, 10);
  FakeKernel second = kernel_of(1, 10);
  rig.launch(first);
  // The CTA ends in cycle 12. The flush runs from cycle 13 to 15. Launched in cycle 13, the second
  // kernel could begin in 14, and its flush begins when its CTA of cycle 16 has ended in 26.
  rig.run(13);
  rig.launch(second);
  rig.run(1'000);
  CHECK(cycles(rig.caches[0]->flushed) == std::vector<std::uint64_t>{13, 27});
  CHECK(rig.beside.flushed.empty());
  CHECK(starts_of(*rig.sms[0]) == Starts{{1, 2}, {2, 16}});
  CHECK(kClock.cycle_at(rig.launches[1].turn) == 15);
  CHECK(ended(rig.launches[0]) == 15);
  CHECK(ended(rig.launches[1]) == 29);
}

TEST_CASE("a kernel that begins before the flush of the last other kernel runs beside the flush") {
  Rig rig(1, "distributed", 1);
  FakeKernel first = kernel_of(1, 10);
  FakeKernel second = kernel_of(1, 10);
  rig.launch(first);
  // As above, but launched in cycle 11, the second kernel begins in 12, a cycle before the flush.
  rig.run(11);
  rig.launch(second);
  rig.run(1'000);
  CHECK(cycles(rig.beside.flushed) == std::vector<std::uint64_t>{13});
  CHECK(cycles(rig.caches[0]->flushed) == std::vector<std::uint64_t>{25});
  CHECK(starts_of(*rig.sms[0]) == Starts{{1, 2}, {2, 14}});
  CHECK(rig.launches[1].turn == kNever);
  CHECK(ended(rig.launches[0]) == 15);
  CHECK(ended(rig.launches[1]) == 27);
}

TEST_CASE("cooperative kernels do not run at the same time, and another kernel runs beside one") {
  Rig rig(2, "round-robin", 2);
  FakeKernel first = kernel_of(1, 30, true);
  FakeKernel second = kernel_of(1, 10, true);
  FakeKernel third = kernel_of(1, 10);
  rig.launch(first);
  rig.launch(second);
  rig.launch(third);
  rig.run(1'000);
  CHECK(kClock.cycle_at(rig.launches[0].first_cta_at) == 2);
  CHECK(kClock.cycle_at(rig.launches[2].first_cta_at) == 2);
  // The first one's CTA ends in cycle 32; the flush then runs alone.
  CHECK(ended(rig.launches[0]) == 35);
  CHECK(kClock.cycle_at(rig.launches[1].first_cta_at) == 36);
}

TEST_CASE("with a flush that is put off, a kernel's flush can run beside kernels") {
  Rig rig(2, "round-robin", 1);
  rig.dispatcher.flush_before_kernels();
  FakeKernel first = kernel_of(1, 10);
  FakeKernel second = kernel_of(1, 100);
  FakeKernel third = kernel_of(1, 10);
  rig.launch(first);
  rig.launch(second);
  rig.run(20);
  CHECK(ended(rig.launches[0]) == 13);  // without flush
  CHECK(rig.beside.flushed.empty());
  rig.launch(third);
  rig.run(1'000);
  CHECK(cycles(rig.beside.flushed) == std::vector<std::uint64_t>{21});
  CHECK(kClock.cycle_at(rig.launches[2].first_cta_at) == 24);
  CHECK(rig.caches[0]->flushed.empty());
}

TEST_CASE("a kernel that is refused leaves the others running, and a failed one ends all of them") {
  Rig rig(2, "round-robin", 1);
  FakeKernel first = kernel_of(1, 50);
  FakeKernel wide(1, 4096);
  FakeKernel third = kernel_of(1, 50);
  rig.launch(first);
  rig.launch(wide);
  rig.run(10);
  REQUIRE(rig.launches[1].error);
  CHECK_THROWS_AS(std::rethrow_exception(rig.launches[1].error), InputError);
  CHECK(rig.ended == 1);
  rig.launch(third);
  rig.run(10);
  rig.dispatcher.kernel_failed(SmId(1), std::make_exception_ptr(RunError("broken")));
  rig.run(10);
  REQUIRE(rig.ended == 3);
  CHECK_THROWS_WITH(std::rethrow_exception(rig.launches[0].error), "broken");
  CHECK_THROWS_WITH(std::rethrow_exception(rig.launches[2].error), "broken");
  CHECK(rig.dispatcher.idle());
}

TEST_CASE("launch numbers are given out in turn, none to two kernels that run") {
  Rig rig(2, "round-robin", 64);
  FakeKernel longest = kernel_of(1, 100'000);
  FakeKernel brief = kernel_of(1, 1);
  CHECK(rig.launch(longest).slot == LaunchSlot(1));
  for (unsigned i = 0; i < 200; ++i) {
    const LaunchSlot slot = rig.launch(brief).slot;
    CHECK(slot == LaunchSlot(2 + i % 62));
    rig.run(20);
    REQUIRE(rig.ended == i + 1);
  }
}

namespace {

/// 40 kernels of random sizes, priorities and launch times.
void run_random(const std::string& kernels) {
  Rig rig(5, "distributed", 3, 2, kernels);
  std::mt19937_64 random(7);
  std::vector<std::unique_ptr<FakeKernel>> all;
  std::map<unsigned, std::uint32_t> ctas;
  for (unsigned i = 0; i < 40; ++i) {
    const auto n = static_cast<std::uint32_t>(1 + random() % 30);
    all.push_back(std::make_unique<FakeKernel>(n));
    const auto priority = static_cast<std::int32_t>(random() % 3);
    ctas[rig.launch(*all.back(), priority).slot.value] = n;
    rig.run(random() % 60);
    if (rig.launches.size() - rig.ended > 20) rig.run(1'000);
  }
  rig.run(100'000);
  REQUIRE(rig.ended == 40);
  CHECK(rig.dispatcher.idle());
  std::map<unsigned, std::set<std::uint32_t>> started;
  for (const auto& sm : rig.sms) {
    CHECK(sm->most == 3);
    for (std::size_t i = 0; i < sm->started.size(); ++i) {
      CHECK(started[sm->launched[i]].insert(sm->started[i]).second);
    }
  }
  for (const auto& [slot, n] : ctas) CHECK(started[slot].size() == n);
  for (const Rig::Launched& launch : rig.launches) CHECK_FALSE(launch.error);
}

}  // namespace

TEST_CASE("leftover: of random kernels each CTA starts once, and an SM holds what fits") {
  run_random("leftover");
}
TEST_CASE("even: of random kernels each CTA starts once, and an SM holds what fits") {
  run_random("even");
}

}  // namespace tessera::concurrent_kernels_test
