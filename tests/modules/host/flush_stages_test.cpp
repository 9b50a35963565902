// SPDX-License-Identifier: Apache-2.0
#include "modules/host/flush_stages.h"

#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "modules/kernel/process_timer.h"
#include "modules/kernel/sc_time.h"

namespace tessera::flush_stages_test {

namespace {

const ClockDomain kClock(1'000'000'000);

Tick cycle(std::uint64_t n) { return kClock.time_of(n); }

struct Dropped final : public FlushIf {
  void flush() override { at.push_back(now()); }
  std::vector<Tick> at;
};

/// Acknowledges `takes` ticks after its flush; kNever: it needs none; 0: in the call.
struct WritesBack final : public SliceFlushIf {
  explicit WritesBack(Tick ticks) : takes(ticks) { wake.bind<&WritesBack::end>(*this); }
  void flush(LaunchSlot, std::function<void()> done) override {
    at.push_back(now());
    if (takes == 0) return done();
    acknowledge = std::move(done);
    wake.at(now() + takes);
  }
  bool needs_flush() const override { return takes != kNever; }
  void end() { acknowledge(); }

  Tick takes;
  std::vector<Tick> at;
  std::function<void()> acknowledge;
  ProcessTimer wake;
};

/// Begins the first stage in cycle 10, and each other one when the one before it has ended.
struct Rig {
  StageFlush flush{kClock, [this](Tick t) { wake.at(t); }};
  std::size_t stages = 0;
  std::size_t stage = 0;
  Tick began = 0;
  std::uint64_t write_back_cycles = 0;
  std::optional<Tick> ended;
  ProcessTimer wake;

  explicit Rig(std::vector<FlushStage> all) {
    wake.bind<&Rig::process>(*this);
    stages = all.size();
    flush.set_stages({std::move(all), {}});
    wake.at(cycle(10));
    sc_core::sc_start(to_sc_time(cycle(1000)));
  }
  void process() {
    if (stage == 0) begin();
    while (flush.running() && flush.ended(now())) {
      if (const Tick until = flush.wrote_back_until(); until != 0) {
        write_back_cycles += kClock.cycle_at(until) - kClock.cycle_at(began);
      }
      if (stage < stages) {
        begin();
      } else {
        ended = now();
      }
    }
  }
  void begin() {
    began = now();
    flush.begin(FlushMode::kAlone, stage++, {}, began);
  }
};

}  // namespace

TEST_CASE("stages without anything to flush take no time") {
  WritesBack clean(kNever);
  const Rig rig({FlushStage{"empty", {}, {}, {}, {}}, FlushStage{"clean", {}, {&clean}, {}, {}}});
  CHECK(rig.ended == cycle(10));
  CHECK(clean.at.empty());
}

TEST_CASE("a stage begins when the one before it has ended") {
  Dropped l1;
  WritesBack slice(cycle(20) + 1);
  WritesBack faster(cycle(7));
  WritesBack below(cycle(5));
  const Rig rig({FlushStage{"l1", {&l1}, {}, {}, {}},
                 FlushStage{"slices", {}, {&slice, &faster}, {}, {}},
                 FlushStage{"below", {}, {&below}, {}, {}}});
  CHECK(l1.at == std::vector<Tick>{cycle(10)});
  // Two cycles for the L1; the slice's acknowledgement takes effect at the edge after it.
  CHECK(slice.at == std::vector<Tick>{cycle(12)});
  CHECK(faster.at == std::vector<Tick>{cycle(12)});
  CHECK(below.at == std::vector<Tick>{cycle(33)});
  CHECK(rig.ended == cycle(33 + 5 + 1));
  CHECK(rig.write_back_cycles == 21 + 6);
}

TEST_CASE("a stage takes the longer of its dropped and its written-back caches") {
  Dropped l1;
  WritesBack at_once(0);
  const Rig rig({FlushStage{"both", {&l1}, {&at_once}, {}, {}}});
  CHECK(rig.ended == cycle(12));
  CHECK(rig.write_back_cycles == 1);
}

TEST_CASE("an acknowledgement in the call takes effect at the next edge") {
  WritesBack at_once(0);
  const Rig rig({FlushStage{"mdr", {}, {&at_once}, {}, {}}});
  CHECK(rig.ended == cycle(11));
}

}  // namespace tessera::flush_stages_test
