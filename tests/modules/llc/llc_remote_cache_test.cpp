// SPDX-License-Identifier: Apache-2.0
// A slice as a cache of other GPUs' lines in front of the RDMA engine (DualOpt section 4.2).
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "tests/modules/llc/far_rig.h"

namespace tessera::llc_remote_cache_test {

using namespace tessera::test;

namespace {

void bypasses_cache(RequestStyle style) {
  FarRig rig(kOff, plain(), style);
  const ByteMask mask = ByteMask::range(4, 8);
  const auto store = rig.store(10, kThere, 0x5a, mask, 1);
  const auto atomic = rig.atomic(300, kThere, rig.adds(2, 1));
  const auto load = rig.load(600, kThere);
  const auto again = rig.load(900, kThere, 1);
  rig.run();
  CHECK(rig.responded_at(store) == 10 + kRound);
  CHECK(rig.responded_at(atomic) == 300 + kRound);
  CHECK(rig.responded_at(load) == 600 + kRound);
  CHECK(rig.responded_at(again) == 900 + kRound);
  REQUIRE(rig.memory.arrivals().size() == 4);
  CHECK(rig.arrived(0) == 11);
  CHECK(rig.memory.arrivals()[0].mask == mask);
  CHECK(rig.memory.arrivals()[0].request.home().slice == SliceId(1));
  CHECK(rig.kind(0) == RequestKind::kStore);
  CHECK(rig.kind(1) == RequestKind::kAtomic);
  CHECK(rig.byte(load, 11) == 0x5a);
  CHECK(rig.byte(load, 12) == initial(kThere + 12));
  CHECK(rig.sm.result(load).request.route_depth() == 0);
  for (const Hop hop : {Hop::kAtLlc, Hop::kToDram, Hop::kFromDram}) {
    CHECK(rig.sm.result(load).request.stamp(hop) == kNever);
  }
  const LlcSliceStats& s = rig.llc.stats();
  CHECK(s.bypasses == 4);
  CHECK(s.sm_loads == 2);
  CHECK(s.sm_loads_served == 0);
  CHECK(s.reads + s.writes + s.atomics + s.local_lookups + s.write_allocations == 0);
  CHECK_FALSE(rig.llc.needs_flush());
}

}  // namespace

TEST_CASE("a remote cache that is off passes everything on, a cycle each way") {
  bypasses_cache(RequestStyle::kEarlyEndReq);
}
TEST_CASE("a remote cache that is off takes as long when memory responds with TLM_COMPLETED") {
  bypasses_cache(RequestStyle::kComplete);
}
TEST_CASE("a remote cache that is off takes as long when BEGIN_RESP stands for END_REQ") {
  bypasses_cache(RequestStyle::kImpliedEndReq);
}

TEST_CASE("what goes round keeps its port's entry until it leaves") {
  LlcSliceConfig c = plain();
  c.latency_cycles = 2;
  c.queue_depth = 1;
  FarRig rig(kOff, c);
  rig.memory.stall_until(rig.edge(500));
  for (unsigned i = 0; i < 6; ++i) rig.load(10 + i, kThere + i * kLine);
  rig.run_to(rig.edge(100));
  // One has left; three entries are taken; the third has no END_REQ yet.
  CHECK(rig.sm.result(2).end_req != kNever);
  CHECK(rig.sm.result(3).end_req == kNever);
  CHECK(rig.sm.result(4).begin_req == kNever);
  CHECK_FALSE(rig.llc.idle());
  std::vector<Waiting> waiting;
  rig.llc.describe_waiting(waiting);
  REQUIRE(waiting.size() == 2);
  CHECK(waiting[0].queue == "llc.to_memory");
  CHECK(waiting[0].items == 3);
  CHECK(waiting[0].waits_for == "END_REQ from the RDMA engine");
  CHECK(waiting[0].kind == WaitKind::kQueueFull);
  CHECK(waiting[1].queue == "llc.bypasses");
  CHECK(waiting[1].items == 4);
  CHECK(waiting[1].kind == WaitKind::kDataDependence);
  rig.memory.stall_until(0);
  rig.run();
}

TEST_CASE("a remote cache's hit takes the latency, a miss the way to the home and back too") {
  FarRig rig(kOn);
  const auto miss = rig.load(10, kThere);
  const auto merged = rig.load(11, kThere, 1);
  const auto hit = rig.load(500, kThere, 1);
  rig.run();
  CHECK(rig.arrived(0) == 10 + kLatency);
  CHECK(rig.responded_at(miss) == 10 + kMiss);
  CHECK(rig.responded_at(merged) == 10 + kMiss);
  CHECK(rig.responded_at(hit) == 500 + kLatency);
  CHECK(rig.memory.arrivals().size() == 1);
  CHECK(rig.memory.arrivals()[0].request.home().slice == SliceId(1));
  CHECK(rig.byte(hit, 3) == initial(kThere + 3));
  const auto& stamps = rig.sm.result(miss).request.stamps;
  CHECK(stamps[static_cast<std::size_t>(Hop::kToDram)] == kNever);
  CHECK(stamps[static_cast<std::size_t>(Hop::kFromDram)] == kNever);
  const LlcSliceStats& s = rig.llc.stats();
  CHECK(s.misses == 1);
  CHECK(s.merges == 1);
  CHECK(s.hits == 1);
  CHECK(s.bypasses == 0);
  CHECK(s.sm_loads == 3);
  CHECK(s.sm_loads_served == 1);
  CHECK(rig.llc.needs_flush());
}

TEST_CASE("a home's note of when the response left it is not written over") {
  FarRig rig(kOn);
  constexpr auto kLeft = static_cast<std::size_t>(Hop::kFromLlc);
  rig.memory.access = [&rig](tlm::tlm_generic_payload& p) {
    request_of(p).stamps[kLeft] = 4711;
    rig.serve(p);
  };
  const auto miss = rig.load(10, kThere);
  const auto hit = rig.load(500, kThere);
  rig.run();
  CHECK(rig.sm.result(miss).request.stamps[kLeft] == 4711);
  CHECK(rig.sm.result(hit).request.stamps[kLeft] == rig.edge(500 + kLatency));
  CHECK(rig.sm.result(miss).request.served_by == ServedBy::kHome);
  CHECK(rig.sm.result(hit).request.served_by == ServedBy::kRemoteCache);
}

TEST_CASE("a remote cache holds stores until a flush, which writes their bytes back") {
  FarRig rig(kOn, sixteen());
  const ByteMask mask = ByteMask::range(16, 4) | ByteMask::range(100, 2);
  // Of two slices' lines, every other set is the second's.
  const std::uint64_t third = kOtherHome + 3 * kLine;  // set 7, way 14
  const auto store = rig.store(10, third, 0x33, mask);
  rig.run();
  CHECK(rig.responded_at(store) == 10 + kLatency);
  CHECK(rig.memory.arrivals().empty());
  CHECK(rig.llc.needs_flush());
  CHECK(rig.flush_at(10'000) == 10'000 + 14 + 1 + kMemory);
  REQUIRE(rig.memory.arrivals().size() == 1);
  CHECK(rig.arrived(0) == 10'000 + 14 + 1);
  CHECK(rig.kind(0) == RequestKind::kWriteBack);
  CHECK(rig.memory.arrivals()[0].mask == mask);
  CHECK(rig.memory.arrivals()[0].request.home().slice == SliceId(1));
  CHECK(rig.memory.byte(third + 16) == 0x33);
  CHECK(rig.memory.byte(third + 101) == 0x33);
  CHECK(rig.memory.byte(third + 15) == initial(third + 15));
  CHECK_FALSE(rig.llc.needs_flush());
  const std::uint64_t start = rig.soon();
  const auto load = rig.load(start, third);
  rig.run();
  CHECK(rig.responded_at(load) == start + kMiss);
  CHECK(rig.byte(load, 16) == 0x33);
  CHECK(rig.llc.stats().write_backs == 1);
}

TEST_CASE("a load of a line that is partly written fetches the rest") {
  FarRig rig(kOn);
  rig.store(10, kThere, 0x21, ByteMask::range(0, 4));
  const auto load = rig.load(100, kThere);
  rig.run();
  CHECK(rig.responded_at(load) == 100 + kMiss);
  CHECK(rig.byte(load, 3) == 0x21);
  CHECK(rig.byte(load, 4) == initial(kThere + 4));
  CHECK(rig.llc.stats().partial_fetches == 1);
}

TEST_CASE("an atomic goes to its home behind the bytes that are dirty here, and drops the line") {
  FarRig rig(kOn);
  rig.store(10, kThere, 7, ByteMask::first(4));
  AtomicOperands* o = rig.adds(8, 5);
  const auto atomic = rig.atomic(100, kThere, o);
  const auto behind = rig.load(101, kThere, 1);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.kind(0) == RequestKind::kWriteBack);
  CHECK(rig.memory.arrivals()[0].mask == ByteMask::first(4));
  CHECK(rig.arrived(0) == 100 + kLatency);
  CHECK(rig.kind(1) == RequestKind::kAtomic);
  CHECK(rig.arrived(1) == 100 + kLatency + 1);
  CHECK(rig.responded_at(atomic) == 100 + kLatency + 1 + kMemory + 1);
  CHECK(o->lanes[0].old == 0x07070707);
  // Eight lanes take the arrays for one cycle: nothing is performed here.
  CHECK(rig.arrived(2) == 101 + kLatency + 1);
  CHECK(rig.byte(behind, 0) == 12);
  CHECK(rig.byte(behind, 1) == 7);
  CHECK(rig.atomics_there == 1);
  const LlcSliceStats& s = rig.llc.stats();
  CHECK(s.atomic_lanes == 0);
  CHECK(s.bypasses == 1);
  CHECK(s.write_backs == 1);
}

TEST_CASE("an atomic drops a clean copy without a write-back") {
  FarRig rig(kOn);
  rig.load(10, kThere);
  const auto atomic = rig.atomic(300, kThere, rig.adds(1, 1));
  const auto load = rig.load(600, kThere);
  rig.run();
  CHECK(rig.memory.arrivals().size() == 3);
  CHECK(rig.responded_at(atomic) == 300 + kMiss);
  CHECK(rig.responded_at(load) == 600 + kMiss);
  CHECK(rig.byte(load, 0) == static_cast<unsigned char>(initial(kThere) + 1));
  CHECK(rig.llc.stats().write_backs == 0);
}

TEST_CASE("an atomic to a line that is being fetched waits for it") {
  FarRig rig(kOn);
  const auto load = rig.load(10, kThere);
  const auto atomic = rig.atomic(11, kThere, rig.adds(1, 1));
  rig.run();
  CHECK(rig.responded_at(load) == 10 + kMiss);
  CHECK(rig.byte(load, 0) == initial(kThere));
  // Looked up again in the cycle in which the line has come.
  CHECK(rig.arrived(1) == 10 + kLatency + kMemory + 1);
  CHECK(rig.responded_at(atomic) == 10 + kLatency + kMemory + 1 + kMemory + 1);
  CHECK(rig.llc.stats().stalls_mshr > 0);
}

TEST_CASE("volatile loads and stores go to the home, and leave no copy here") {
  FarRig rig(kOn);
  rig.store(10, kThere, 1, ByteMask::first(4));
  const auto load = rig.add_volatile(rig.request(100, kThere));
  rig.load(300, kThere);
  const auto store = rig.add_volatile(rig.store_request(600, kThere, 2, ByteMask::first(1)));
  const auto last = rig.load(900, kThere);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 5);
  CHECK(rig.kind(0) == RequestKind::kWriteBack);
  CHECK(rig.arrived(1) == 100 + kLatency + 1);
  CHECK(rig.responded_at(load) == 100 + kMiss + 1);
  CHECK(rig.byte(load, 3) == 1);
  CHECK(rig.responded_at(store) == 600 + kMiss);
  CHECK(rig.kind(3) == RequestKind::kStore);
  CHECK(rig.responded_at(last) == 900 + kMiss);
  CHECK(rig.byte(last, 0) == 2);
  CHECK(rig.byte(last, 1) == 1);
  CHECK(rig.llc.stats().bypasses == 2);
}

TEST_CASE("a remote cache may begin to cache at any time, and what is under way ends as it began") {
  FarRig rig(kOff);
  const auto store = rig.store(10, kThere, 0x44, ByteMask::first(4));
  const auto round = rig.load(11, kThere);
  rig.run_to(rig.edge(12));
  rig.transfer = kOn;
  const auto miss = rig.load(13, kThere, 1);
  const auto hit = rig.load(200, kThere);
  rig.run();
  CHECK(rig.responded_at(store) == 10 + kRound);
  CHECK(rig.responded_at(round) == 11 + kRound);
  CHECK(rig.responded_at(miss) == 13 + kMiss);
  CHECK(rig.byte(miss, 0) == 0x44);
  CHECK(rig.responded_at(hit) == 200 + kLatency);
  CHECK(rig.byte(hit, 0) == 0x44);
  CHECK(rig.memory.arrivals().size() == 3);
  CHECK(rig.llc.stats().bypasses == 2);
}

TEST_CASE("a load of pieces that is cached fetches the whole line") {
  FarRig rig({true, true, false, true});
  ScriptedRequest r = rig.request(10, kThere);
  r.prepare = [&rig](Transaction& t) {
    rig.prepare(t);
    t.request().fine_grained = true;
    t.request().word_mask = 1;
  };
  const auto load = rig.sm.add(std::move(r));
  const auto hit = rig.load(300, kThere);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 1);
  CHECK(rig.kind(0) == RequestKind::kFill);
  CHECK_FALSE(rig.memory.arrivals()[0].request.fine_grained);
  CHECK(rig.responded_at(load) == 10 + kMiss);
  CHECK(rig.byte(load, 0) == initial(kThere));
  CHECK(rig.responded_at(hit) == 300 + kLatency);
  CHECK(rig.byte(hit, 127) == initial(kThere + 127));
}

TEST_CASE("lines whose homes number them alike lie in sets of their own") {
  LlcSliceConfig c = plain();
  c.sets = 2;
  c.ways = 1;
  FarRig rig(kOn, c);
  rig.prepare = [](Transaction& t) {
    t.request().set_home(Home(SliceId(t.get_address() / kLine % 2)), t.get_address());
  };
  rig.load(10, kOtherHome);
  rig.load(300, kOtherHome + kLine);
  const auto first = rig.load(600, kOtherHome);
  const auto second = rig.load(900, kOtherHome + kLine);
  rig.run();
  CHECK(rig.responded_at(first) == 600 + kLatency);
  CHECK(rig.responded_at(second) == 900 + kLatency);
}

TEST_CASE("debug accesses see and change dirty bytes here, and the memory of what is not here") {
  FarRig rig(kOn);
  rig.store(10, kThere, 0x42, ByteMask::range(16, 4));
  rig.run();
  std::vector<unsigned char> data(kLine);
  CHECK(rig.debug(tlm::TLM_READ_COMMAND, kThere, data) == kLine);
  CHECK(data[15] == initial(kThere + 15));
  CHECK(data[16] == 0x42);
  CHECK(rig.memory.byte(kThere + 16) == initial(kThere + 16));
  std::vector<unsigned char> written(4, 0x43);
  CHECK(rig.debug(tlm::TLM_WRITE_COMMAND, kThere + 18, written) == 4);
  CHECK(rig.debug(tlm::TLM_WRITE_COMMAND, kThere + kLine, written) == 4);
  CHECK(rig.memory.byte(kThere + kLine + 3) == 0x43);
  CHECK(rig.debug(tlm::TLM_READ_COMMAND, kThere + kLine, written) == 4);
  CHECK(written == std::vector<unsigned char>(4, 0x43));
  rig.flush_at(rig.soon());
  CHECK(rig.memory.byte(kThere + 17) == 0x42);
  CHECK(rig.memory.byte(kThere + 18) == 0x43);
  CHECK(rig.memory.byte(kThere + 20) == 0x43);
}

TEST_CASE("a loosely timed access finds the newest bytes, and the home those written here") {
  FarRig rig(kOn);
  rig.load(10, kThere);
  rig.store(300, kThere, 0x42, ByteMask::range(16, 4) | ByteMask::range(127, 1));
  rig.store(301, kThere + kLine, 0x43, ByteMask::first(1));
  rig.run();
  std::vector<unsigned char> data(kLine);
  CHECK(rig.blocking(tlm::TLM_READ_COMMAND, kThere, data) == kLatency);
  CHECK(data[16] == 0x42);
  CHECK(data[20] == initial(kThere + 20));
  // Only partly here.
  CHECK(rig.blocking(tlm::TLM_READ_COMMAND, kThere + kLine, data) == kMemory);
  CHECK(data[0] == 0x43);
  CHECK(data[1] == initial(kThere + kLine + 1));
  std::vector<unsigned char> written(4, 0x55);
  CHECK(rig.blocking(tlm::TLM_WRITE_COMMAND, kThere + 16, written) == kMemory);
  CHECK(rig.memory.byte(kThere + 16) == 0x55);
  CHECK(rig.memory.byte(kThere + 127) == 0x42);
  CHECK(rig.memory.byte(kThere + 126) == initial(kThere + 126));
  // The copy stays, and has it too.
  const std::uint64_t start = rig.soon();
  const auto load = rig.load(start, kThere);
  rig.run();
  CHECK(rig.responded_at(load) == start + kLatency);
  CHECK(rig.byte(load, 19) == 0x55);
}

TEST_CASE("a remote cache that is reset holds nothing") {
  FarRig rig(kOn);
  rig.store(10, kThere, 1);
  rig.run();
  reset_all(rig.conformance());
  CHECK_FALSE(rig.llc.needs_flush());
  const std::uint64_t start = rig.soon();
  const auto load = rig.load(start, kThere);
  rig.run();
  CHECK(rig.responded_at(load) == start + kMiss);
  CHECK(rig.memory.arrivals().size() == 1);
}

namespace {

/// `beside_kernels`: copies are written back and dropped while traffic goes on.
void random_traffic(bool beside_kernels) {
  FarRig rig(kOff, tiny(), RequestStyle::kRandom);
  rig.stall_at_random();
  std::mt19937_64 random(9);
  constexpr unsigned kLines = 16;
  std::vector<unsigned char> reference(kLines * kLine);
  for (unsigned i = 0; i < reference.size(); ++i) reference[i] = initial(kOtherHome + i);
  std::map<std::size_t, std::vector<unsigned char>> expected;
  std::vector<std::pair<AtomicOperands*, std::uint64_t>> atomics;
  std::size_t lost = 0;
  unsigned flushes = 0;
  const auto batch = [&](unsigned accesses) {
    std::array<Tick, 2> at{now() + ns(10), now() + ns(10)};
    for (unsigned n = 0; n < accesses; ++n) {
      // Each port has lines of its own: between ports nothing says which access comes first.
      const auto port = static_cast<unsigned>(random() % 2);
      if (random() % 3 == 0) at[port] += random() % ns(40);
      const std::uint64_t offset = (random() % (kLines / 2) * 2 + port) * kLine;
      ScriptedRequest r = rig.request(0, kOtherHome + offset, port);
      const auto kind = random() % 8;
      if (kind == 0) {
        AtomicOperands* o = rig.adds(1, random() % 1000);
        o->lanes[0].offset = static_cast<std::uint8_t>(random() % 32 * 4);
        unsigned char* word = &reference[offset + o->lanes[0].offset];
        std::uint32_t old = 0;
        std::memcpy(&old, word, 4);
        const auto sum = static_cast<std::uint32_t>(old + o->lanes[0].operand);
        std::memcpy(word, &sum, 4);
        atomics.emplace_back(o, old);
        r = with_operands(std::move(r), o);
        r.at = at[port];
        rig.sm.add(std::move(r));
        continue;
      }
      r.at = at[port];
      if (random() % 10 == 0) {
        r.prepare = [before = r.prepare](Transaction& t) {
          before(t);
          t.request().bypass_l1 = true;
        };
      }
      if (kind < 4) {
        r.command = tlm::TLM_WRITE_COMMAND;
        r.mask = kind == 1 ? ByteMask::first(kLine) : ByteMask{random() & random(), random()};
        fill_store(r, random, reference, offset);
        rig.sm.add(std::move(r));
      } else {
        const auto from = reference.begin() + static_cast<std::ptrdiff_t>(offset);
        expected[rig.sm.add(std::move(r))].assign(from, from + kLine);
      }
    }
  };
  const auto flush = [&] {
    rig.run();
    if (rig.llc.needs_flush()) {
      rig.llc.flush({}, [&flushes] { ++flushes; });
      rig.run();
    }
    for (unsigned i = 0; i < reference.size(); ++i) {
      if (rig.memory.byte(kOtherHome + i) != reference[i]) ++lost;
    }
  };
  batch(500);
  rig.run_to(now() + us(3));
  CHECK(rig.llc.stats().local_lookups == 0);
  CHECK_FALSE(rig.llc.idle());
  rig.transfer = kOn;
  flush();
  unsigned kernel_ends = 0;
  bool writing_back = false;
  for (unsigned i = 0; i < 10; ++i) {
    batch(600);
    for (unsigned step = 0; beside_kernels && (step < 40 || writing_back); ++step) {
      rig.run_to(now() + ns(1 + random() % 100));
      if (writing_back || step >= 40) continue;
      writing_back = true;
      rig.llc.write_back_copies({}, [&] {
        writing_back = false;
        ++kernel_ends;
        rig.llc.drop_copies();
      });
    }
    flush();
  }
  CHECK(lost == 0);
  CHECK(flushes >= 10);
  CHECK((kernel_ends > 50) == beside_kernels);
  std::size_t wrong = 0;
  for (const auto& [index, bytes] : expected) {
    if (rig.sm.result(index).data != bytes) ++wrong;
  }
  CHECK(wrong == 0);
  wrong = 0;
  for (const auto& [o, old] : atomics) {
    if (o->lanes[0].old != old) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(rig.atomics_there == atomics.size());
  const LlcSliceStats& s = rig.llc.stats();
  CHECK(s.reads + s.writes + s.bypasses == 6500);
  CHECK(s.atomics + s.atomic_lanes == 0);
  for (const auto n : {s.hits, s.misses, s.merges, s.partial_fetches, s.write_backs, s.stalls_mshr,
                       s.stalls_output}) {
    CHECK(n > 50);
  }
}

}  // namespace

TEST_CASE("random traffic through a remote cache agrees with a memory, and no byte is lost") {
  random_traffic(false);
}
TEST_CASE("no byte is lost either when copies are written back and dropped under the traffic") {
  random_traffic(true);
}

namespace {

void conforms(const RemoteAccessMode& how) {
  FarRig rig(how, tiny(), RequestStyle::kRandom);
  rig.memory.config().random_latency = ns(100);
  ConformanceTraffic traffic;
  traffic.seed = 6;
  traffic.prepare = rig.prepare;
  traffic.adjust = [](ScriptedRequest& r, std::mt19937_64& random) {
    // Loads have no byte enables: a load that misses is itself the request for its line.
    if (r.command == tlm::TLM_READ_COMMAND) r.mask = ByteMask::first(kLine);
    if (random() % 4 != 0) return;
    r.prepare = [before = r.prepare](Transaction& t) {
      if (before) before(t);
      t.request().bypass_l1 = true;
    };
  };
  run_conformance(rig.conformance(), traffic);
}

}  // namespace

TEST_CASE("a remote cache passes the conformance run") { conforms(kOn); }
TEST_CASE("a remote cache that is off passes the conformance run") { conforms(kOff); }

}  // namespace tessera::llc_remote_cache_test
