// SPDX-License-Identifier: Apache-2.0
// What a remote cache does when a kernel ends while others run, and which launch is counted.
#include <catch2/catch.hpp>
#include <vector>

#include "tests/modules/llc/far_rig.h"

namespace tessera::llc_beside_kernels_test {

using namespace tessera::test;

namespace {

/// Begins in `cycle`, where the first way is visited. Returns when it is done.
std::uint64_t write_back_at(FarRig& rig, std::uint64_t cycle, LaunchSlot launch = {}) {
  std::uint64_t done = 0;
  rig.run_to(rig.edge(cycle - 1) + 1);
  rig.llc.write_back_copies(launch, [&] { done = rig.clock.cycle_at(now()); });
  rig.run();
  return done;
}

/// Cycles of a load that is issued now.
std::uint64_t load_takes(FarRig& rig, std::uint64_t address, unsigned char* first = nullptr) {
  const std::uint64_t start = rig.soon();
  const auto load = rig.load(start, address);
  rig.run();
  if (first != nullptr) *first = rig.byte(load, 0);
  return rig.responded_at(load) - start;
}

// Of sixteen() ways, this line has the last but one.
constexpr std::uint64_t kThird = kOtherHome + 3 * kLine;
constexpr std::uint64_t kWay = 14;

}  // namespace

TEST_CASE("copies are written back with accesses in flight, and stay") {
  FarRig rig(kOn, sixteen());
  rig.store(10, kThird, 0x33);
  rig.run();
  const std::uint64_t begin = 10'000;
  const auto miss = rig.load(begin, kThere);  // in flight until long after the write-back has left
  CHECK(write_back_at(rig, begin) == begin + kWay + 1 + kMemory);
  CHECK(rig.responded_at(miss) == begin + kMiss);
  REQUIRE(rig.memory.arrivals().size() == 2);
  CHECK(rig.arrived(0) == begin + kWay + 1);
  CHECK(rig.kind(0) == RequestKind::kWriteBack);
  CHECK(rig.memory.byte(kThird + 127) == 0x33);
  CHECK(rig.llc.stats().write_backs == 1);
  CHECK(rig.llc.stats().flushes == 0);
  CHECK(load_takes(rig, kThird) == kLatency);
  CHECK(load_takes(rig, kThere) == kLatency);
}

TEST_CASE("a walk that finds no dirty copy takes a cycle a way") {
  FarRig rig(kOn, sixteen());
  rig.load(10, kThere);
  rig.run();
  CHECK(write_back_at(rig, 10'000) == 10'000 + 16);
  CHECK(rig.memory.arrivals().size() == 1);
}

TEST_CASE("the write-back of copies waits for write-backs that began before") {
  LlcSliceConfig one = plain();
  one.sets = 1;
  one.ways = 1;
  FarRig rig(kOn, one);
  rig.store(10, kThere, 1);
  const auto evicts = rig.load(1'000, kThere + 2 * kLine);
  // The dirty line leaves with the lookup in cycle 1019, and its response comes in cycle 1120.
  CHECK(write_back_at(rig, 1'025) == 1'000 + kLatency + kMemory);
  CHECK(rig.llc.stats().write_backs == 1);
  CHECK(rig.byte(evicts, 0) == initial(kThere + 2 * kLine));
}

TEST_CASE(
    "a copy that is dropped beside kernels keeps its dirty bytes and fetches the others again") {
  FarRig rig(kOn);
  rig.store(10, kThere, 0x21, ByteMask::range(0, 4));
  const auto before = rig.load(100, kThere);
  rig.run();
  CHECK(rig.byte(before, 5) == initial(kThere + 5));
  rig.llc.drop_copies();
  rig.run_to(now() + ns(100));
  rig.memory.set_byte(kThere + 3, 0x77);
  rig.memory.set_byte(kThere + 5, 0x77);
  const std::uint64_t start = rig.soon();
  const auto after = rig.load(start, kThere);
  rig.run();
  CHECK(rig.responded_at(after) == start + kMiss);
  CHECK(rig.byte(after, 3) == 0x21);
  CHECK(rig.byte(after, 5) == 0x77);
  CHECK(rig.llc.stats().partial_fetches == 2);
  rig.flush_at(rig.soon());
  CHECK(rig.memory.byte(kThere + 3) == 0x21);
  CHECK(rig.memory.byte(kThere + 5) == 0x77);
}

TEST_CASE("a copy that is dropped while it is fetched keeps the bytes that are written meanwhile") {
  FarRig rig(kOn);
  const auto load = rig.load(10, kThere);
  rig.store(11, kThere, 0x21, ByteMask::range(0, 4));
  rig.run_to(rig.edge(10 + kLatency + 20));
  rig.llc.drop_copies();
  rig.run();
  CHECK(rig.byte(load, 5) == initial(kThere + 5));
  rig.memory.set_byte(kThere + 5, 0x77);
  const std::uint64_t start = rig.soon();
  const auto after = rig.load(start, kThere);
  rig.run();
  CHECK(rig.byte(after, 3) == 0x21);
  CHECK(rig.byte(after, 5) == 0x77);
  rig.flush_at(rig.soon());
  CHECK(rig.memory.byte(kThere) == 0x21);
}

TEST_CASE("each launch has the hits, merged and missed accesses and bytes of its own requests") {
  FarRig rig(kOn, sixteen());
  const auto add = [&rig](ScriptedRequest r, unsigned launch) {
    r.prepare = [before = rig.prepare, launch](Transaction& t) {
      before(t);
      t.request().launch = LaunchSlot(launch);
    };
    rig.sm.add(std::move(r));
  };
  add(rig.request(10, kThere), 1);
  add(rig.request(11, kThere, 1), 2);
  add(rig.request(500, kThere), 2);
  add(rig.store_request(600, kThird, 1, ByteMask::first(8)), 3);
  add(rig.request(700, kThird), 3);
  rig.run();
  LaunchCounts& counts = rig.llc.launch_counts();
  const auto check = [&counts](unsigned launch, Counter hits, Counter merged, Counter misses,
                               Counter bytes) {
    const LevelCounts& c = counts[LaunchSlot(launch)];
    INFO("launch " << launch);
    CHECK(c.hits == hits);
    CHECK(c.merged == merged);
    CHECK(c.misses == misses);
    CHECK(c.bytes == bytes);
  };
  check(0, 0, 0, 0, 0);
  check(1, 0, 0, 1, kLine);
  check(2, 1, 1, 0, 2 * kLine);
  // The store is taken in without a fetch: a hit. The load fetches the rest of the line.
  check(3, 1, 0, 1, 8 + kLine);
  // A write-back is of the launch that needs it.
  write_back_at(rig, rig.soon() + 10, LaunchSlot(4));
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.memory.arrivals()[0].request.launch == LaunchSlot(1));
  CHECK(rig.memory.arrivals()[1].request.launch == LaunchSlot(3));
  CHECK(rig.memory.arrivals()[2].request.launch == LaunchSlot(4));
  CHECK(counts.take(LaunchSlot(2)).hits == 1);
  check(2, 0, 0, 0, 0);
}

}  // namespace tessera::llc_beside_kernels_test
