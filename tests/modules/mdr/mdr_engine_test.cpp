// SPDX-License-Identifier: Apache-2.0
#include "modules/mdr/mdr_engine.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/json.h"
#include "modules/kernel/sc_time.h"
#include "modules/kernel/timed_queue.h"
#include "modules/protocol/memory_request.h"

namespace tessera::mdr_engine_test {

namespace {

constexpr auto kLocal = AccessOrigin::kLocal;
constexpr auto kArriving = AccessOrigin::kRemoteArriving;
constexpr auto kLeaving = AccessOrigin::kRemoteLeaving;
constexpr MdrBandwidths kRaw{1024, 128, 256};
constexpr std::uint64_t kEpoch = 1000;

const ClockDomain kClock(1'400'000'000);

/// Does things at clock edges.
struct Actor final : sc_core::sc_module {
  explicit Actor(const sc_core::sc_module_name& n) : sc_module(n) {
    wake.bind<&Actor::work>(*this);
  }
  void at(std::uint64_t cycle, std::function<void()> action) {
    todo.push(kClock.time_of(cycle), 0, std::move(action));
    wake.at(todo.next_due());
  }
  void work() {
    while (todo.due(now())) todo.pop()();
    wake.at(todo.next_due());
  }
  TimedQueue<std::function<void()>> todo;
  ProcessTimer wake;
};

MdrConfig small(std::uint64_t epoch = kEpoch, std::uint32_t evaluation = MdrConfig::kModelCycles) {
  MdrConfig c;
  c.epoch_cycles = epoch;
  c.evaluation_cycles = evaluation;
  c.sampled_sets = 2;
  return c;
}

/// An engine on a slice of 4 sets (0 and 2 sampled) of 4 ways.
struct Rig {
  Actor before{"before"};
  ReplicationSwitch decision;
  MdrEngine mdr;
  Actor after{"after"};

  explicit Rig(const MdrConfig& config = small(), const MdrBandwidths& raw = kRaw)
      : mdr("mdr", config, {4, 4, 0, true}, raw, decision) {}

  void see(std::uint64_t cycle, AccessOrigin origin, std::uint64_t line, bool read_only = true,
           std::uint64_t set = 0) {
    before.at(cycle, [=] { access(origin, line, read_only, set); });
  }
  void access(AccessOrigin origin, std::uint64_t line, bool read_only = true,
              std::uint64_t set = 0) {
    MemoryRequest request;
    request.set_home(Home(SliceId(0), set), line * 128);
    request.read_only = read_only;
    mdr.on_access({origin, line * 128, request});
  }
  /// What tells for replication: remote lines, used again and again. All at one cycle.
  /// 7 of 8 accesses hit under either policy.
  void see_reuse(std::uint64_t cycle) {
    for (unsigned i = 0; i < 8; ++i) {
      see(cycle, kLeaving, 100);
      see(cycle, kArriving, 1);
    }
  }
  /// What tells against: local reuse only, so that both estimates are equal.
  void see_local(std::uint64_t cycle) {
    for (unsigned i = 0; i < 8; ++i) see(cycle, kLocal, 7, false);
  }
  /// Whether the switch is on, as two processes see it that run at this edge.
  void expect(std::uint64_t cycle, bool on) {
    for (Actor* a : {&before, &after}) {
      a->at(cycle, [this, cycle, on] {
        CAPTURE(cycle);
        CHECK(decision.on() == on);
        ++checked;
      });
    }
    expected += 2;
  }
  void run(std::uint64_t to_cycle) {
    sc_core::sc_start(to_sc_time(kClock.time_of(to_cycle) - now()));
  }
  /// Every check that was asked for has been made.
  ~Rig() { CHECK(checked == expected); }
  unsigned checked = 0;
  unsigned expected = 0;
};

}  // namespace

TEST_CASE("MDR: a decision takes effect exactly 116 cycles after the end of its epoch") {
  Rig rig;
  rig.see_reuse(10);
  rig.expect(kEpoch, false);
  rig.expect(kEpoch + 115, false);
  rig.expect(kEpoch + 116, true);
  rig.see_local(kEpoch + 20);
  rig.expect(2 * kEpoch + 115, true);
  rig.expect(2 * kEpoch + 116, false);
  rig.run(5 * kEpoch);
  CHECK(rig.mdr.stats().epochs == 2);
  CHECK(rig.mdr.stats().decisions_replicate == 1);
  CHECK(rig.mdr.stats().decisions_no_replication == 1);
  CHECK(rig.mdr.stats().switches == 2);
  CHECK(rig.mdr.replicated_cycles() == kEpoch);
}

TEST_CASE("MDR: epoch and evaluation follow their parameters, down to one cycle") {
  Rig rig(small(2, 1));
  rig.see_reuse(7);
  rig.expect(8, false);
  rig.expect(9, true);
  rig.see_local(9);
  rig.expect(10, true);
  rig.expect(11, false);
  rig.run(20);
  CHECK(rig.mdr.replicated_cycles() == 2);
}

TEST_CASE("MDR: the paper's epochs end at multiples of 20 K cycles") {
  MdrConfig paper;
  paper.sampled_sets = 2;
  Rig rig(paper);
  rig.see_reuse(39'999);
  rig.expect(20'116, false);
  rig.expect(40'115, false);
  rig.expect(40'116, true);
  rig.run(50'000);
  CHECK(rig.mdr.stats().epochs == 1);
}

namespace {

/// Processes of an instant run in the order in which their blocks were built. `slice`: one that was
/// built before the engine, or after it.
void check_edge(Rig& rig, Actor& slice) {
  rig.see_local(10);
  slice.at(kEpoch, [&rig] {
    for (unsigned i = 0; i < 8; ++i) {
      rig.access(kLeaving, 100);
      rig.access(kArriving, 1);
    }
  });
  rig.expect(kEpoch + 116, false);
  rig.expect(2 * kEpoch + 115, false);
  rig.expect(2 * kEpoch + 116, true);
  rig.run(kEpoch + 100);
  CHECK(rig.mdr.stats().epochs == 1);
  CHECK(rig.mdr.stats().sampled.local == 8);
  CHECK(rig.mdr.stats().sampled.leaving == 0);
  rig.run(3 * kEpoch);
  CHECK(rig.mdr.stats().epochs == 2);
  CHECK(rig.mdr.stats().sampled.leaving == 8);
}

}  // namespace

TEST_CASE("MDR: an access at the very edge belongs to the epoch that begins (slice runs first)") {
  Rig rig;
  check_edge(rig, rig.before);
}

TEST_CASE("MDR: an access at the very edge belongs to the epoch that begins (engine runs first)") {
  Rig rig;
  check_edge(rig, rig.after);
}

TEST_CASE("MDR: estimates of an epoch, by hand") {
  Rig rig;
  for (unsigned i = 0; i < 2; ++i) rig.see(10, kLocal, 1, false);
  rig.see(20, kLeaving, 100);
  for (unsigned i = 0; i < 5; ++i) rig.see(30, kLeaving, 100);
  rig.see(40, kArriving, 2, false);
  rig.see(40, kArriving, 2, false, 2);
  rig.run(2 * kEpoch);
  const MdrEngine::Estimate& e = rig.mdr.last_estimate();
  // Local: miss, hit. Leaving: miss, 5 hits. Arriving in two sets: 2 misses.
  CHECK(e.fraction_local == 0.25);
  CHECK(e.hit_rate_no_replication == 0.25);
  CHECK(e.hit_rate_full_replication == 0.6);
  // Misses 128; local 256 + 128 = 384; remote 256.
  CHECK(e.bandwidth_no_replication == 0.25 * 384 + 0.75 * 256);
  CHECK(e.bandwidth_full_replication == Approx(0.6 * 1024 + 128));
  CHECK(e.replicate());
  CHECK(rig.mdr.stats().sampled.no_replication.lookups == 4);
  CHECK(rig.mdr.stats().sampled.full_replication.lookups == 10);
}

TEST_CASE("MDR: equal estimates mean no replication") {
  Rig rig;
  rig.see_local(10);
  rig.run(2 * kEpoch);
  CHECK(rig.mdr.last_estimate().bandwidth_no_replication ==
        rig.mdr.last_estimate().bandwidth_full_replication);
  CHECK_FALSE(rig.decision.on());
  CHECK(rig.mdr.stats().decisions_no_replication == 1);
}

TEST_CASE("MDR: the raw bandwidths decide, too") {
  // A network as fast as the LLC leaves nothing to gain.
  Rig rig(small(), {1024, 128, 1024});
  rig.see_reuse(10);
  rig.run(2 * kEpoch);
  CHECK(rig.mdr.stats().decisions_no_replication == 1);
  CHECK_FALSE(rig.decision.on());
}

TEST_CASE("MDR: an epoch without sampled accesses is none, and wakes nobody") {
  Rig rig;
  rig.see_reuse(10);
  for (unsigned i = 0; i < 50; ++i) rig.see(5 * kEpoch + i, kLocal, 1, false, 1);
  rig.run(2 * kEpoch);
  CHECK(rig.mdr.stats().epochs == 1);
  rig.run(5 * kEpoch + 60);
  // Set 1 is not sampled: nothing is armed.
  CHECK_FALSE(sc_core::sc_pending_activity());
  rig.run(9 * kEpoch);
  CHECK(rig.mdr.stats().epochs == 1);
  CHECK(rig.mdr.stats().sampled.local == 0);
  CHECK(rig.decision.on());
  CHECK(rig.mdr.replicated_cycles() == 9 * kEpoch - (kEpoch + 116));
}

TEST_CASE("MDR: an epoch that leaves an input open is counted and changes nothing") {
  Rig rig;
  rig.see_reuse(10);
  rig.see(kEpoch + 10, kArriving, 1);              // no access of own SMs
  rig.see(2 * kEpoch + 10, kLeaving, 100, false);  // looked up by neither policy
  rig.expect(4 * kEpoch, true);
  rig.run(5 * kEpoch);
  CHECK(rig.mdr.stats().epochs == 3);
  CHECK(rig.mdr.stats().epochs_undecided == 2);
  CHECK(rig.mdr.stats().decisions_replicate == 1);
  CHECK(rig.mdr.last_estimate().fraction_local == 0);
}

TEST_CASE("MDR flips as the replicated footprint crosses the capacity, and back") {
  // 4 alike slices share lines that their SMs sweep in turn; per sampled set, this slice is home
  // of a quarter. 4 ways hold 3 remote lines and the home line of 4, but not 9 of 12.
  Rig rig;
  constexpr std::uint64_t kSlices = 4;
  // Footprint of each epoch, in lines per set.
  const std::vector<std::uint64_t> footprint{4, 4, 12, 12, 12, 4, 4, 12};
  const std::vector<bool> replicates{true, true, false, false, false, true, true, false};
  bool replicating = false;
  for (std::uint64_t e = 0; e < footprint.size(); ++e) {
    const std::uint64_t lines = footprint[e];
    // Between an epoch's decision and its end; nothing before it takes effect.
    std::uint64_t cycle = e * kEpoch + 120;
    for (unsigned sweep = 0; sweep < 20; ++sweep) {
      for (std::uint64_t line = 0; line < lines; ++line, ++cycle) {
        // Replicas of what fits are there from the second sweep on: those of other slices, too.
        const bool hits = replicating && lines == 4 && sweep > 0;
        if (line % kSlices == 0) {
          rig.see(cycle, kLocal, line);
          for (unsigned other = 1; other < kSlices && !hits; ++other) {
            rig.see(cycle, kArriving, line);
          }
        } else {
          rig.see(cycle, kLeaving, line);
        }
      }
    }
    replicating = replicates[e];
    rig.expect((e + 1) * kEpoch + 115, e == 0 ? false : replicates[e - 1]);
    rig.expect((e + 1) * kEpoch + 116, replicating);
  }
  rig.run(10 * kEpoch);
  CHECK(rig.mdr.stats().epochs == 8);
  CHECK(rig.mdr.stats().decisions_replicate == 4);
  CHECK(rig.mdr.stats().decisions_no_replication == 4);
  CHECK(rig.mdr.stats().switches == 4);
  CHECK(rig.mdr.replicated_cycles() == 4 * kEpoch);
}

TEST_CASE("MDR: a flush empties the sampled sets and is done at once") {
  Rig rig;
  unsigned done = 0;
  rig.see(10, kLocal, 1);
  rig.see(11, kLocal, 1);
  rig.before.at(12, [&] { rig.mdr.flush({}, [&done] { ++done; }); });
  rig.see(13, kLocal, 1);
  rig.see(14, kLocal, 1);
  rig.run(kEpoch + 1);
  CHECK(done == 1);
  CHECK(rig.mdr.stats().sampled.full_replication.lookups == 4);
  CHECK(rig.mdr.stats().sampled.full_replication.hits == 2);
  CHECK(rig.mdr.stats().sampled.no_replication.hits == 2);
}

namespace {

MdrConfig with_transient_costs(bool on) {
  MdrConfig c = small();
  c.transient_costs = on;
  return c;
}

/// Two uses of a remote line, two arriving ones, and a local one.
void see_mixture(Rig& rig, std::uint64_t cycle) {
  for (unsigned i = 0; i < 2; ++i) {
    rig.see(cycle, kLeaving, 100);
    rig.see(cycle, kArriving, 1);
  }
  rig.see(cycle, kLocal, 7, false);
}

/// Replication never gains.
constexpr MdrBandwidths kFastNetwork{1024, 128, 1'000'000};

}  // namespace

namespace {

/// The local line hits in the second epoch; the copy of line 100 hits if it is kept.
void see_two_epochs(bool on) {
  Rig rig(with_transient_costs(on), kFastNetwork);
  see_mixture(rig, 10);
  rig.run(kEpoch + 1);
  CHECK(rig.mdr.last_estimate().hit_rate_full_replication == Approx(1.0 / 3));
  see_mixture(rig, kEpoch + 10);
  rig.run(2 * kEpoch + 1);
  CHECK(rig.mdr.last_estimate().hit_rate_full_replication == Approx(on ? 2.0 / 3 : 1.0));
  CHECK(rig.mdr.last_estimate().hit_rate_no_replication == 1.0);
  CHECK(rig.mdr.stats().decisions_replicate == 0);
}

}  // namespace

TEST_CASE("MDR with transient costs: an epoch without replication begins without copies") {
  see_two_epochs(true);
}

TEST_CASE("MDR without transient costs: the tags keep their copies") { see_two_epochs(false); }

TEST_CASE(
    "MDR with transient costs: kernel ends flush the estimate, not the slice that has no copy") {
  Rig rig(with_transient_costs(true), kFastNetwork);
  CHECK(rig.mdr.needs_flush());
  see_mixture(rig, 10);
  unsigned done = 0;
  for (const std::uint64_t cycle : {kEpoch + 1, kEpoch + 2}) {
    rig.before.at(cycle, [&] { rig.mdr.flush({}, [&done] { ++done; }); });
  }
  see_mixture(rig, kEpoch + 10);
  rig.run(2 * kEpoch + 1);
  CHECK(done == 2);
  const MdrEngine::Estimate& e = rig.mdr.last_estimate();
  CHECK(e.hit_rate_no_replication == 1.0);
  CHECK(e.hit_rate_full_replication == Approx(1.0 / 3));
  // Two flushes of 4 sets x 4 ways in an epoch of 1000 cycles.
  CHECK(e.bandwidth_full_replication ==
        Approx(bandwidth_with_full_replication(kFastNetwork, e.fraction_local, 1.0 / 3) * 1000 /
               1032));
  see_mixture(rig, 2 * kEpoch + 10);
  rig.run(3 * kEpoch + 1);
  CHECK(rig.mdr.last_estimate().bandwidth_full_replication ==
        Approx(bandwidth_with_full_replication(kFastNetwork, e.fraction_local, 2.0 / 3)));
}

TEST_CASE("MDR without transient costs needs no flush while no line is copied") {
  Rig rig(with_transient_costs(false));
  CHECK_FALSE(rig.mdr.needs_flush());
  rig.run(1);
}

TEST_CASE("MDR: reset forgets lines, counts, a decision under way and the switch") {
  Rig rig;
  rig.see_reuse(10);
  rig.see_reuse(kEpoch + 10);
  rig.run(kEpoch + 200);
  REQUIRE(rig.decision.on());
  rig.mdr.reset();
  CHECK_FALSE(rig.decision.on());
  CHECK(rig.mdr.stats().epochs == 0);
  CHECK(rig.mdr.replicated_cycles() == 0);
  CHECK(rig.mdr.last_estimate().bandwidth_full_replication == 0);
  // The epoch that had begun ends unseen.
  rig.run(2 * kEpoch + 50);
  CHECK(rig.mdr.stats().epochs == 0);
  // Lines are gone: the first access misses again.
  rig.see_reuse(2 * kEpoch + 60);
  rig.run(3 * kEpoch + 50);
  CHECK(rig.mdr.stats().epochs == 1);
  CHECK(rig.mdr.last_estimate().hit_rate_full_replication == 0.875);
  // A decision that waits for its 116 cycles is dropped.
  rig.mdr.reset();
  rig.expect(3 * kEpoch + 116, false);
  rig.run(4 * kEpoch);
  CHECK(rig.mdr.stats().switches == 0);
}

TEST_CASE("MDR holds nothing that anybody waits for") {
  Rig rig;
  rig.see_reuse(10);
  rig.run(20);
  std::vector<Waiting> waiting;
  rig.mdr.describe_waiting(waiting);
  CHECK(waiting.empty());
  CHECK(rig.mdr.idle());
}

TEST_CASE("MDR: statistics say what was decided, and from what") {
  Rig rig;
  StatisticsRegistry registry;
  rig.mdr.register_statistics(registry);
  rig.see_reuse(10);
  rig.run(kEpoch + 116 + 500);
  const auto s = registry.to_json().at("mdr");
  CHECK(s.at("epochs") == 1);
  CHECK(s.at("epochs_undecided") == 0);
  CHECK(s.at("decisions_replicate") == 1);
  CHECK(s.at("decisions_no_replication") == 0);
  CHECK(s.at("switches") == 1);
  CHECK(s.at("replicated_cycles") == 500);
  CHECK(s.at("sampled_local") == 0);
  CHECK(s.at("sampled_leaving") == 8);
  CHECK(s.at("sampled_arriving") == 8);
  CHECK(s.at("hit_rate_no_replication") == 0.875);
  CHECK(s.at("hit_rate_full_replication") == 0.875);
  CHECK(s.at("last_fraction_local") == 0);
  CHECK(s.at("last_hit_rate_no_replication") == 0.875);
  CHECK(s.at("last_hit_rate_full_replication") == 0.875);
  // 0.875 * 1024 + 128 = 1024; the network lets 256 of it through.
  CHECK(s.at("last_bandwidth_no_replication") == 256);
  CHECK(s.at("last_bandwidth_full_replication") == 1024);
}

}  // namespace tessera::mdr_engine_test
