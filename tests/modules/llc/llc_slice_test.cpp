// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/llc_slice.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "modules/core/protocol_checker.h"
#include "tests/support/conformance.h"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint64_t kLine = 128;

class PlainMap final : public AddressMap {
 public:
  Location locate(std::uint64_t a) const override {
    Location l;
    l.slice_line = a / kLine;
    return l;
  }
  std::uint64_t channel_address(std::uint64_t a) const override { return a; }
  bool page_has_one_channel() const override { return true; }
  std::uint64_t page_address(ChannelId, std::uint64_t i) const override { return i * 4096; }
  const MemoryGeometry& geometry() const override { return geometry_; }

 private:
  MemoryGeometry geometry_;
};

/// A clock of whole nanoseconds, so that the target's latency is one of cycles.
LlcSliceConfig plain() {
  LlcSliceConfig c;
  c.clock_hz = 1'000'000'000;
  c.latency_cycles = 20;
  return c;
}
LlcSliceConfig one_set(std::uint32_t ways) {
  LlcSliceConfig c = plain();
  c.sets = 1;
  c.ways = ways;
  return c;
}

constexpr unsigned kLocal = 0;
constexpr unsigned kRemote = 1;
constexpr std::uint64_t kLatency = 20;
/// From a request's arrival at the channel to its answer's arrival here, in cycles.
constexpr std::uint64_t kMemory = 100;

LlcSlice::Role role() {
  LlcSlice::Role r;
  r.ports = {LlcSlice::Queue::kLocal, LlcSlice::Queue::kRemote};
  return r;
}

struct Rig {
  TransactionPool pool;
  PlainMap map;
  ClockDomain clock;
  ScriptedInitiator sm;
  LlcSlice llc;
  ScriptedTarget memory;
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
  std::vector<AtomicOperands*> operands;

  explicit Rig(const LlcSliceConfig& config = plain(),
               RequestStyle style = RequestStyle::kEarlyEndReq)
      : clock(config.clock_hz),
        sm("sm", pool, initiator(clock)),
        llc("llc", config, map, pool, role()),
        memory("memory", target(clock, style)) {
    for (unsigned i = 0; i < 3; ++i) {
      checkers.push_back(std::make_unique<ProtocolChecker>(("check" + std::to_string(i)).c_str()));
    }
    for (unsigned i = 0; i < 2; ++i) {
      sm.socket(i).bind(checkers[i]->target);
      checkers[i]->initiator.bind(llc.in[i]);
    }
    llc.memory.bind(checkers[2]->target);
    checkers[2]->initiator.bind(memory.socket());
  }

  Tick edge(std::uint64_t n) const { return clock.time_of(n); }
  std::function<void(Transaction&)> prepare() {
    return [this](Transaction& t) { t.request().home = map.locate(t.get_address()); };
  }
  ScriptedRequest request(std::uint64_t cycle, std::uint64_t address, unsigned port) {
    ScriptedRequest r;
    r.at = cycle == 0 ? 0 : edge(cycle) - 1;
    r.port = port;
    r.address = address;
    r.prepare = prepare();
    return r;
  }
  std::size_t load(std::uint64_t cycle, std::uint64_t address, unsigned port = kLocal) {
    return sm.add(request(cycle, address, port));
  }
  std::size_t store(std::uint64_t cycle, std::uint64_t address, unsigned char value,
                    ByteMask mask = ByteMask::first(kLine), unsigned port = kLocal) {
    ScriptedRequest r = request(cycle, address, port);
    r.command = tlm::TLM_WRITE_COMMAND;
    r.data.assign(kLine, value);
    r.mask = mask;
    return sm.add(r);
  }
  ScriptedRequest atomic_request(std::uint64_t cycle, std::uint64_t address, AtomicOperands* o,
                                 unsigned port) {
    ScriptedRequest r = request(cycle, address, port);
    r.command = tlm::TLM_WRITE_COMMAND;
    r.data.assign(kLine, 0);
    r.mask = ByteMask{};
    for (unsigned i = 0; i < o->count; ++i) {
      r.mask |= ByteMask::range(o->lanes[i].offset, atomic_bytes(o->type));
    }
    r.prepare = [this, o](Transaction& t) {
      prepare()(t);
      t.request().kind = RequestKind::kAtomic;
      t.request().atomics = o;
    };
    return r;
  }
  std::size_t atomic(std::uint64_t cycle, std::uint64_t address, AtomicOperands* o,
                     unsigned port = kLocal) {
    return sm.add(atomic_request(cycle, address, o, port));
  }
  /// `count` lanes that add `operand` to consecutive words.
  AtomicOperands* adds(unsigned count, std::uint64_t operand) {
    AtomicOperands* o = new_operands();
    o->count = static_cast<std::uint8_t>(count);
    for (unsigned i = 0; i < count; ++i) {
      o->lanes[i].offset = static_cast<std::uint8_t>(4 * i);
      o->lanes[i].operand = operand;
    }
    return o;
  }
  AtomicOperands* new_operands() {
    operands.push_back(pool.acquire_atomics());
    *operands.back() = AtomicOperands{};
    return operands.back();
  }

  ConformanceRig conformance() {
    ConformanceRig rig;
    rig.block = &llc;
    rig.pool = &pool;
    rig.initiators = {&sm};
    rig.targets = {&memory};
    for (auto& c : checkers) rig.checkers.push_back(c.get());
    return rig;
  }
  void run() {
    CHECK(run_until_done(conformance(), us(1000)));
    check_each_answered_once(conformance(), tlm::TLM_OK_RESPONSE);
    check_drained(conformance());
  }
  void run_to(Tick t) { sc_core::sc_start(to_sc_time(t - now())); }
  std::uint64_t answered(std::size_t i) const {
    const Tick t = sm.result(i).begin_resp;
    CHECK(clock.is_edge(t));
    return clock.cycle_at(t);
  }
  std::uint64_t arrived(std::size_t i) const {
    REQUIRE(i < memory.arrivals().size());
    const Tick t = memory.arrivals()[i].at;
    CHECK(clock.is_edge(t));
    return clock.cycle_at(t);
  }
  unsigned char byte(std::size_t i, unsigned offset) const { return sm.result(i).data.at(offset); }
  /// Through the debug interface.
  std::vector<unsigned char> peek(std::uint64_t address, unsigned bytes = kLine) {
    std::vector<unsigned char> data(bytes);
    tlm::tlm_generic_payload p;
    p.set_read();
    p.set_address(address);
    p.set_data_ptr(data.data());
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    CHECK(sm.socket()->transport_dbg(p) == bytes);
    return data;
  }

 private:
  // A port takes one answer a cycle, the channel one request.
  static ScriptedInitiatorConfig initiator(const ClockDomain& clock) {
    ScriptedInitiatorConfig c;
    c.ports = 2;
    c.end_resp_after = clock.time_of(1);
    return c;
  }
  static ScriptedTargetConfig target(const ClockDomain& clock, RequestStyle style) {
    ScriptedTargetConfig c;
    c.latency = clock.time_of(kMemory) - 1;
    c.occupancy = clock.time_of(1);
    c.style = style;
    return c;
  }
};

unsigned char initial(std::uint64_t address) { return ScriptedTarget::initial_byte(address); }

void hit_and_miss(RequestStyle style) {
  Rig rig(plain(), style);
  const auto miss = rig.load(10, 0x1000);
  const auto hit = rig.load(500, 0x1000);
  const auto remote_hit = rig.load(600, 0x1000, kRemote);
  rig.run();
  CHECK(rig.arrived(0) == 10 + kLatency);
  CHECK(rig.answered(miss) == 10 + kLatency + kMemory + 1);
  CHECK(rig.answered(hit) == 500 + kLatency);
  CHECK(rig.answered(remote_hit) == 600 + kLatency);
  CHECK(rig.memory.arrivals().size() == 1);
  CHECK(rig.byte(hit, 3) == initial(0x1003));
  CHECK(rig.sm.result(miss).data == rig.sm.result(hit).data);
  CHECK(rig.llc.stats().hits == 2);
  CHECK(rig.llc.stats().misses == 1);
  CHECK(rig.llc.stats().local_lookups == 2);
  CHECK(rig.llc.stats().remote_lookups == 1);
  CHECK(rig.llc.stats().miss_latency.sum() == kMemory + 1);
}

/// A victim's write-back and the fetch behind it, with answers of any style.
/// `link`: cycles for which the write-back has the channel; a completed one has it to the end.
void write_back_and_fetch(RequestStyle style, std::uint64_t link) {
  Rig rig(one_set(1), style);
  rig.store(10, 0x1000, 0x11);
  const auto other = rig.load(50, 0x2000);
  const auto again = rig.load(500, 0x1000);
  rig.run();
  CHECK(rig.arrived(0) == 50 + kLatency);
  CHECK(rig.arrived(1) == 50 + kLatency + link);  // behind the write-back
  CHECK(rig.answered(other) == 50 + kLatency + link + kMemory + 1);
  CHECK(rig.byte(again, 100) == 0x11);
  CHECK(rig.llc.stats().write_backs == 1);
}

}  // namespace

TEST_CASE("a hit takes the latency, and a miss the channel's and a cycle more") {
  hit_and_miss(RequestStyle::kEarlyEndReq);
}
TEST_CASE("a miss takes as long when the channel answers with TLM_COMPLETED") {
  hit_and_miss(RequestStyle::kComplete);
}
TEST_CASE("a miss takes as long when the channel answers with BEGIN_RESP on the return path") {
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
    CHECK(rig.answered(remote[i]) == rig.answered(remote[0]) + 2 * i);
    CHECK(rig.answered(local[i]) == rig.answered(remote[0]) + 2 * i + 1);
  }
  CHECK(rig.answered(remote[0]) == 500 + kLatency);
}

TEST_CASE("a queue alone has every cycle") {
  Rig rig;
  rig.load(10, 0x1000);
  std::vector<std::size_t> hits;
  for (unsigned i = 0; i < 8; ++i) hits.push_back(rig.load(500, 0x1000, kRemote));
  rig.run();
  for (unsigned i = 0; i < 8; ++i) CHECK(rig.answered(hits[i]) == 500 + kLatency + i);
}

TEST_CASE("a store that misses takes a line without a fetch; a later load fetches and merges") {
  Rig rig;
  const ByteMask mask = ByteMask::range(60, 10);
  const auto store = rig.store(10, 0x1000, 0x5a, mask);
  const auto load = rig.load(100, 0x1000);
  const auto whole = rig.store(400, 0x2000, 0x3c);
  const auto hit = rig.load(500, 0x2000);
  rig.run();
  CHECK(rig.answered(store) == 10 + kLatency);
  CHECK(rig.arrived(0) == 100 + kLatency);
  CHECK(rig.answered(load) == 100 + kLatency + kMemory + 1);
  for (unsigned i = 0; i < kLine; ++i) {
    CHECK(rig.byte(load, i) == (mask.test(i) ? 0x5a : initial(0x1000 + i)));
  }
  CHECK(rig.answered(whole) == 400 + kLatency);
  CHECK(rig.answered(hit) == 500 + kLatency);
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
  CHECK(out.request.home.slice_line == 0x1000 / kLine);
  CHECK(rig.memory.byte(0x1003) == 0x21);
  CHECK(rig.memory.byte(0x1004) == initial(0x1004));
  CHECK(rig.memory.byte(0x1040) == 0x22);
  // The store does not wait for it.
  CHECK(rig.answered(second) == 50 + kLatency);
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
TEST_CASE("a write-back that is answered on the return path is done with") {
  write_back_and_fetch(RequestStyle::kRespondAtOnce, kMemory);
}

TEST_CASE("accesses to a line being fetched take effect in order when it comes") {
  Rig rig;
  const auto before = rig.load(10, 0x1000);
  const auto store = rig.store(11, 0x1000, 0x99, ByteMask::range(8, 8));
  const auto after = rig.load(12, 0x1000);
  rig.run();
  const std::uint64_t first = 10 + kLatency + kMemory + 1;
  CHECK(rig.answered(before) == first);
  CHECK(rig.answered(store) == first + 1);
  CHECK(rig.answered(after) == first + 2);
  CHECK(rig.byte(before, 8) == initial(0x1008));
  CHECK(rig.byte(after, 8) == 0x99);
  CHECK(rig.byte(after, 16) == initial(0x1010));
  CHECK(rig.memory.arrivals().size() == 1);
  CHECK(rig.llc.stats().merges == 2);
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
  for (unsigned i = 0; i < 3; ++i) CHECK(rig.answered(loads[i]) == first + i);
  CHECK(rig.answered(other) == 510 + kLatency);
  CHECK(rig.answered(behind) == first + 3);
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
  CHECK(rig.answered(second) == filled + 1 + kMemory + 1);
}

TEST_CASE("a miss waits while every way of its set waits for a fill") {
  Rig rig(one_set(1));
  rig.load(10, 0x1000);
  const auto second = rig.load(11, 0x2000);
  rig.run();
  const std::uint64_t filled = 10 + kLatency + kMemory;
  CHECK(rig.arrived(1) == filled + 1);
  CHECK(rig.answered(second) == filled + 1 + kMemory + 1);
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
  CHECK(rig.answered(kept) == 1200 + kLatency);
  CHECK(rig.answered(dropped) == 1300 + kLatency + kMemory + 1);
}

TEST_CASE(
    "every atomic operation of every type leaves what apply_atomic says and returns the old") {
  Rig rig;
  std::mt19937_64 random(2);
  std::vector<unsigned char> line(kLine);
  std::vector<std::size_t> sent;
  struct Expected {
    const AtomicOperands* operands;
    std::array<std::uint64_t, 4> old;
  };
  std::vector<Expected> expected;
  for (unsigned i = 0; i < kLine; ++i) line[i] = initial(0x1000 + i);
  std::uint64_t cycle = 10;
  for (unsigned op = 0; op <= static_cast<unsigned>(AtomicOp::kCompareAndSwap); ++op) {
    for (unsigned type = 0; type <= static_cast<unsigned>(AtomicType::kF16x2); ++type) {
      AtomicOperands* o = rig.new_operands();
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
        lane.compare = random() % 2 == 0 ? e.old[i] : random();
        const std::uint64_t result =
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
  CHECK(rig.llc.stats().atomics == 90);
  CHECK(rig.llc.stats().atomic_lanes == 360);
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
  CHECK(rig.answered(atomic) == 500 + kLatency);
  CHECK(rig.answered(behind) == 500 + kLatency + 4);
  CHECK(rig.llc.stats().atomic_lanes == 7);
}

TEST_CASE("an atomic that misses is performed when the line has come, and its bytes are dirty") {
  Rig rig(one_set(1));
  AtomicOperands* o = rig.adds(1, 5);
  const auto atomic = rig.atomic(10, 0x1000, o);
  rig.load(500, 0x2000);
  rig.run();
  CHECK(rig.answered(atomic) == 10 + kLatency + kMemory + 1);
  std::uint32_t word = 0;
  for (unsigned i = 4; i-- > 0;) word = word << 8 | initial(0x1000 + i);
  CHECK(o->lanes[0].old == word);
  REQUIRE(rig.memory.arrivals().size() == 3);
  CHECK(rig.memory.arrivals()[1].mask == ByteMask::first(4));
  std::uint32_t written = 0;
  std::memcpy(&written, rig.memory.arrivals()[1].data.data(), 4);
  CHECK(written == word + 5);
}

TEST_CASE("answers that nobody takes stall lookups when the reply queue is full") {
  LlcSliceConfig c = plain();
  c.reply_queue_depth = 2;
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
  CHECK(rig.llc.stats().stalls_output > 0);
  rig.run();
  CHECK(rig.answered(hits[0]) == 500 + kLatency);
  for (unsigned i = 1; i < 3; ++i) CHECK(rig.answered(hits[i]) == 801 + i);
  CHECK(rig.sm.result(remote).answered());
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
  tlm::tlm_generic_payload p;
  p.set_write();
  p.set_address(0x1012);
  p.set_data_ptr(data.data());
  p.set_data_length(8);
  p.set_streaming_width(8);
  CHECK(rig.sm.socket()->transport_dbg(p) == 8);
  const std::uint64_t next = rig.clock.cycle_from(now()) + 10;
  const auto load = rig.load(next, 0x1000);
  rig.run();
  CHECK(rig.byte(load, 17) == 0x42);
  CHECK(rig.byte(load, 18) == 0x43);
  CHECK(rig.byte(load, 25) == 0x43);
  CHECK(rig.byte(load, 26) == initial(0x101a));
}

TEST_CASE("a reset slice has no lines and writes nothing back") {
  Rig rig;
  rig.store(10, 0x1000, 1);
  rig.run();
  reset_all(rig.conformance());
  const std::uint64_t start = rig.clock.cycle_from(now()) + 10;
  const auto load = rig.load(start, 0x1000);
  rig.run();
  CHECK(rig.answered(load) == start + kLatency + kMemory + 1);
  CHECK(rig.byte(load, 0) == initial(0x1000));
  CHECK(rig.memory.arrivals().size() == 1);
}

TEST_CASE(
    "random loads, stores and atomics of two ports agree with a memory, under random stalls") {
  LlcSliceConfig c = plain();
  c.sets = 3;
  c.ways = 2;
  c.latency_cycles = 4;
  c.mshr_entries = 4;
  c.mshr_targets = 3;
  c.queue_depth = 2;
  c.reply_queue_depth = 2;
  c.memory_queue_depth = 2;
  Rig rig(c, RequestStyle::kRandom);
  rig.memory.config().random_latency = ns(60);
  rig.memory.config().stall_probability = 0.2;
  rig.memory.config().random_stall = ns(40);
  rig.sm.config().style = ResponseStyle::kRandom;
  rig.sm.config().random_stall = ns(5);
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
      for (unsigned i = 0; i < kLine; ++i) r.data.push_back(static_cast<unsigned char>(random()));
      for (unsigned i = 0; i < kLine; ++i) {
        if (r.mask.test(i)) reference[address + i] = r.data[i];
      }
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
  c.reply_queue_depth = 2;
  c.memory_queue_depth = 2;
  Rig rig(c, RequestStyle::kRandom);
  rig.memory.config().random_latency = ns(100);
  ConformanceTraffic traffic;
  traffic.seed = 6;
  traffic.prepare = rig.prepare();
  // Loads have no byte enables: a load that misses is itself the request for its line.
  traffic.adjust = [](ScriptedRequest& r, std::mt19937_64&) {
    if (r.command == tlm::TLM_READ_COMMAND) r.mask = ByteMask::first(kLine);
  };
  run_conformance(rig.conformance(), traffic);
}
