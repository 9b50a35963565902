// SPDX-License-Identifier: Apache-2.0
// A slice's flush: a way a cycle, and the write-backs.

#include <catch2/catch.hpp>
#include <vector>

#include "tests/modules/llc/slice_rig.h"

namespace tessera::llc_flush_test {

using namespace tessera::test;

namespace {

/// 16 ways: line n goes to set n % 8, ways 2 * set and 2 * set + 1.
LlcSliceConfig sixteen() {
  LlcSliceConfig c = plain();
  c.sets = 8;
  c.ways = 2;
  return c;
}

/// Flushes so that the first way is looked at in `cycle`; returns the cycle in which it is done.
std::uint64_t flush_at(Rig& rig, std::uint64_t cycle) {
  std::uint64_t done = 0;
  unsigned calls = 0;
  const std::uint64_t before = rig.llc.stats().flush_cycles;
  rig.run_to(rig.edge(cycle - 1) + 1);
  rig.llc.flush({}, [&] {
    ++calls;
    CHECK(rig.clock.is_edge(now()));
    done = rig.clock.cycle_at(now());
  });
  CHECK_FALSE(rig.llc.idle());
  rig.run();
  CHECK(calls == 1);
  CHECK(rig.llc.stats().flush_cycles - before == done - cycle);
  return done;
}

}  // namespace

TEST_CASE("a flush of clean lines takes a cycle for each way and drops them all") {
  Rig rig(sixteen());
  for (unsigned i = 0; i < 5; ++i) rig.load(10 + i, i * kLine);
  rig.run();
  CHECK(flush_at(rig, 10'000) == 10'000 + 16);
  CHECK(rig.llc.stats().flushes == 1);
  CHECK(rig.llc.stats().write_backs == 0);
  const std::uint64_t start = rig.soon();
  for (unsigned i = 0; i < 5; ++i) rig.load(start + 200 * i, i * kLine);
  rig.run();
  CHECK(rig.memory.arrivals().size() == 10);
}

TEST_CASE("a flush writes a dirty line back in its way's cycle and ends with the last response") {
  Rig rig(sixteen());
  const ByteMask mask = ByteMask::range(16, 4) | ByteMask::range(100, 2);
  rig.store(10, 3 * kLine, 0x33, mask);  // way 6
  rig.store(11, 5 * kLine, 0x55);        // way 10
  rig.load(12, 13 * kLine);              // way 11, clean
  rig.run();
  const std::size_t before = rig.memory.arrivals().size();
  CHECK(flush_at(rig, 10'000) == 10'000 + 10 + 1 + kMemory);
  REQUIRE(rig.memory.arrivals().size() == before + 2);
  CHECK(rig.arrived(before) == 10'000 + 6 + 1);
  CHECK(rig.arrived(before + 1) == 10'000 + 10 + 1);
  const auto& first = rig.memory.arrivals()[before];
  CHECK(first.command == tlm::TLM_WRITE_COMMAND);
  CHECK(first.address == 3 * kLine);
  CHECK(first.mask == mask);
  CHECK(first.request.kind == RequestKind::kWriteBack);
  CHECK(first.request.useful_bytes == 6);
  CHECK(rig.memory.byte(3 * kLine + 16) == 0x33);
  CHECK(rig.memory.byte(3 * kLine + 15) == initial(3 * kLine + 15));
  CHECK(rig.memory.byte(3 * kLine + 101) == 0x33);
  CHECK(rig.memory.byte(3 * kLine + 102) == initial(3 * kLine + 102));
  CHECK(rig.memory.byte(5 * kLine + 127) == 0x55);
  CHECK(rig.llc.stats().write_backs == 2);
  // Nothing is left: a second flush finds no dirty line, a load fetches.
  CHECK(flush_at(rig, 20'000) == 20'000 + 16);
  const std::uint64_t start = rig.soon();
  const auto load = rig.load(start, 3 * kLine);
  rig.run();
  CHECK(rig.responded_at(load) == start + kLatency + kMemory + 1);
  CHECK(rig.byte(load, 16) == 0x33);
}

TEST_CASE("a flush whose write-backs receive their responses early ends with the last way") {
  LlcSliceConfig c = plain();
  Rig rig(c);
  rig.store(10, 0, 0x11);          // set 0, way 0
  rig.store(11, 1 * kLine, 0x12);  // set 1, way 16
  rig.run();
  CHECK(flush_at(rig, 10'000) == 10'000 + 48 * 16);
  CHECK(rig.arrived(0) == 10'001);
  CHECK(rig.arrived(1) == 10'000 + 16 + 1);
}

TEST_CASE("a flush stands still while the channel takes nothing") {
  LlcSliceConfig c = sixteen();
  c.memory_queue_depth = 1;
  Rig rig(c);
  // Ways 0 to 5.
  for (unsigned i = 0; i < 6; ++i) {
    rig.store(10 + i, (i / 2 + 8 * (i % 2)) * kLine, static_cast<unsigned char>(i + 1));
  }
  rig.run();
  rig.memory.stall_until(rig.edge(10'300));
  // One under way, one in the queue, and the walk waits at way 2 for END_REQ at 10300, which is
  // acted on at 10301; then a line a cycle.
  CHECK(flush_at(rig, 10'000) == 10'306 + kMemory);
  CHECK(rig.arrived(0) == 10'001);
  for (unsigned i = 1; i < 6; ++i) CHECK(rig.arrived(i) == 10'301 + i);
  for (unsigned i = 0; i < 6; ++i) CHECK(rig.memory.byte((i / 2 + 8 * (i % 2)) * kLine) == i + 1);
}

TEST_CASE("a flush waits for write-backs that were under way before it") {
  Rig rig(one_set(2), RequestStyle::kEarlyEndReq, "full-replication");
  rig.other->config().latency = rig.clock.time_of(10) - 1;
  rig.load(10, 0x1000);
  rig.store(200, 0x2000, 0x21);
  rig.load(210, 0x1000);
  // Evicts 0x2000 at 269; the replica is there long before the write-back is acknowledged.
  const auto replica = rig.read_only(250, kOtherHome);
  rig.run_to(rig.edge(290));
  CHECK(rig.responded_at(replica) == 250 + kLatency + 10 + 1);
  CHECK(flush_at(rig, 300) == 270 + kMemory);
  CHECK(rig.memory.byte(0x2000) == 0x21);
  CHECK(rig.llc.stats().write_backs == 1);
}

TEST_CASE("a flush drops replicas without a word") {
  Rig rig(sixteen(), RequestStyle::kEarlyEndReq, "full-replication");
  rig.read_only(10, kOtherHome);
  rig.run();
  CHECK(flush_at(rig, 10'000) == 10'016);
  const std::uint64_t start = rig.soon();
  const auto load = rig.read_only(start, kOtherHome);
  rig.run();
  CHECK(rig.responded_at(load) == start + kLatency + kMemory + 1);
  CHECK(rig.other->arrivals().size() == 2);
}

TEST_CASE("a flush of copies drops replicas and keeps the slice's own lines, dirty ones too") {
  LlcSliceConfig c = sixteen();
  c.flush = FlushScope::kCopies;
  Rig rig(c, RequestStyle::kEarlyEndReq, "full-replication");
  rig.read_only(10, kOtherHome);
  rig.store(11, 3 * kLine, 0x33);
  rig.load(12, 5 * kLine);
  rig.run();
  const std::size_t fetched = rig.memory.arrivals().size();
  CHECK(flush_at(rig, 10'000) == 10'016);
  CHECK(rig.llc.stats().write_backs == 0);
  CHECK_FALSE(rig.llc.needs_flush());
  const std::uint64_t start = rig.soon();
  const auto replica = rig.read_only(start, kOtherHome);
  const auto dirty = rig.load(start + 1'000, 3 * kLine);
  const auto clean = rig.load(start + 2'000, 5 * kLine);
  rig.run();
  CHECK(rig.responded_at(replica) == start + kLatency + kMemory + 1);
  CHECK(rig.other->arrivals().size() == 2);
  CHECK(rig.responded_at(dirty) == start + 1'000 + kLatency);
  CHECK(rig.responded_at(clean) == start + 2'000 + kLatency);
  CHECK(rig.memory.arrivals().size() == fetched);
}

TEST_CASE("a flushing slice says what it waits for, and a reset ends the flush") {
  LlcSliceConfig c = sixteen();
  c.memory_queue_depth = 1;
  Rig rig(c);
  for (unsigned i = 0; i < 3; ++i) rig.store(10 + i, i * kLine, 0x11);  // ways 0, 2, 4
  rig.run();
  rig.memory.stall_until(us(100));
  bool done = false;
  rig.run_to(rig.edge(9'999) + 1);
  rig.llc.flush({}, [&] { done = true; });
  rig.run_to(rig.edge(10'200));
  std::vector<Waiting> waiting;
  rig.llc.describe_waiting(waiting);
  REQUIRE(waiting.size() == 3);
  CHECK(waiting[0].queue == "llc.to_memory");
  CHECK(waiting[0].items == 1);
  CHECK(waiting[1].queue == "llc.write_backs");
  CHECK(waiting[1].items == 2);
  CHECK(waiting[2].queue == "llc.flush");
  CHECK(waiting[2].items == 16 - 4);
  reset_all(rig.conformance());
  CHECK(rig.llc.idle());
  rig.run_to(us(200));
  CHECK_FALSE(done);
  CHECK(rig.llc.idle());
}

TEST_CASE("a page that has moved away is dropped, dirty lines too, and no other page is") {
  Rig rig(sixteen());
  rig.store(10, 3 * kLine, 0x33);
  rig.load(11, 4 * kLine);
  rig.store(12, 9 * kLine, 0x99);
  rig.run();
  const std::size_t before = rig.memory.arrivals().size();
  rig.llc.drop_page(0, 8 * kLine);
  // The flush finds the other page's line alone (way 2).
  flush_at(rig, 10'000);
  REQUIRE(rig.memory.arrivals().size() == before + 1);
  CHECK(rig.memory.arrivals()[before].address == 9 * kLine);
  CHECK(rig.memory.byte(3 * kLine) == initial(3 * kLine));
}

TEST_CASE("a page is in flight from a fetch's lookup to its fill, and while a write-back is") {
  Rig rig(sixteen());
  const std::uint64_t page = 4 * kLine;
  rig.load(100, 3 * kLine);
  rig.run_to(rig.edge(100 + kLatency - 1) - 1);
  CHECK_FALSE(rig.llc.page_in_flight(0, page));
  rig.run_to(rig.edge(100 + kLatency - 1) + 1);
  CHECK(rig.llc.page_in_flight(0, page));
  CHECK_FALSE(rig.llc.page_in_flight(page, page));
  rig.run_to(rig.edge(100 + kLatency + kMemory) - 1);
  CHECK(rig.llc.page_in_flight(0, page));
  rig.run_to(rig.edge(100 + kLatency + kMemory) + 1);
  CHECK_FALSE(rig.llc.page_in_flight(0, page));
  // A dirty line is not in flight until it is evicted.
  rig.store(1000, 5 * kLine, 0x55);
  rig.run_to(rig.edge(2000));
  CHECK_FALSE(rig.llc.page_in_flight(page, page));
  rig.load(2100, 13 * kLine);
  rig.load(2101, 21 * kLine);
  rig.run_to(rig.edge(2101 + kLatency));
  CHECK(rig.llc.page_in_flight(page, page));
  rig.run();
  CHECK_FALSE(rig.llc.page_in_flight(page, page));
  CHECK(rig.memory.byte(5 * kLine) == 0x55);
}

}  // namespace tessera::llc_flush_test
