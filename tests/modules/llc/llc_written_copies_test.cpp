// SPDX-License-Identifier: Apache-2.0
// Copies of written lines under software coherence (policies "rtwice", "ronce").

#include <catch2/catch.hpp>
#include <vector>

#include "tests/modules/llc/slice_rig.h"

namespace tessera::llc_written_copies_test {

using namespace tessera::test;

namespace {

constexpr std::uint64_t kThere = kOtherHome + 0x1000;
constexpr std::uint64_t kMiss = kLatency + kMemory + 1;

/// Cycles of a load that is issued now.
std::uint64_t load_takes(Rig& rig, std::uint64_t address) {
  const std::uint64_t start = rig.soon();
  const auto load = rig.load(start, address);
  rig.run();
  return rig.responded_at(load) - start;
}

/// A load with a lookup `cycles` after a fence; returns whether it hit.
bool hits_after(Rig& rig, std::uint64_t cycles) {
  const std::uint64_t fence = rig.soon() + kLatency;
  const std::uint64_t lookup = fence + cycles;
  const auto load = rig.load(lookup + 1 - kLatency, kThere);
  rig.run_to(rig.edge(fence));
  rig.llc.drop_copies();
  rig.run();
  return rig.responded_at(load) == lookup + 1;
}

void copies(const char* policy) {
  Rig rig(plain(), RequestStyle::kEarlyEndReq, policy);
  CHECK(load_takes(rig, kThere) == kMiss);
  CHECK(load_takes(rig, kThere) == kLatency);
  CHECK(rig.other->arrivals().size() == 1);
  CHECK(rig.llc.needs_flush());
}

/// A store or an atomic after a load: looked up, then forwarded.
void drops_copy(bool atomic) {
  Rig rig(plain(), RequestStyle::kEarlyEndReq, "rtwice");
  CHECK(load_takes(rig, kThere) == kMiss);
  const std::uint64_t start = rig.soon();
  const auto write = atomic ? rig.atomic(start, kThere, rig.adds(1, 1))
                            : rig.store(start, kThere, 0x5a, ByteMask::range(4, 8));
  rig.run();
  CHECK(rig.responded_at(write) == start + kMiss);
  CHECK(rig.llc.stats().bypasses == 1);
  const std::uint64_t again = rig.soon();
  const auto load = rig.load(again, kThere);
  rig.run();
  CHECK(rig.responded_at(load) == again + kMiss);
  if (!atomic) CHECK(rig.byte(load, 4) == 0x5a);
  CHECK(rig.byte(load, 12) == initial(kThere + 12));
  CHECK(rig.other->arrivals().size() == 3);
}

}  // namespace

TEST_CASE("rtwice copies a written line at its requester") { copies("rtwice"); }

TEST_CASE("ronce copies a written line at its requester") { copies("ronce"); }

TEST_CASE("copies of another GPU's lines are kept as well") {
  TreeShape tree = two_partitions();
  tree.gpus = 2;
  Rig rig(plain(), RequestStyle::kEarlyEndReq, "rtwice", tree);
  CHECK(load_takes(rig, kThere) == kMiss);
  CHECK(load_takes(rig, kThere) == kLatency);
}

TEST_CASE("a store of the slice's own SMs drops the copy and goes on to the home") {
  drops_copy(false);
}

TEST_CASE("an atomic of the slice's own SMs drops the copy and goes on to the home") {
  drops_copy(true);
}

TEST_CASE("a volatile load passes a copy") {
  Rig rig(plain(), RequestStyle::kEarlyEndReq, "rtwice");
  CHECK(load_takes(rig, kThere) == kMiss);
  ScriptedRequest r = rig.request(rig.soon(), kThere);
  r.prepare = [&rig](Transaction& t) {
    rig.prepare(t);
    t.request().bypass_l1 = true;
  };
  rig.sm.add(std::move(r));
  rig.run();
  CHECK(rig.other->arrivals().size() == 2);
}

TEST_CASE("a fence drops copies at the next edge") {
  Rig rig(plain(), RequestStyle::kEarlyEndReq, "rtwice");
  CHECK(load_takes(rig, kThere) == kMiss);
  CHECK(hits_after(rig, 0));
  CHECK(load_takes(rig, kThere) == kMiss);
  CHECK_FALSE(hits_after(rig, 1));
}

TEST_CASE("a fence keeps the slice's own lines") {
  Rig rig(plain(), RequestStyle::kEarlyEndReq, "rtwice");
  rig.store(10, 0x2000, 0x77);
  rig.load(20, 0x1000);
  rig.load(30, kThere);
  rig.run();
  rig.llc.drop_copies();
  rig.run_to(now() + 1'000'000'000);
  CHECK(load_takes(rig, 0x1000) == kLatency);
  CHECK(load_takes(rig, 0x2000) == kLatency);
  CHECK(load_takes(rig, kThere) == kMiss);
}

TEST_CASE("a copy that is being fetched at a fence serves the earlier loads only") {
  Rig rig(plain(), RequestStyle::kEarlyEndReq, "rtwice");
  const auto before = rig.load(10, kThere);
  rig.run_to(rig.edge(10 + kLatency + 5));
  rig.llc.drop_copies();
  const auto after = rig.load(10 + kLatency + 6, kThere);
  rig.run();
  CHECK(rig.responded_at(before) == 10 + kMiss);
  // Looked up again when the line has arrived, a cycle before the first load's response.
  CHECK(rig.responded_at(after) == 10 + kMiss + kMemory + 1);
  CHECK(rig.other->arrivals().size() == 2);
}

TEST_CASE("ronce: a home keeps a line for its own requests, not for others'") {
  Rig rig(plain(), RequestStyle::kEarlyEndReq, "ronce");
  rig.load(10, 0x1000, kRemote);
  rig.load(20, 0x3000, kLocal);
  rig.run();
  CHECK(load_takes(rig, 0x1000) == kMiss);
  CHECK(load_takes(rig, 0x3000) == kLatency);
}

}  // namespace tessera::llc_written_copies_test
