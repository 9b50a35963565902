// SPDX-License-Identifier: Apache-2.0
// A slice as home of its lines: atomics, debug accesses, random traffic.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "tests/modules/llc/slice_rig.h"

namespace tessera::llc_values_test {

using namespace tessera::test;

TEST_CASE(
    "every atomic operation of every type leaves what apply_atomic says and returns the old") {
  Rig rig;
  std::mt19937_64 random(2);
  std::vector<unsigned char> line(kLine);
  std::vector<std::size_t> sent;
  struct Expected {
    const AtomicOperands* operands;
    std::array<AtomicWord, 4> old;
  };
  std::vector<Expected> expected;
  for (unsigned i = 0; i < kLine; ++i) line[i] = initial(0x1000 + i);
  std::uint64_t cycle = 10;
  for (unsigned op = 0; op <= static_cast<unsigned>(AtomicOp::kCompareAndSwap); ++op) {
    for (unsigned type = 0; type <= static_cast<unsigned>(AtomicType::kBf16x8); ++type) {
      AtomicOperands* o = rig.adds(0, 0);
      o->op = static_cast<AtomicOp>(op);
      o->type = static_cast<AtomicType>(type);
      o->count = 4;
      Expected e{o, {}};
      const unsigned bytes = atomic_bytes(o->type);
      for (unsigned i = 0; i < 4; ++i) {
        auto& lane = o->lanes[i];
        // The last two lanes meet: the second finds what the first left.
        lane.offset = static_cast<std::uint8_t>((i == 3 ? 2 : i) * 32 + 8);
        lane.lane = static_cast<std::uint8_t>(i);
        std::memcpy(&e.old[i], &line[lane.offset], bytes);
        // Small numbers are numbers in every type, and comparisons succeed now and then.
        lane.operand = random() % 1000;
        if (bytes == 16) lane.operand |= AtomicWord{random() % 1000} << 64;
        lane.compare = random() % 2 == 0 ? e.old[i] : random();
        const AtomicWord result =
            apply_atomic(o->op, o->type, e.old[i], lane.operand, lane.compare);
        std::memcpy(&line[lane.offset], &result, bytes);
      }
      rig.atomic(cycle += 10, 0x1000, o);
      expected.push_back(e);
    }
  }
  const auto last = rig.load(cycle + 500, 0x1000);
  rig.run();
  for (const Expected& e : expected) {
    INFO("op " << static_cast<unsigned>(e.operands->op) << " type "
               << static_cast<unsigned>(e.operands->type));
    for (unsigned i = 0; i < 4; ++i) CHECK(e.operands->lanes[i].old == e.old[i]);
  }
  CHECK(rig.sm.result(last).data == line);
  CHECK(rig.llc.stats().atomics == 200);
  CHECK(rig.llc.stats().atomic_lanes == 800);
  CHECK(rig.llc.stats().misses == 1);
}

TEST_CASE("an atomic holds the arrays for its lanes over the lanes of a cycle") {
  LlcSliceConfig c = plain();
  c.atomic_lanes_per_cycle = 2;
  Rig rig(c);
  rig.load(10, 0x1000);
  const auto atomic = rig.atomic(500, 0x1000, rig.adds(7, 1));
  const auto behind = rig.load(501, 0x1000);
  rig.run();
  CHECK(rig.responded_at(atomic) == 500 + kLatency);
  CHECK(rig.responded_at(behind) == 500 + kLatency + 4);
  CHECK(rig.llc.stats().atomic_lanes == 7);
}

TEST_CASE("an atomic that misses is performed when the line has come, and its bytes are dirty") {
  Rig rig(one_set(1));
  AtomicOperands* o = rig.adds(1, 5);
  const auto atomic = rig.atomic(10, 0x1000, o);
  rig.load(500, 0x2000);
  rig.run();
  CHECK(rig.responded_at(atomic) == 10 + kLatency + kMemory + 1);
  std::uint32_t word = 0;
  for (unsigned i = 4; i-- > 0;) word = word << 8 | initial(0x1000 + i);
  CHECK(o->lanes[0].old == word);
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.memory.arrivals()[1].mask == ByteMask::first(4));
  std::uint32_t written = 0;
  std::memcpy(&written, rig.memory.arrivals()[1].data.data(), 4);
  CHECK(written == word + 5);
}

TEST_CASE("debug reads see dirty bytes over the channel's, and debug writes reach both") {
  Rig rig;
  rig.store(10, 0x1000, 0x42, ByteMask::range(16, 4));
  rig.run();
  const auto before = rig.peek(0x1000);
  CHECK(before[15] == initial(0x100f));
  CHECK(before[16] == 0x42);
  CHECK(before[19] == 0x42);
  CHECK(before[20] == initial(0x1014));
  CHECK(rig.memory.byte(0x1010) == initial(0x1010));
  CHECK(rig.peek(0x1012, 4) ==
        std::vector<unsigned char>{0x42, 0x42, initial(0x1014), initial(0x1015)});
  std::vector<unsigned char> data(8, 0x43);
  CHECK(rig.debug(tlm::TLM_WRITE_COMMAND, 0x1012, data) == 8);
  const std::uint64_t next = rig.soon();
  const auto load = rig.load(next, 0x1000);
  rig.run();
  CHECK(rig.byte(load, 17) == 0x42);
  CHECK(rig.byte(load, 18) == 0x43);
  CHECK(rig.byte(load, 25) == 0x43);
  CHECK(rig.byte(load, 26) == initial(0x101a));
}

TEST_CASE("a debug write reaches a line that is on its way from the channel") {
  Rig rig;
  // The channel reads its bytes at once, and they arrive kMemory later.
  const auto load = rig.load(10, 0x1000);
  rig.run_to(rig.edge(10 + kLatency + kMemory) - 1);
  std::vector<unsigned char> data(4, 0x43);
  CHECK(rig.debug(tlm::TLM_WRITE_COMMAND, 0x1012, data) == 4);
  const auto later = rig.load(500, 0x1000);
  rig.run();
  for (const auto l : {load, later}) {
    CHECK(rig.byte(l, 17) == initial(0x1011));
    CHECK(rig.byte(l, 18) == 0x43);
    CHECK(rig.byte(l, 21) == 0x43);
    CHECK(rig.byte(l, 22) == initial(0x1016));
  }
  CHECK(rig.responded_at(later) == 500 + kLatency);
}

TEST_CASE("an untimed atomic is performed once, on the newest bytes, and returns the old ones") {
  Rig rig;
  rig.store(10, 0x1000, 0x42, ByteMask::first(4));
  rig.run();
  AtomicOperands* o = rig.adds(2, 5);
  std::vector<unsigned char> unused(kLine);
  tlm::tlm_generic_payload p;
  p.set_command(tlm::TLM_WRITE_COMMAND);
  p.set_address(0x1000);
  p.set_data_ptr(unused.data());
  p.set_data_length(kLine);
  p.set_streaming_width(kLine);
  MemoryRequest request;
  request.kind = RequestKind::kAtomic;
  request.atomics = o;
  request.carries_data = true;
  p.set_extension(&request);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  rig.sm.socket()->b_transport(p, delay);
  p.clear_extension(&request);
  CHECK(p.is_response_ok());
  CHECK(o->lanes[0].old == 0x42424242);
  std::uint32_t word = 0;
  std::memcpy(&word, rig.peek(0x1000, 4).data(), 4);
  CHECK(word == 0x42424247);
  const std::uint64_t start = rig.soon();
  const auto load = rig.load(start, 0x1000);
  rig.run();
  CHECK(rig.byte(load, 0) == 0x47);
  CHECK(rig.byte(load, 1) == 0x42);
}

TEST_CASE("a reset slice has no lines and writes nothing back") {
  Rig rig;
  rig.store(10, 0x1000, 1);
  rig.run();
  reset_all(rig.conformance());
  const std::uint64_t start = rig.soon();
  const auto load = rig.load(start, 0x1000);
  rig.run();
  CHECK(rig.responded_at(load) == start + kLatency + kMemory + 1);
  CHECK(rig.byte(load, 0) == initial(0x1000));
  CHECK(rig.memory.arrivals().size() == 1);
}

TEST_CASE(
    "random loads, stores and atomics of two ports agree with a memory, under random stalls") {
  Rig rig(tiny(), RequestStyle::kRandom);
  rig.stall_at_random();
  std::mt19937_64 random(7);
  constexpr unsigned kLines = 16;
  std::vector<unsigned char> reference(kLines * kLine);
  for (unsigned i = 0; i < reference.size(); ++i) reference[i] = initial(i);
  std::map<std::size_t, std::vector<unsigned char>> expected;
  std::vector<std::pair<AtomicOperands*, std::uint64_t>> atomics;
  std::array<Tick, 2> at{};
  for (int n = 0; n < 6000; ++n) {
    // Each port has lines of its own: between ports nothing says which access comes first.
    const auto port = static_cast<unsigned>(random() % 2);
    if (random() % 3 == 0) at[port] += random() % ns(40);
    const std::uint64_t address = (random() % (kLines / 2) * 2 + port) * kLine;
    ScriptedRequest r = rig.request(0, address, port);
    const auto kind = random() % 8;
    if (kind == 0) {
      AtomicOperands* o = rig.adds(1, random() % 1000);
      o->lanes[0].offset = static_cast<std::uint8_t>(random() % 32 * 4);
      std::uint32_t old = 0;
      std::memcpy(&old, &reference[address + o->lanes[0].offset], 4);
      const auto sum = static_cast<std::uint32_t>(old + o->lanes[0].operand);
      std::memcpy(&reference[address + o->lanes[0].offset], &sum, 4);
      r = rig.atomic_request(0, address, o, port);
      r.at = at[port];
      rig.sm.add(std::move(r));
      atomics.emplace_back(o, old);
      continue;
    }
    r.at = at[port];
    if (kind < 4) {
      r.command = tlm::TLM_WRITE_COMMAND;
      r.mask = kind == 1 ? ByteMask::first(kLine) : ByteMask{random() & random(), random()};
      fill_store(r, random, reference, address);
      rig.sm.add(std::move(r));
    } else {
      const auto from = reference.begin() + static_cast<std::ptrdiff_t>(address);
      expected[rig.sm.add(std::move(r))].assign(from, from + kLine);
    }
  }
  rig.run();
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
  for (unsigned l = 0; l < kLines; ++l) {
    const auto from = reference.begin() + static_cast<std::ptrdiff_t>(l * kLine);
    CHECK(rig.peek(l * kLine) == std::vector<unsigned char>(from, from + kLine));
  }
  const LlcSliceStats& s = rig.llc.stats();
  CHECK(s.reads + s.writes + s.atomics == 6000);
  CHECK(s.hits + s.misses + s.merges + s.partial_fetches + s.write_allocations == 6000);
  CHECK(s.local_lookups + s.remote_lookups == 6000);
  for (const auto n : {s.hits, s.misses, s.merges, s.partial_fetches, s.write_backs, s.stalls_mshr,
                       s.stalls_output}) {
    CHECK(n > 50);
  }
}

TEST_CASE("a slice passes the conformance run") {
  LlcSliceConfig c = plain();
  c.sets = 4;
  c.ways = 2;
  c.mshr_entries = 4;
  c.mshr_targets = 2;
  c.queue_depth = 2;
  c.response_queue_depth = 2;
  c.memory_queue_depth = 2;
  Rig rig(c, RequestStyle::kRandom);
  rig.memory.config().random_latency = ns(100);
  ConformanceTraffic traffic;
  traffic.seed = 6;
  traffic.prepare = rig.prepare;
  // Loads have no byte enables: a load that misses is itself the request for its line.
  traffic.adjust = [](ScriptedRequest& r, std::mt19937_64&) {
    if (r.command == tlm::TLM_READ_COMMAND) r.mask = ByteMask::first(kLine);
  };
  run_conformance(rig.conformance(), traffic);
}

}  // namespace tessera::llc_values_test
