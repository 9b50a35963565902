// SPDX-License-Identifier: Apache-2.0
// A slice as home of its lines: times, queues, MSHRs and write-backs.

#include <catch2/catch.hpp>
#include <vector>

#include "tests/modules/llc/slice_rig.h"

namespace tessera::llc_slice_test {

using namespace tessera::test;

namespace {

void hit_and_miss(RequestStyle style) {
  Rig rig(plain(), style);
  const auto miss = rig.load(10, 0x1000);
  const auto hit = rig.load(500, 0x1000);
  const auto remote_hit = rig.load(600, 0x1000, kRemote);
  rig.run();
  CHECK(rig.arrived(0) == 10 + kLatency);
  CHECK(rig.responded_at(miss) == 10 + kLatency + kMemory + 1);
  CHECK(rig.responded_at(hit) == 500 + kLatency);
  CHECK(rig.responded_at(remote_hit) == 600 + kLatency);
  CHECK(rig.memory.arrivals().size() == 1);
  CHECK(rig.byte(hit, 3) == initial(0x1003));
  CHECK(rig.sm.result(miss).data == rig.sm.result(hit).data);
  CHECK(rig.llc.stats().hits == 2);
  CHECK(rig.llc.stats().misses == 1);
  CHECK(rig.llc.stats().local_lookups == 2);
  CHECK(rig.llc.stats().remote_lookups == 1);
  CHECK(rig.llc.stats().miss_latency.sum() == kMemory + 1);
}

/// When a request passed `hop`.
Tick stamp(const Rig& rig, std::size_t request, Hop hop) {
  return rig.sm.result(request).request.stamp(hop);
}

/// A victim's write-back and the fetch behind it, with responses of any style.
/// `link`: cycles for which the write-back has the channel; a completed one has it to the end.
void write_back_and_fetch(RequestStyle style, std::uint64_t link) {
  Rig rig(one_set(1), style);
  rig.store(10, 0x1000, 0x11);
  const auto other = rig.load(50, 0x2000);
  const auto again = rig.load(500, 0x1000);
  rig.run();
  CHECK(rig.arrived(0) == 50 + kLatency);
  CHECK(rig.arrived(1) == 50 + kLatency + link);  // behind the write-back
  CHECK(rig.responded_at(other) == 50 + kLatency + link + kMemory + 1);
  CHECK(rig.byte(again, 100) == 0x11);
  CHECK(rig.llc.stats().write_backs == 1);
}

/// Up to cycle 400: line 0x1000 comes. Until 1000 no response is taken; at each port one stands,
/// and one behind it.
void block_responses(Rig& rig) {
  rig.load(10, 0x1000);
  rig.run_to(rig.edge(400) + 1);
  rig.sm.stall_responses_until(rig.edge(1000));
  for (const unsigned port : {kLocal, kRemote, kLocal, kRemote}) rig.load(450, 0x1000, port);
}

}  // namespace

TEST_CASE("a hit takes the latency, and a miss the channel's and a cycle more") {
  hit_and_miss(RequestStyle::kEarlyEndReq);
}
TEST_CASE("a miss takes as long when the channel responds with TLM_COMPLETED") {
  hit_and_miss(RequestStyle::kComplete);
}
TEST_CASE("a miss takes as long when the channel responds with BEGIN_RESP on the return path") {
  hit_and_miss(RequestStyle::kRespondAtOnce);
}
TEST_CASE("a miss takes as long when BEGIN_RESP stands for END_REQ") {
  hit_and_miss(RequestStyle::kImpliedEndReq);
}

TEST_CASE("a hit takes the default latency of the default clock, to the femtosecond") {
  Rig rig{LlcSliceConfig{}};
  rig.load(10, 0x1000);
  const auto hit = rig.load(500, 0x1000);
  rig.run();
  CHECK(rig.sm.result(hit).begin_resp == ClockDomain(1'400'000'000).time_of(500 + 120));
}

TEST_CASE("one request a cycle is looked up, the queues taking turns when both have one") {
  Rig rig;
  rig.load(10, 0x1000);  // a local lookup: it is the remote queue's turn
  std::vector<std::size_t> local;
  std::vector<std::size_t> remote;
  for (unsigned i = 0; i < 8; ++i) {
    local.push_back(rig.load(500, 0x1000, kLocal));
    remote.push_back(rig.load(500, 0x1000, kRemote));
  }
  rig.run();
  // The initiator's port takes one request at a femtosecond: all 16 are there at 501.
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(rig.responded_at(remote[i]) == rig.responded_at(remote[0]) + 2 * i);
    CHECK(rig.responded_at(local[i]) == rig.responded_at(remote[0]) + 2 * i + 1);
  }
  CHECK(rig.responded_at(remote[0]) == 500 + kLatency);
}

TEST_CASE("oldest-first, what came first is looked up first when both queues have one") {
  LlcSliceConfig config = plain();
  config.arbitration.name = "oldest-first";
  Rig rig(config);
  rig.load(10, 0x1000);
  std::vector<std::size_t> local;
  std::vector<std::size_t> remote;
  for (unsigned i = 0; i < 8; ++i) {
    local.push_back(rig.load(500, 0x1000, kLocal));
    remote.push_back(rig.load(502, 0x1000, kRemote));
  }
  rig.run();
  for (unsigned i = 0; i < 8; ++i) {
    CHECK(rig.responded_at(local[i]) == 500 + kLatency + i);
    CHECK(rig.responded_at(remote[i]) == 500 + kLatency + 8 + i);
  }
}

TEST_CASE("a queue alone has every cycle") {
  Rig rig;
  rig.load(10, 0x1000);
  std::vector<std::size_t> hits;
  for (unsigned i = 0; i < 8; ++i) hits.push_back(rig.load(500, 0x1000, kRemote));
  rig.run();
  for (unsigned i = 0; i < 8; ++i) CHECK(rig.responded_at(hits[i]) == 500 + kLatency + i);
}

TEST_CASE("a store that misses takes a line without a fetch, and a later load fetches and merges") {
  Rig rig;
  const ByteMask mask = ByteMask::range(60, 10);
  const auto store = rig.store(10, 0x1000, 0x5a, mask);
  const auto load = rig.load(100, 0x1000);
  const auto whole = rig.store(400, 0x2000, 0x3c);
  const auto hit = rig.load(500, 0x2000);
  rig.run();
  CHECK(rig.responded_at(store) == 10 + kLatency);
  CHECK(rig.arrived(0) == 100 + kLatency);
  CHECK(rig.responded_at(load) == 100 + kLatency + kMemory + 1);
  for (unsigned i = 0; i < kLine; ++i) {
    CHECK(rig.byte(load, i) == (mask.test(i) ? 0x5a : initial(0x1000 + i)));
  }
  CHECK(rig.responded_at(whole) == 400 + kLatency);
  CHECK(rig.responded_at(hit) == 500 + kLatency);
  CHECK(rig.byte(hit, 127) == 0x3c);
  CHECK(rig.memory.arrivals().size() == 1);
  CHECK(rig.llc.stats().write_allocations == 2);
  CHECK(rig.llc.stats().partial_fetches == 1);
  CHECK(rig.llc.stats().misses == 0);
}

TEST_CASE("a victim's dirty bytes, and only those, are written back") {
  Rig rig(one_set(1));
  const ByteMask mask = ByteMask::range(0, 4) | ByteMask::range(64, 8);
  rig.store(10, 0x1000, 0x21, ByteMask::range(0, 4));
  rig.store(11, 0x1000, 0x22, ByteMask::range(64, 8));
  const auto second = rig.store(50, 0x2000, 0x23);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 1);
  const auto& out = rig.memory.arrivals()[0];
  CHECK(rig.arrived(0) == 50 + kLatency);
  CHECK(out.command == tlm::TLM_WRITE_COMMAND);
  CHECK(out.address == 0x1000);
  CHECK(out.mask == mask);
  CHECK(out.request.kind == RequestKind::kWriteBack);
  CHECK(out.request.useful_bytes == 12);
  CHECK(out.request.home().slice_line == 0x1000 / kLine);
  CHECK(rig.memory.byte(0x1003) == 0x21);
  CHECK(rig.memory.byte(0x1004) == initial(0x1004));
  CHECK(rig.memory.byte(0x1040) == 0x22);
  // The store does not wait for it.
  CHECK(rig.responded_at(second) == 50 + kLatency);
}

TEST_CASE("a clean victim is dropped without a word") {
  Rig rig(one_set(1));
  rig.load(10, 0x1000);
  rig.load(500, 0x2000);
  rig.run();
  CHECK(rig.memory.arrivals().size() == 2);
  CHECK(rig.llc.stats().evictions == 1);
  CHECK(rig.llc.stats().write_backs == 0);
}

TEST_CASE("a write-back leaves before the fetch that caused it") {
  write_back_and_fetch(RequestStyle::kEarlyEndReq, 1);
}
TEST_CASE("a write-back that is completed at once is done with") {
  write_back_and_fetch(RequestStyle::kComplete, kMemory);
}
TEST_CASE("a write-back with its response on the return path is completed") {
  write_back_and_fetch(RequestStyle::kRespondAtOnce, kMemory);
}

TEST_CASE("accesses to a line being fetched take effect in order when it comes") {
  Rig rig;
  const auto before = rig.load(10, 0x1000);
  const auto store = rig.store(11, 0x1000, 0x99, ByteMask::range(8, 8));
  const auto after = rig.load(12, 0x1000);
  rig.run();
  const std::uint64_t first = 10 + kLatency + kMemory + 1;
  CHECK(rig.responded_at(before) == first);
  CHECK(rig.responded_at(store) == first + 1);
  CHECK(rig.responded_at(after) == first + 2);
  CHECK(rig.byte(before, 8) == initial(0x1008));
  CHECK(rig.byte(after, 8) == 0x99);
  CHECK(rig.byte(after, 16) == initial(0x1010));
  CHECK(rig.memory.arrivals().size() == 1);
  CHECK(rig.llc.stats().merges == 2);
  // Looked up at 11 and 12 + kLatency - 1; the line arrives kMemory + 1 cycles after the first
  // lookup. The second and the third response wait for their turn at the port.
  CHECK(rig.llc.stats().merge_wait_cycles == (kMemory + 1 - 1) + (kMemory + 1 - 2));
  CHECK(rig.llc.stats().lookup_wait_cycles == 0);
  CHECK(rig.llc.stats().response_wait_cycles == 1 + 2);
  CHECK_FALSE(rig.sm.result(before).request.joined_fetch);
  CHECK(rig.sm.result(after).request.joined_fetch);
  CHECK(rig.sm.result(after).request.served_by == ServedBy::kHome);
}

TEST_CASE("the waits of lookups and of responses are those beyond an idle slice's") {
  Rig rig;
  rig.load(10, 0x1000);
  // Five requests of two ports in one cycle: the lookups are one a cycle, and each port takes one
  // response a cycle.
  for (unsigned i = 0; i < 3; ++i) rig.load(500, 0x1000, kLocal);
  for (unsigned i = 0; i < 2; ++i) rig.load(500, 0x1000, kRemote);
  rig.run();
  CHECK(rig.llc.stats().hits == 5);
  CHECK(rig.llc.stats().lookup_wait_cycles == 0 + 1 + 2 + 3 + 4);
  CHECK(rig.llc.stats().response_wait_cycles == 0);
  CHECK(rig.llc.stats().merge_wait_cycles == 0);
}

TEST_CASE("a response has the times of the channel's request and response") {
  Rig rig;
  const auto load = rig.load(10, 0x1000);
  const auto merged = rig.load(11, 0x1000);
  const auto hit = rig.load(500, 0x1000);
  const auto atomic = rig.atomic(600, 0x2000, rig.adds(1, 1));
  rig.run();
  for (const auto& [request, at] : {std::pair(load, 10U), std::pair(atomic, 600U)}) {
    CHECK(stamp(rig, request, Hop::kAtLlc) == rig.edge(at));
    CHECK(stamp(rig, request, Hop::kToDram) == rig.edge(at + kLatency - 1));
    CHECK(stamp(rig, request, Hop::kFromDram) == rig.edge(at + kLatency + kMemory));
    CHECK(stamp(rig, request, Hop::kFromLlc) == rig.edge(at + kLatency + kMemory + 1));
  }
  for (const auto& [request, at] : {std::pair(merged, 11U), std::pair(hit, 500U)}) {
    CHECK(stamp(rig, request, Hop::kAtLlc) == rig.edge(at));
    CHECK(stamp(rig, request, Hop::kToDram) == kNever);
    CHECK(stamp(rig, request, Hop::kFromDram) == kNever);
  }
}

TEST_CASE("a full MSHR entry holds its queue up, not the other one") {
  LlcSliceConfig c = plain();
  c.mshr_targets = 2;
  Rig rig(c);
  rig.load(10, 0x2000);
  std::vector<std::size_t> loads;
  for (unsigned i = 0; i < 3; ++i) loads.push_back(rig.load(500 + i, 0x1000));
  const auto other = rig.load(510, 0x2000, kRemote);
  const auto behind = rig.load(503, 0x2000, kLocal);
  rig.run();
  const std::uint64_t first = 500 + kLatency + kMemory + 1;
  for (unsigned i = 0; i < 3; ++i) CHECK(rig.responded_at(loads[i]) == first + i);
  CHECK(rig.responded_at(other) == 510 + kLatency);
  CHECK(rig.responded_at(behind) == first + 3);
  CHECK(rig.llc.stats().merges == 1);
  CHECK(rig.llc.stats().stalls_mshr > 0);
}

TEST_CASE("a miss waits for a free MSHR") {
  LlcSliceConfig c = plain();
  c.mshr_entries = 1;
  Rig rig(c);
  rig.load(10, 0x1000);
  const auto second = rig.load(11, 0x2000);
  rig.run();
  const std::uint64_t filled = 10 + kLatency + kMemory;
  CHECK(rig.arrived(1) == filled + 1);
  CHECK(rig.responded_at(second) == filled + 1 + kMemory + 1);
}

TEST_CASE("a miss waits while every way of its set waits for a fill") {
  Rig rig(one_set(1));
  rig.load(10, 0x1000);
  const auto second = rig.load(11, 0x2000);
  rig.run();
  const std::uint64_t filled = 10 + kLatency + kMemory;
  CHECK(rig.arrived(1) == filled + 1);
  CHECK(rig.responded_at(second) == filled + 1 + kMemory + 1);
  CHECK(rig.llc.stats().stalls_ways > 0);
}

TEST_CASE("a set keeps its most recently used lines") {
  Rig rig(one_set(2));
  rig.load(10, 0x1000);
  rig.load(300, 0x2000);
  rig.load(600, 0x1000);
  rig.load(900, 0x3000);  // drops 0x2000
  const auto kept = rig.load(1200, 0x1000);
  const auto dropped = rig.load(1300, 0x2000);
  rig.run();
  CHECK(rig.responded_at(kept) == 1200 + kLatency);
  CHECK(rig.responded_at(dropped) == 1300 + kLatency + kMemory + 1);
}

TEST_CASE("responses that nobody takes stall lookups when the response queue is full") {
  LlcSliceConfig c = plain();
  c.response_queue_depth = 2;
  Rig rig(c);
  rig.load(10, 0x1000);
  rig.run_to(rig.edge(400) + 1);
  rig.sm.stall_responses_until(rig.edge(800));
  std::vector<std::size_t> hits;
  for (unsigned i = 0; i < 6; ++i) hits.push_back(rig.load(500 + i, 0x1000));
  const auto remote = rig.load(510, 0x1000, kRemote);
  rig.run_to(rig.edge(700) + 1);
  // One at the port, two in the queue.
  CHECK(rig.llc.stats().hits == 3);
  rig.run();
  // The heads of both queues; from then on, one response leaves each cycle.
  CHECK(rig.llc.stats().stalls_output == 2);
  CHECK(rig.responded_at(hits[0]) == 500 + kLatency);
  for (unsigned i = 1; i < 3; ++i) CHECK(rig.responded_at(hits[i]) == 801 + i);
  CHECK(rig.sm.result(remote).responded_at());
  CHECK(rig.llc.stats().hits == 7);
}

TEST_CASE("a channel that takes nothing stalls lookups when its queue is full") {
  LlcSliceConfig c = plain();
  c.memory_queue_depth = 2;
  Rig rig(c);
  rig.memory.stall_until(rig.edge(200));
  std::vector<std::size_t> loads;
  for (unsigned i = 0; i < 6; ++i) loads.push_back(rig.load(10 + i, 0x1000 + i * kLine));
  rig.run_to(rig.edge(150) + 1);
  CHECK(rig.llc.stats().misses == 3);
  rig.memory.stall_until(0);
  rig.run();
  CHECK(rig.arrived(0) == 10 + kLatency);
  for (unsigned i = 1; i < 6; ++i) CHECK(rig.arrived(i) == 201 + i);
}

TEST_CASE("fills behind responses that nobody takes have the times at which they came") {
  LlcSliceConfig c = plain();
  c.mshr_entries = 1;
  Rig rig(c);
  block_responses(rig);
  std::vector<std::size_t> loads = {rig.load(500, 0x2000)};
  const std::uint64_t filled = 500 + kLatency + kMemory;
  // The line is there, and its MSHR is free.
  loads.push_back(rig.load(filled - kLatency + 10, 0x2000));
  loads.push_back(rig.load(filled - kLatency + 20, 0x3000));
  // A lookup that waits for an MSHR has it when the fill comes.
  loads.push_back(rig.load(filled - kLatency + 21, 0x4000));
  rig.run_to(rig.edge(900) + 1);
  CHECK(rig.llc.stats().hits == 5);
  CHECK(rig.llc.stats().merges == 0);
  REQUIRE(rig.memory.arrivals().size() == 4);
  CHECK(rig.arrived(2) == filled + 20);
  CHECK(rig.arrived(3) == filled + 20 + kMemory + 1);
  rig.run();
  // Behind the hit that stood there, one a cycle.
  for (unsigned i = 0; i < 4; ++i) CHECK(rig.responded_at(loads[i]) == 1003 + i);
  for (const std::size_t i : {0, 1}) CHECK(rig.byte(loads[i], 5) == initial(0x2005));
  CHECK(rig.byte(loads[3], 5) == initial(0x4005));
  CHECK(rig.llc.stats().miss_latency.count() == 4);
  CHECK(rig.llc.stats().miss_latency.sum() == 4 * (kMemory + 1));
}

TEST_CASE("a request that waits for the channel goes when a response stands for END_REQ") {
  Rig rig(plain(), RequestStyle::kImpliedEndReq);
  block_responses(rig);
  rig.load(500, 0x2000);
  rig.load(501, 0x3000);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.arrived(1) == 500 + kLatency);
  CHECK(rig.arrived(2) == 500 + kLatency + kMemory + 1);
}

}  // namespace tessera::llc_slice_test
