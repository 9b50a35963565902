// SPDX-License-Identifier: Apache-2.0
// Two slices that keep each other's lines coherent (SM-side UBA).

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "modules/llc/snoop_filter.h"
#include "tests/modules/llc/peer_rig.h"

namespace tessera::llc_peers_test {

using namespace tessera::test;

namespace {

constexpr unsigned kNear = 0;
constexpr unsigned kFar = 2;
constexpr std::uint64_t kAddress = 0x1000;  // at home near

/// A cycle to the link's entry, then the link, for a packet of a header (and of a line).
constexpr std::uint64_t kHeaderHop = 1 + 8 + 1;
constexpr std::uint64_t kLineHop = 1 + 8 + 17;
/// The far side's load: its lookup ends when a hit's response would be at the requester, the home's
/// response enters the link as late as a hit's would be there, and a cycle takes it on.
constexpr std::uint64_t kFarHit = (kLatency - 1) + kHeaderHop + (kLatency - 1) + kLineHop + 1;
constexpr std::uint64_t kFarMiss = kFarHit + kMemory + 1;
/// The home's store: applied, then the twin's copy goes, then the acknowledgement leaves.
constexpr std::uint64_t kInvalidatingStore = (kLatency - 1) + 2 * kHeaderHop + 1;

}  // namespace

TEST_CASE("the twin caches what it loads from the other side's home") {
  PeerRig rig;
  const auto miss = rig.load(10, kAddress, kFar);
  const auto hit = rig.load(500, kAddress, kFar);
  const auto home_hit = rig.load(600, kAddress, kNear);
  rig.run();
  CHECK(rig.responded_at(miss) == 10 + kFarMiss);
  CHECK(rig.responded_at(hit) == 500 + kLatency);
  CHECK(rig.responded_at(home_hit) == 600 + kLatency);
  REQUIRE(rig.memory.arrivals().size() == 1);
  CHECK(rig.memory.arrivals()[0].port == 0);
  CHECK(rig.far.stats().replica_hits == 1);
  CHECK(rig.far.stats().replica_misses == 1);
  CHECK(rig.near.stats().remote_lookups == 1);
}

TEST_CASE("a store at home is acknowledged when the twin's copy has gone, and not before") {
  PeerRig rig;
  rig.load(10, kAddress, kFar);
  const auto store = rig.store(600, kAddress, 0x42, ByteMask::first(kLine), kNear);
  // Looked up a cycle before and in the cycle in which the invalidation comes to the twin.
  const std::uint64_t gone = 600 + (kLatency - 1) + kHeaderHop;
  const auto last_hit = rig.load(gone - 1 - (kLatency - 1), kAddress, kFar);
  const auto miss = rig.load(gone - (kLatency - 1), kAddress, kFar);
  const auto unshared = rig.store(1200, kAddress + kLine, 1, ByteMask::first(kLine), kNear);
  rig.run();
  CHECK(rig.responded_at(store) == 600 + kInvalidatingStore);
  CHECK(rig.responded_at(last_hit) == gone + 0);
  CHECK(rig.byte(last_hit, 0) == initial(kAddress));
  CHECK(rig.responded_at(miss) == gone - (kLatency - 1) + kFarHit);
  CHECK(rig.byte(miss, 0) == 0x42);
  CHECK(rig.responded_at(unshared) == 1200 + kLatency);
  CHECK(rig.near.stats().invalidations_sent == 1);
  CHECK(rig.far.stats().invalidations_received == 1);
}

TEST_CASE("an atomic at home waits for the twin's copy as a store does") {
  PeerRig rig;
  rig.load(10, kAddress, kFar);
  AtomicOperands* o = adds(rig.pool, 1, 7);
  const auto atomic = rig.sm.add(with_operands(rig.request(600, kAddress, kNear), o));
  const auto load = rig.load(700, kAddress, kFar);
  rig.run();
  CHECK(rig.responded_at(atomic) == 600 + kInvalidatingStore);
  CHECK(rig.byte(load, 0) == static_cast<unsigned char>(initial(kAddress) + 7));
}

TEST_CASE("the next store to a line whose invalidation is under way waits for it too") {
  PeerRig rig;
  rig.load(10, kAddress, kFar);
  const auto first = rig.store(600, kAddress, 0x11, ByteMask::first(4), kNear);
  const auto second = rig.store(605, kAddress, 0x22, ByteMask::range(4, 4), kNear + 1);
  const auto other = rig.store(605, kAddress + kLine, 0x33, ByteMask::first(4), kNear);
  const auto late = rig.store(700, kAddress, 0x44, ByteMask::first(4), kNear);
  rig.run();
  CHECK(rig.responded_at(first) == 600 + kInvalidatingStore);
  CHECK(rig.responded_at(second) == rig.responded_at(first));  // each at its own port
  CHECK(rig.responded_at(other) < rig.responded_at(first));
  CHECK(rig.responded_at(late) == 700 + kLatency);
  CHECK(rig.near.stats().invalidations_sent == 1);
}

TEST_CASE("the twin's own store drops its copy on its way, and the directory forgets it") {
  PeerRig rig;
  rig.load(10, kAddress, kFar);
  const auto store = rig.store(500, kAddress, 0x42, ByteMask::first(8), kFar);
  const auto at_home = rig.store(600, kAddress, 0x43, ByteMask::range(8, 8), kNear);
  const auto load = rig.load(700, kAddress, kFar);
  rig.run();
  // 16 bytes there, 8 back.
  CHECK(rig.responded_at(store) ==
        500 + (kLatency - 1) + (1 + 8 + 2) + (kLatency - 1) + kHeaderHop + 1);
  CHECK(rig.responded_at(at_home) == 600 + kLatency);
  CHECK(rig.responded_at(load) == 700 + kFarHit);
  CHECK(rig.byte(load, 7) == 0x42);
  CHECK(rig.byte(load, 15) == 0x43);
  CHECK(rig.byte(load, 16) == initial(kAddress + 16));
  CHECK(rig.near.stats().invalidations_sent == 0);
  CHECK(rig.near.stats().writes == 2);
  CHECK(rig.far.stats().bypasses == 1);
}

TEST_CASE("the twin's store while its line is on the way: later loads see it") {
  PeerRig rig;
  const auto before = rig.load(10, kAddress, kFar);
  const auto store = rig.store(11, kAddress, 0x42, ByteMask::first(8), kFar);
  const auto after = rig.load(12, kAddress, kFar);
  rig.run();
  CHECK(rig.responded_at(before) == 10 + kFarMiss);
  CHECK(rig.byte(before, 0) == initial(kAddress));
  CHECK(rig.sm.result(store).responded_at());
  CHECK(rig.byte(after, 0) == 0x42);
  // It waits for the older fetch, in whose cycle it is looked up and sent itself.
  CHECK(rig.responded_at(after) == rig.responded_at(before) - 1 + kFarHit - (kLatency - 1));
}

TEST_CASE("a line that an invalidation overtakes is delivered and not kept") {
  PeerRig rig;
  const auto load = rig.load(10, kAddress, kFar);
  // The home's response enters the link here.
  const std::uint64_t leaves = 10 + kFarMiss - 1 - (kLineHop - 1);
  const auto store = rig.store(leaves + 5 - kLatency, kAddress, 0x42, ByteMask::first(8), kNear);
  const auto again = rig.load(500, kAddress, kFar);
  rig.run();
  CHECK(rig.responded_at(load) == 10 + kFarMiss);
  CHECK(rig.byte(load, 0) == initial(kAddress));
  CHECK(rig.responded_at(store) == leaves + 5 - kLatency + kInvalidatingStore);
  CHECK(rig.responded_at(store) < rig.responded_at(load) + kHeaderHop);
  CHECK(rig.responded_at(again) == 500 + kFarHit);
  CHECK(rig.byte(again, 0) == 0x42);
}

TEST_CASE("a full directory invalidates the line that it forgets") {
  LlcSliceConfig c = plain();
  c.directory_sets = 1;
  c.directory_ways = 1;
  PeerRig rig(c);
  rig.load(10, kAddress, kFar);
  rig.load(500, kAddress + kLine, kFar);
  // The home looks the second line up here, and gives its response a line's fetch later.
  const std::uint64_t forgets = 500 + (kLatency - 1) + kHeaderHop + (kLatency - 1) + kMemory + 1;
  // A store to the forgotten line, looked up while its invalidation is under way, waits.
  const auto store = rig.store(forgets + 1 - (kLatency - 1), kAddress, 9, ByteMask::first(4), 0);
  const auto kept = rig.load(1000, kAddress + kLine, kFar);
  const auto dropped = rig.load(1100, kAddress, kFar);
  rig.run();
  CHECK(rig.responded_at(store) == forgets + 2 * kHeaderHop + 1);
  CHECK(rig.responded_at(kept) == 1000 + kLatency);
  CHECK(rig.responded_at(dropped) == 1100 + kFarHit);
  CHECK(rig.near.stats().invalidations_sent == 2);
  CHECK(rig.far.stats().invalidations_received == 2);
}

TEST_CASE("a line that the twin has dropped for another is invalidated there in vain") {
  LlcSliceConfig c = one_set(2);
  PeerRig rig(c);
  rig.load(10, kAddress, kFar);
  rig.load(500, kOtherHome, kFar);
  rig.load(1000, kOtherHome + kLine, kFar);  // drops kAddress
  const auto store = rig.store(1500, kAddress, 9, ByteMask::first(4), kNear);
  rig.run();
  CHECK(rig.responded_at(store) == 1500 + kInvalidatingStore);
  CHECK(rig.far.stats().invalidations_received == 1);
}

TEST_CASE("a pending invalidation is named, and a reset forgets it and the directory") {
  PeerRig rig;
  rig.load(10, kAddress, kFar);
  rig.run();
  const std::uint64_t start = rig.soon();
  rig.store(start, kAddress, 1, ByteMask::first(4), kNear);
  rig.run_to(rig.edge(start + kLatency + 5));
  std::vector<Waiting> waiting;
  rig.near.describe_waiting(waiting);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].queue == "near.invalidating");
  CHECK(waiting[0].items == 1);
  CHECK_FALSE(rig.near.idle());
  reset_all(rig.conformance());
  CHECK(rig.near.idle());
  const std::uint64_t later = rig.soon();
  const auto store = rig.store(later, kAddress, 1, ByteMask::first(4), kNear);
  CHECK(run_until_done(rig.conformance(), us(100)));
  CHECK(rig.responded_at(store) == later + kLatency);
}

TEST_CASE("a pair of twins passes the conformance run") {
  LlcSliceConfig c = tiny();
  c.directory_sets = 2;
  c.directory_ways = 2;
  PeerRig rig(c, RequestStyle::kRandom);
  rig.memory.config().random_latency = ns(100);
  ConformanceTraffic traffic;
  traffic.seed = 9;
  traffic.lines = 6;
  traffic.prepare = rig.prepare;
  traffic.adjust = [](ScriptedRequest& r, std::mt19937_64& random) {
    if (random() % 2 == 0) r.address += kOtherHome;
    if (r.command == tlm::TLM_READ_COMMAND) r.mask = ByteMask::first(kLine);
  };
  run_conformance(rig.conformance(), traffic);
  CHECK(rig.near.stats().invalidations_sent > 20);
  CHECK(rig.far.stats().replica_hits > 10);
}

TEST_CASE("the directory forgets its least recently named line") {
  SnoopFilter d(1, 2);
  CHECK_FALSE(d.add(0, 10).has_value());
  CHECK_FALSE(d.add(0, 11).has_value());
  CHECK_FALSE(d.add(0, 10).has_value());
  CHECK(d.add(0, 12) == 11U);
  CHECK_FALSE(d.remove(0, 11));
  CHECK(d.remove(0, 10));
  CHECK_FALSE(d.remove(0, 10));
  d.clear();
  CHECK_FALSE(d.remove(0, 12));
}

}  // namespace tessera::llc_peers_test
