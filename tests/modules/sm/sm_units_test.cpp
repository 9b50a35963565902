// SPDX-License-Identifier: Apache-2.0
// When results of each unit are ready, and when the unit is free again.
#include <catch2/catch.hpp>

#include "modules/kernel/sc_time.h"
#include "tests/modules/sm/sm_rig.h"

namespace tessera::sm_units_test {

using namespace tessera::test;

namespace {

struct Timing {
  Unit unit;
  std::uint64_t latency;
  std::uint64_t interval;
};
constexpr Timing kTimings[] = {
    {Unit::kAlu, 5, 2}, {Unit::kIntMul, 7, 3}, {Unit::kFp64, 13, 6}, {Unit::kSfu, 17, 11}};

/// No two numbers alike.
SmConfig distinct() {
  SmConfig c = plain();
  c.schedulers = 1;
  c.alu_latency = 5;
  c.alu_interval = 2;
  c.int_mul_latency = 7;
  c.int_mul_interval = 3;
  c.fp64_latency = 13;
  c.fp64_interval = 6;
  c.sfu_latency = 17;
  c.sfu_interval = 11;
  c.shared_latency = 19;
  c.constant_latency = 23;
  return c;
}

/// Steps that write a register, each followed by one that reads it: a memory operation without
/// lanes, which waits for no unit.
Script each_read(const std::vector<Step>& writers) {
  Script script;
  for (Step s : writers) {
    s.writes = 1;
    script.push_back(s);
    Step reader = on(Unit::kMemory);
    reader.reads = 1;
    script.push_back(reader);
  }
  return script;
}

/// Cycles from the i-th writer of each_read() to its reader.
std::uint64_t waited(const ScriptedKernel& k, std::size_t i) {
  return k.cycle(0, 2 * i + 1) - k.cycle(0, 2 * i);
}

Step in_space(Space space, unsigned stride = 4) {
  Step s = load(1, 0);
  s.space = space;
  s.stride = stride;
  return s;
}

}  // namespace

TEST_CASE("a result is ready the latency of its own unit after its issue") {
  Rig rig(distinct());
  std::vector<Step> writers;
  for (const Timing& t : kTimings) writers.push_back(on(t.unit));
  ScriptedKernel k({each_read(writers)});
  rig.run(k);
  rig.check_done();
  for (std::size_t i = 0; i < writers.size(); ++i) {
    CAPTURE(i);
    CHECK(waited(k, i) == kTimings[i].latency);
  }
}

TEST_CASE("a unit takes its next operation an interval later, another unit the cycle after") {
  Rig rig(distinct());
  Script script;
  for (const Timing& t : kTimings) {
    script.push_back(on(t.unit));
    script.push_back(on(t.unit));
  }
  ScriptedKernel k({script});
  rig.run(k);
  rig.check_done();
  std::uint64_t cycle = 10;
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    CHECK(k.cycle(0, 2 * i) == cycle);
    CHECK(k.cycle(0, 2 * i + 1) == cycle + kTimings[i].interval);
    cycle += kTimings[i].interval + 1;
  }
}

TEST_CASE("an operation of three slots keeps its unit for three intervals and ends with the last") {
  Rig rig(distinct());
  for (const Timing& t : kTimings) {
    CAPTURE(static_cast<int>(t.unit));
    // The reader needs the result alone, the other warp the unit alone.
    ScriptedKernel k({{on(t.unit, 1, 3), alu(2, 1)}, {on(t.unit)}});
    const Tick start = now() + ns(10);
    rig.sm.start_cta(k, CtaId(0), start);
    sc_core::sc_start(to_sc_time(us(1)));
    CHECK(k.cycle(1, 0) - k.cycle(0, 0) == 3 * t.interval);
    CHECK(k.cycle(0, 1) - k.cycle(0, 0) == 2 * t.interval + t.latency);
  }
}

TEST_CASE("loads that stay in the SM take the latency of their space") {
  Rig rig(distinct());
  // The second and third meet four and eight lanes to a bank.
  ScriptedKernel k({each_read({in_space(Space::kShared), in_space(Space::kShared, 128 / 8),
                               in_space(Space::kShared, 128 / 4), in_space(Space::kConst),
                               in_space(Space::kParam)})});
  rig.run(k);
  rig.check_done();
  CHECK(waited(k, 0) == 19);
  CHECK(waited(k, 1) == 19 + 3);
  CHECK(waited(k, 2) == 19 + 7);
  CHECK(waited(k, 3) == 23);
  CHECK(waited(k, 4) == 23);
  CHECK(rig.sm.stats().shared_conflict_cycles == 3 + 7);
  CHECK(rig.l1.arrivals().empty());
}

TEST_CASE("what has no unit of its own is ready the ALU's latency after its issue") {
  Rig rig(distinct());
  // A memory operation without lanes, and the result of a barrier that counts.
  ScriptedKernel k({each_read({on(Unit::kMemory), barrier()})});
  rig.run(k);
  rig.check_done();
  CHECK(waited(k, 0) == 5);
  CHECK(waited(k, 1) == 5);
}

}  // namespace tessera::sm_units_test
