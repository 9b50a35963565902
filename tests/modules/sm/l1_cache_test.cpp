// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/l1_cache.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "tests/support/cache_rig.h"

namespace tessera::l1_cache_test {

using namespace tessera::test;

namespace {

/// A clock of whole nanoseconds, so that the target's latency is one of cycles.
L1Config plain() {
  L1Config c;
  c.clock_hz = 1'000'000'000;
  return c;
}

struct Rig final : CacheRig {
  std::unique_ptr<L1Cache> made;
  L1Cache& l1;

  explicit Rig(const L1Config& config = plain(), RequestStyle style = RequestStyle::kEarlyEndReq)
      : CacheRig(config.clock_hz, {1, 1, style}),
        made(make_l1_cache("l1", config, map)),
        l1(*made) {
    block = &l1;
    join(sm.socket(), l1.core);
    join(l1.memory, memory.socket());
  }

  std::size_t bypassing_load(std::uint64_t cycle, std::uint64_t address) {
    ScriptedRequest r = request(cycle, address);
    r.prepare = [](Transaction& t) { t.request().bypass_l1 = true; };
    return sm.add(std::move(r));
  }
  std::size_t uniform_load(std::uint64_t cycle, std::uint64_t address) {
    ScriptedRequest r = request(cycle, address);
    r.prepare = [](Transaction& t) { t.request().uniform = true; };
    return sm.add(std::move(r));
  }
  std::size_t atomic(std::uint64_t cycle, std::uint64_t address) {
    ScriptedRequest r = request(cycle, address);
    r.command = tlm::TLM_WRITE_COMMAND;
    r.data.assign(kLine, 0xaa);
    r.mask = ByteMask::first(4);
    r.prepare = [](Transaction& t) { t.request().kind = RequestKind::kAtomic; };
    return sm.add(std::move(r));
  }
};

/// Memory says `cycles` before a line comes that it will.
void announce(Rig& rig, std::uint64_t cycles) {
  rig.memory.config().latency = rig.edge(kMemory - cycles);
  rig.memory.config().response_delay = rig.edge(cycles);
}

void hit_and_miss(RequestStyle style) {
  Rig rig(plain(), style);
  const auto miss = rig.load(10, 0x1000);
  const auto hit = rig.load(500, 0x1000);
  rig.run();
  const std::uint64_t latency = rig.l1.config().latency_cycles;
  CHECK(rig.arrived(0) == 10 + latency);
  CHECK(rig.responded_at(miss) == 10 + latency + kMemory + 1);
  CHECK(rig.responded_at(hit) == 500 + latency);
  CHECK(rig.memory.arrivals().size() == 1);
  CHECK(rig.byte(hit, 17) == initial(0x1000 + 17));
  CHECK(rig.sm.result(miss).data == rig.sm.result(hit).data);
  CHECK(rig.l1.stats().load_misses == 1);
  CHECK(rig.l1.stats().load_hits == 1);
  CHECK(rig.l1.stats().miss_latency.sum() == kMemory + 1);
}

}  // namespace

TEST_CASE("a load takes the configured latency on a hit, and memory's and a cycle more on a miss") {
  hit_and_miss(RequestStyle::kEarlyEndReq);
}
TEST_CASE("a miss takes as long when memory responds with TLM_COMPLETED") {
  hit_and_miss(RequestStyle::kComplete);
}
TEST_CASE("a miss takes as long when memory responds with BEGIN_RESP on the return path") {
  hit_and_miss(RequestStyle::kRespondAtOnce);
}
TEST_CASE("a miss takes as long when BEGIN_RESP stands for END_REQ") {
  hit_and_miss(RequestStyle::kImpliedEndReq);
}

TEST_CASE("a hit takes the default latency of the default clock, to the femtosecond") {
  Rig rig{L1Config{}};
  rig.load(10, 0x1000);
  const auto hit = rig.load(500, 0x1000);
  rig.run();
  CHECK(rig.sm.result(hit).begin_resp == ClockDomain(1'400'000'000).time_of(500 + 28));
}

TEST_CASE("hits are looked up one a cycle") {
  Rig rig;
  rig.load(10, 0x1000);
  std::vector<std::size_t> hits;
  for (unsigned i = 0; i < 40; ++i) hits.push_back(rig.load(500, 0x1000));
  rig.run();
  for (unsigned i = 0; i < hits.size(); ++i) CHECK(rig.responded_at(hits[i]) == 500 + i + 28);
}

TEST_CASE("loads of a line being fetched merge and receive their responses in order, one a cycle") {
  Rig rig;
  std::vector<std::size_t> loads;
  for (unsigned i = 0; i < 4; ++i) loads.push_back(rig.load(10 + i, 0x1000));
  rig.run();
  for (unsigned i = 0; i < 4; ++i) CHECK(rig.responded_at(loads[i]) == 10 + 28 + kMemory + 1 + i);
  CHECK(rig.memory.arrivals().size() == 1);
  CHECK(rig.l1.stats().load_merges == 3);
}

TEST_CASE("the time of served misses goes to hops by the notes of those who passed them") {
  Rig rig;
  // Cycles from an arrival at memory to each stamp; the second line is found in the slice, of the
  // third no block stamps anything. The next four: a fetch of another request, a remote cache, a
  // copy in another slice, another L1.
  const auto note = [&rig](MemoryRequest& request, Hop hop, std::uint64_t cycles) {
    request.stamp(hop) = now() + rig.edge(cycles);
  };
  rig.memory.access = [&](tlm::tlm_generic_payload& p) {
    MemoryRequest& request = request_of(p);
    if (p.get_address() == 0x3000) return;
    request.joined_fetch = p.get_address() == 0x4000;
    if (p.get_address() == 0x5000) request.served_by = ServedBy::kRemoteCache;
    if (p.get_address() == 0x6000) request.served_by = ServedBy::kCopy;
    if (p.get_address() == 0x7000) request.served_by = ServedBy::kOtherL1;
    note(request, Hop::kAtLlc, 3);
    note(request, Hop::kFromLlc, 83);
    if (p.get_address() != 0x1000) return;
    note(request, Hop::kToDram, 10);
    note(request, Hop::kFromDram, 54);
  };
  for (std::uint64_t line = 0x1000; line <= 0x7000; line += 0x1000) rig.load(10, line);
  rig.run();
  // In ticks: one cycle to arrive, the rest as noted; what is left of kMemory is the way back.
  const L1Stats& s = rig.l1.stats();
  CHECK(s.request_network == rig.edge(4 * (1 + 3)));
  CHECK(s.llc == rig.edge((10 - 3) + 3 * (83 - 3)));
  CHECK(s.llc_merge == rig.edge(83 - 3));
  CHECK(s.far_cache == rig.edge(83 - 3));
  CHECK(s.copy_request_network == rig.edge(1 + 3));
  CHECK(s.copy == rig.edge(83 - 3));
  CHECK(s.copy_response_network == rig.edge(kMemory - 83));
  CHECK(s.other_l1 == rig.edge(kMemory + 1));
  CHECK(s.unstamped == rig.edge(kMemory + 1));
  CHECK(s.dram == rig.edge(54 - 10));
  CHECK(s.llc_return == rig.edge(83 - 54));
  CHECK(s.response_network == rig.edge(4 * (kMemory - 83)));
  CHECK(s.miss_latency.count() == 7);
  CHECK(s.miss_latency.sum() == 7 * (kMemory + 1));
  // All hops, as ticks: nothing is missing.
  CHECK(s.request_network + s.llc + s.dram + s.llc_return + s.response_network +
            s.copy_request_network + s.copy + s.copy_response_network + s.other_l1 + s.unstamped ==
        rig.edge(7 * (kMemory + 1)));
  // Seven requests are looked up one a cycle and leave at once.
  CHECK(s.miss_queue_wait == 0);
}

TEST_CASE("stores go through with their bytes and take no line") {
  Rig rig;
  const ByteMask mask = ByteMask::range(4, 8);
  const auto store = rig.store(10, 0x1000, 0x55, mask);
  const auto load = rig.load(500, 0x1000);
  rig.run();
  CHECK(rig.arrived(0) == 10 + 28);
  CHECK(rig.responded_at(store) == 10 + 28 + kMemory + 1);
  CHECK(rig.memory.arrivals()[0].mask == mask);
  CHECK(rig.memory.arrivals()[0].request.kind == RequestKind::kStore);
  CHECK(rig.memory.arrivals()[0].request.home().slice_line == 0x1000 / kLine);
  CHECK(rig.arrived(1) == 500 + 28);
  CHECK(rig.byte(load, 4) == 0x55);
  CHECK(rig.byte(load, 12) == initial(0x1000 + 12));
  CHECK(rig.l1.stats().store_hits == 0);
}

TEST_CASE("a store to a line that is there changes the masked bytes here and in memory") {
  Rig rig;
  rig.load(10, 0x1000);
  rig.store(300, 0x1000, 0x66, ByteMask::range(120, 8));
  const auto load = rig.load(301, 0x1000);
  rig.run();
  CHECK(rig.responded_at(load) == 301 + 28);
  CHECK(rig.byte(load, 119) == initial(0x1000 + 119));
  CHECK(rig.byte(load, 120) == 0x66);
  CHECK(rig.memory.byte(0x1000 + 127) == 0x66);
  CHECK(rig.memory.byte(0x1000 + 119) == initial(0x1000 + 119));
  CHECK(rig.l1.stats().store_hits == 1);
}

TEST_CASE("a store to a line being fetched shows in later loads and not in earlier ones") {
  Rig rig;
  const auto before = rig.load(10, 0x1000);
  const auto store = rig.store(11, 0x1000, 0x77, ByteMask::range(8, 4));
  const auto after = rig.load(12, 0x1000);
  const auto hit = rig.load(500, 0x1000);
  rig.run();
  CHECK(rig.responded_at(before) == 10 + 28 + kMemory + 1);
  CHECK(rig.byte(before, 8) == initial(0x1008));
  CHECK(rig.responded_at(after) == 10 + 28 + kMemory + 2);
  CHECK(rig.byte(after, 7) == initial(0x1007));
  CHECK(rig.byte(after, 8) == 0x77);
  CHECK(rig.byte(hit, 11) == 0x77);
  CHECK(rig.responded_at(hit) == 500 + 28);
  // The store itself travelled on at once.
  CHECK(rig.arrived(1) == 11 + 28);
  CHECK(rig.sm.result(store).responded_at());
  CHECK(rig.memory.arrivals().size() == 2);
}

TEST_CASE("an atomic passes on and drops the line") {
  Rig rig;
  rig.load(10, 0x1000);
  const auto atomic = rig.atomic(300, 0x1000);
  const auto load = rig.load(301, 0x1000);
  rig.run();
  CHECK(rig.responded_at(atomic) == 300 + 28 + kMemory + 1);
  CHECK(rig.responded_at(load) == 301 + 28 + kMemory + 1);
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.memory.arrivals()[1].request.kind == RequestKind::kAtomic);
  CHECK(rig.byte(load, 0) == 0xaa);
  CHECK(rig.l1.stats().atomics == 1);
}

TEST_CASE("a load behind an atomic waits for the older fetch of its line and fetches anew") {
  Rig rig;
  const auto before = rig.load(10, 0x1000);
  rig.atomic(11, 0x1000);
  const auto after = rig.load(12, 0x1000);
  rig.run();
  CHECK(rig.byte(before, 0) == initial(0x1000));
  CHECK(rig.byte(after, 0) == 0xaa);
  const std::uint64_t filled = 10 + 28 + kMemory;
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.arrived(1) == 11 + 28);
  CHECK(rig.arrived(2) == filled + 1);
  CHECK(rig.responded_at(after) == filled + 1 + kMemory + 1);
}

TEST_CASE("bypassing loads go to memory each time and leave the cache as it is") {
  Rig rig;
  const auto first = rig.bypassing_load(10, 0x1000);
  const auto miss = rig.load(300, 0x1000);
  const auto second = rig.bypassing_load(600, 0x1000);
  const auto hit = rig.load(601, 0x1000);
  rig.run();
  CHECK(rig.responded_at(first) == 10 + 28 + kMemory + 1);
  CHECK(rig.responded_at(miss) == 300 + 28 + kMemory + 1);
  CHECK(rig.responded_at(second) == 600 + 28 + kMemory + 1);
  CHECK(rig.responded_at(hit) == 601 + 28);
  CHECK(rig.memory.arrivals().size() == 3);
  CHECK(rig.l1.stats().bypasses == 2);
}

TEST_CASE("a flush drops all lines at the next clock edge") {
  Rig rig;
  rig.load(10, 0x1000);
  const auto last_hit = rig.load(471 - 27, 0x1000);  // looked up at 471
  const auto miss = rig.load(472 - 27, 0x1000);
  rig.run_to(rig.edge(471) + 500'000);
  rig.l1.control->flush();
  CHECK_FALSE(rig.l1.idle());
  rig.run();
  CHECK(rig.responded_at(last_hit) == 471 + 1);
  CHECK(rig.responded_at(miss) == 472 + 1 + kMemory + 1);
  CHECK(rig.l1.stats().flushes == 1);
}

TEST_CASE("a line in flight at a flush is delivered but not kept") {
  Rig rig;
  const auto first = rig.load(10, 0x1000);
  rig.run_to(rig.edge(60) + 1);
  rig.l1.flush();
  const auto second = rig.load(300, 0x1000);
  rig.run();
  CHECK(rig.responded_at(first) == 10 + 28 + kMemory + 1);
  CHECK(rig.responded_at(second) == 300 + 28 + kMemory + 1);
}

TEST_CASE("a line that is announced ahead is there when it comes, and no sooner") {
  Rig rig;
  announce(rig, 5);
  const std::uint64_t lookup = 27;
  const auto alone = rig.load(10, 0x1000);  // comes at 138
  const auto early = rig.load(133 - lookup, 0x2000);
  const auto first = rig.load(300, 0x3000);  // comes at 428
  const auto merged = rig.load(427 - lookup, 0x3000);
  const auto hit = rig.load(428 - lookup, 0x3000);
  const auto second = rig.load(600, 0x4000);  // comes at 728, with nothing else under way
  const auto later = rig.load(728 - lookup, 0x4000);
  rig.run();
  CHECK(rig.responded_at(alone) == 138 + 1);
  CHECK(rig.responded_at(early) == 134 + kMemory + 1);
  CHECK(rig.responded_at(first) == 428 + 1);
  CHECK(rig.responded_at(merged) == 428 + 2);
  CHECK(rig.responded_at(hit) == 428 + 3);
  CHECK(rig.responded_at(second) == 728 + 1);
  CHECK(rig.responded_at(later) == 728 + 2);
  for (const auto load : {first, merged, hit}) CHECK(rig.byte(load, 5) == initial(0x3005));
  CHECK(rig.byte(later, 5) == initial(0x4005));
  CHECK(rig.l1.stats().load_merges == 1);
  CHECK(rig.l1.stats().load_hits == 2);
}

TEST_CASE("an access that comes and is looked up after the announcement merges") {
  L1Config c = plain();
  c.latency_cycles = 3;
  Rig rig(c);
  announce(rig, 10);
  const auto first = rig.load(10, 0x1000);  // comes at 113
  const auto merged = rig.load(105, 0x1000);
  rig.run();
  CHECK(rig.responded_at(first) == 113 + 1);
  CHECK(rig.responded_at(merged) == 113 + 2);
  CHECK(rig.byte(merged, 5) == initial(0x1005));
  CHECK(rig.l1.stats().load_merges == 1);
}

TEST_CASE("a response announced ahead that stands for END_REQ lets the next miss arrive with it") {
  Rig rig(plain(), RequestStyle::kImpliedEndReq);
  announce(rig, 5);
  const auto first = rig.load(10, 0x1000);
  const auto second = rig.load(11, 0x2000);
  rig.run();
  CHECK(rig.responded_at(first) == 138 + 1);
  CHECK(rig.arrived(1) == 138);
  CHECK(rig.responded_at(second) == 138 + kMemory + 1);
}

TEST_CASE("responses announced ahead wait for a core that takes none") {
  Rig rig;
  announce(rig, 5);
  rig.sm.config().style = ResponseStyle::kAccepted;
  rig.sm.config().end_resp_after = rig.edge(20);
  const auto first = rig.load(10, 0x1000);
  const auto second = rig.load(13, 0x2000);
  rig.run();
  CHECK(rig.responded_at(first) == 138 + 1);
  // END_RESP comes at 159, by a call: the next leaves at the edge after it.
  CHECK(rig.responded_at(second) == 160 + 1);
}

TEST_CASE("a line announced ahead of a flush and due after it is not kept and evicts none") {
  L1Config c = plain();
  c.sets = 1;
  c.ways = 1;
  Rig rig(c);
  announce(rig, 5);
  rig.load(10, 0x1000);
  const auto flushed = rig.load(300, 0x2000);  // announced at 423
  rig.run_to(rig.edge(425) + 1);
  rig.l1.flush();
  const auto again = rig.load(600, 0x2000);
  const auto other = rig.load(900, 0x1000);  // comes at 1028
  rig.run_to(rig.edge(1028) + 1);
  rig.l1.flush();
  rig.run();
  CHECK(rig.responded_at(flushed) == 428 + 1);
  CHECK(rig.responded_at(again) == 728 + 1);
  CHECK(rig.responded_at(other) == 1028 + 1);
  CHECK(rig.l1.stats().flushes == 2);
  CHECK(rig.l1.stats().evictions == 1);  // at 1028
}

TEST_CASE("a miss waits while every MSHR is in use, and what is behind it waits too") {
  L1Config c = plain();
  c.mshr_entries = 1;
  Rig rig(c);
  const auto a = rig.load(10, 0x1000);
  const auto b = rig.load(11, 0x2000);
  const auto store = rig.store(12, 0x3000, 1);
  rig.run();
  const std::uint64_t filled = 10 + 28 + kMemory;
  CHECK(rig.responded_at(a) == filled + 1);
  CHECK(rig.arrived(1) == filled + 1);
  CHECK(rig.responded_at(b) == filled + 1 + kMemory + 1);
  CHECK(rig.arrived(2) == filled + 2);
  CHECK(rig.responded_at(store) == filled + 2 + kMemory + 1);
  CHECK(rig.l1.stats().stalls_mshr > 0);
}

TEST_CASE("a miss that reserves its way waits while its set waits for lines") {
  L1Config c = plain();
  c.sets = 2;
  c.ways = 2;
  c.reserve_frames = true;
  Rig rig(c);
  const auto first = rig.load(10, 0 * kLine);
  const auto second = rig.load(11, 2 * kLine);
  const auto third = rig.load(12, 4 * kLine);   // the same set
  const auto behind = rig.load(13, 1 * kLine);  // the other one, but in order
  const auto again = rig.load(600, 2 * kLine);
  rig.run();
  CHECK(rig.responded_at(first) == 10 + 28 + kMemory + 1);
  CHECK(rig.responded_at(second) == 11 + 28 + kMemory + 1);
  CHECK(rig.arrived(2) == 10 + 28 + kMemory + 1);
  CHECK(rig.responded_at(third) == rig.arrived(2) + kMemory + 1);
  CHECK(rig.arrived(3) == rig.arrived(2) + 1);
  CHECK(rig.responded_at(behind) == rig.arrived(3) + kMemory + 1);
  CHECK(rig.responded_at(again) == 600 + 28);  // the third took the first's way
  CHECK(rig.l1.stats().stalls_frames > 0);
  CHECK(rig.l1.stats().stalls_mshr == 0);
  CHECK(rig.l1.stats().evictions == 1);
}

TEST_CASE("where ways are reserved, stores and flushes under way leave no old bytes") {
  L1Config c = plain();
  c.reserve_frames = true;
  Rig rig(c);
  const auto first = rig.load(10, 0x1000);
  const auto store = rig.store(12, 0x1000, 0x77, ByteMask::range(8, 4));
  const auto hit = rig.load(400, 0x1000);
  const auto other = rig.load(500, 0x2000);
  rig.run_to(rig.edge(550) + 1);
  rig.l1.flush();  // the line of `other` is on its way
  const auto after = rig.load(900, 0x2000);
  rig.run();
  CHECK(rig.byte(first, 8) == initial(0x1008));
  CHECK(rig.responded_at(store) > 0);
  CHECK(rig.responded_at(hit) == 400 + 28);
  CHECK(rig.byte(hit, 8) == 0x77);
  CHECK(rig.byte(hit, 12) == initial(0x100c));
  CHECK(rig.responded_at(other) == 500 + 28 + kMemory + 1);
  CHECK(rig.responded_at(after) == 900 + 28 + kMemory + 1);
  CHECK(rig.l1.stats().store_hits == 0);
}

TEST_CASE("an MSHR takes no more accesses than it has room for") {
  L1Config c = plain();
  c.mshr_targets = 2;
  Rig rig(c);
  std::vector<std::size_t> loads;
  for (unsigned i = 0; i < 3; ++i) loads.push_back(rig.load(10 + i, 0x1000));
  rig.run();
  CHECK(rig.l1.stats().load_merges == 1);
  CHECK(rig.l1.stats().load_hits == 1);  // the third, once the line is there
  CHECK(rig.memory.arrivals().size() == 1);
  for (unsigned i = 0; i < 3; ++i) CHECK(rig.responded_at(loads[i]) == 10 + 28 + kMemory + 1 + i);
}

TEST_CASE("a network that takes nothing stalls lookups when the miss queue is full") {
  L1Config c = plain();
  c.miss_queue_depth = 2;
  Rig rig(c);
  rig.memory.stall_until(rig.edge(200));
  for (unsigned i = 0; i < 8; ++i) rig.load(10 + i, 0x1000 + i * kLine);
  rig.run_to(rig.edge(150) + 1);
  // One is on the link, two wait for it.
  CHECK(rig.l1.stats().load_misses == 3);
  CHECK(rig.l1.stats().stalls_miss_queue == 0);  // the fourth still waits
  rig.memory.stall_until(0);
  rig.run();
  // From then on, one leaves each cycle.
  CHECK(rig.l1.stats().stalls_miss_queue == 1);
  CHECK(rig.arrived(0) == 10 + 28);
  // END_REQ at 200 is acted on at 201.
  for (unsigned i = 1; i < 8; ++i) CHECK(rig.arrived(i) == 200 + 1 + i);
}

TEST_CASE("a core that accepts no responses receives them when it does") {
  Rig rig;
  rig.load(10, 0x1000);
  rig.run_to(rig.edge(400) + 1);
  rig.sm.stall_responses_until(rig.edge(800));
  std::vector<std::size_t> hits;
  for (unsigned i = 0; i < 5; ++i) hits.push_back(rig.load(500 + i, 0x1000));
  rig.run();
  CHECK(rig.responded_at(hits[0]) == 528);
  for (unsigned i = 1; i < 5; ++i) CHECK(rig.responded_at(hits[i]) == 801 + i);
}

TEST_CASE("a set keeps its most recently used lines") {
  L1Config c = plain();
  c.sets = 2;
  c.ways = 2;
  Rig rig(c);
  const auto line = [](unsigned n) { return 0x1000 + n * 2 * kLine; };  // one set
  rig.load(10, line(0));
  rig.load(300, line(1));
  rig.load(600, line(0));
  rig.load(900, line(2));  // drops 1
  const auto kept = rig.load(1200, line(0));
  const auto dropped = rig.load(1300, line(1));
  rig.run();
  CHECK(rig.responded_at(kept) == 1200 + 28);
  CHECK(rig.responded_at(dropped) == 1300 + 28 + kMemory + 1);
  CHECK(rig.l1.stats().evictions == 2);
}

TEST_CASE("a reset cache has no lines and the timing of a new one") {
  Rig rig;
  rig.load(10, 0x1000);
  rig.run();
  reset_all(rig.conformance());
  const std::uint64_t start = rig.soon();
  const auto load = rig.load(start, 0x1000);
  rig.run();
  CHECK(rig.responded_at(load) == start + 28 + kMemory + 1);
}

namespace {

void random_traffic(bool reserve_frames, std::uint64_t announced = 0) {
  L1Config c = plain();
  c.reserve_frames = reserve_frames;
  c.sets = 3;
  c.ways = 2;
  c.latency_cycles = 3;
  c.mshr_entries = 4;
  c.mshr_targets = 3;
  c.input_depth = 2;
  c.miss_queue_depth = 2;
  Rig rig(c, RequestStyle::kRandom);
  if (announced != 0) announce(rig, announced);
  rig.stall_at_random();
  std::mt19937_64 random(11);
  std::map<std::uint64_t, unsigned char> reference;
  std::map<std::size_t, std::vector<unsigned char>> expected;
  Tick at = 0;
  for (int n = 0; n < 6000; ++n) {
    if (random() % 3 == 0) at += random() % ns(30);
    const std::uint64_t address = random() % 12 * kLine;
    ScriptedRequest r;
    r.at = at;
    r.address = address;
    if (random() % 3 == 0) {
      r.command = tlm::TLM_WRITE_COMMAND;
      r.mask = ByteMask{random() & random(), random()};
      fill_store(r, random, reference, address);
      // An atomic passes through as a store does, and the line goes.
      if (random() % 5 == 0) {
        r.prepare = [](Transaction& t) { t.request().kind = RequestKind::kAtomic; };
      }
      rig.sm.add(std::move(r));
      continue;
    }
    if (random() % 10 == 0) {
      r.prepare = [](Transaction& t) { t.request().bypass_l1 = true; };
    }
    std::vector<unsigned char> bytes;
    for (unsigned i = 0; i < kLine; ++i) {
      const auto found = reference.find(address + i);
      bytes.push_back(found == reference.end() ? initial(address + i) : found->second);
    }
    expected[rig.sm.add(std::move(r))] = std::move(bytes);
  }
  for (int i = 0; i < 50; ++i) {
    rig.run_to(now() + random() % us(2) + 1);
    rig.l1.flush();
  }
  rig.run();
  std::size_t wrong = 0;
  for (const auto& [index, bytes] : expected) {
    if (rig.sm.result(index).data != bytes) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(rig.l1.stats().load_hits > 100);
  CHECK(rig.l1.stats().load_merges > 100);
  CHECK(rig.l1.stats().stalls_mshr > 0);
}

}  // namespace

TEST_CASE("a uniform load looks up the scalar cache, other loads the L1's array") {
  L1Config c = plain();
  c.scalar_sets = 1;
  c.scalar_ways = 2;
  Rig rig(c);
  const auto miss = rig.uniform_load(10, 0x1000);
  const auto hit = rig.uniform_load(500, 0x1000);
  const auto other = rig.load(1000, 0x1000);
  rig.uniform_load(1500, 0x2000);
  rig.uniform_load(2000, 0x3000);                     // evicts 0x1000
  const auto again = rig.uniform_load(2500, 0x1000);  // evicts 0x2000
  const auto still_here = rig.uniform_load(3000, 0x3000);
  rig.run();
  const std::uint64_t latency = c.latency_cycles;
  CHECK(rig.responded_at(miss) == 10 + latency + kMemory + 1);
  CHECK(rig.responded_at(hit) == 500 + latency);
  CHECK(rig.responded_at(other) == 1000 + latency + kMemory + 1);
  CHECK(rig.responded_at(again) == 2500 + latency + kMemory + 1);
  CHECK(rig.responded_at(still_here) == 3000 + latency);
  CHECK(rig.byte(hit, 17) == initial(0x1000 + 17));
  const L1Stats& s = rig.l1.stats();
  CHECK(s.loads == 7);
  CHECK(s.load_hits == 2);
  CHECK(s.scalar_loads == 6);
  CHECK(s.scalar_hits == 2);
  CHECK(s.evictions == 2);
}

TEST_CASE("without a scalar cache, a uniform load is like any other") {
  Rig rig;
  rig.uniform_load(10, 0x1000);
  const auto hit = rig.load(500, 0x1000);
  rig.run();
  CHECK(rig.responded_at(hit) == 500 + plain().latency_cycles);
  CHECK(rig.l1.stats().scalar_loads == 0);
}

TEST_CASE("a flush drops the scalar cache's lines") {
  L1Config c = plain();
  c.scalar_sets = 4;
  Rig rig(c);
  rig.uniform_load(10, 0x1000);
  rig.run();
  rig.l1.flush();
  const std::uint64_t n = rig.soon();
  const auto again = rig.uniform_load(n, 0x1000);
  rig.run();
  CHECK(rig.responded_at(again) == n + c.latency_cycles + kMemory + 1);
}

TEST_CASE("an atomic on a line that the scalar cache fetches gives its reserved way back") {
  L1Config c = plain();
  c.reserve_frames = true;
  c.scalar_sets = 1;
  c.scalar_ways = 1;
  Rig rig(c);
  rig.uniform_load(10, 0x1000);
  rig.atomic(20, 0x1000);
  const auto next = rig.uniform_load(500, 0x2000);
  rig.run();
  CHECK(rig.responded_at(next) == 500 + c.latency_cycles + kMemory + 1);
  CHECK(rig.l1.stats().evictions == 0);
}

TEST_CASE("random loads and stores of one core see what program order says, under random stalls") {
  random_traffic(false);
}

TEST_CASE("random traffic where misses reserve their ways") { random_traffic(true); }

TEST_CASE("random traffic whose responses are announced ahead") { random_traffic(false, 2); }

TEST_CASE("an L1 passes the conformance run") {
  L1Config c = plain();
  c.sets = 4;
  c.ways = 2;
  c.mshr_entries = 4;
  c.mshr_targets = 2;
  c.miss_queue_depth = 2;
  Rig rig(c, RequestStyle::kRandom);
  rig.memory.config().random_latency = ns(100);
  ConformanceTraffic traffic;
  traffic.seed = 5;
  traffic.adjust = [](ScriptedRequest& r, std::mt19937_64& random) {
    if (r.command == tlm::TLM_READ_COMMAND) r.mask = ByteMask::first(kLine);
    const auto kind = random() % 8;
    r.prepare = [kind, write = r.command == tlm::TLM_WRITE_COMMAND](Transaction& t) {
      if (kind == 0 && write) t.request().kind = RequestKind::kAtomic;
      if (kind == 0 && !write) t.request().bypass_l1 = true;
    };
  };
  run_conformance(rig.conformance(), traffic);
}

}  // namespace tessera::l1_cache_test
