// SPDX-License-Identifier: Apache-2.0
// The RTL slice beside the model's, cycle by cycle: the same requests to both, with a memory of
// their own each. Initiators and memory take at most one message a cycle, because each channel of
// the RTL carries one, and the model's links have no limit of their own.
#include "rtl/llc_slice/rtl_llc_slice.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/error.h"
#include "modules/plan/block_family.h"
#include "tests/modules/llc/slice_rig.h"

namespace tessera::rtl_llc_slice_test {

using namespace tessera::test;

namespace {

constexpr Tick kCycle = 1'000'000;

ScriptedTargetConfig memory_of(std::uint64_t latency) {
  ScriptedTargetConfig c;
  c.latency = latency * kCycle;
  c.occupancy = kCycle;
  return c;
}

/// Takes one response in three cycles.
ScriptedInitiatorConfig slow() {
  ScriptedInitiatorConfig c;
  c.end_resp_after = 3 * kCycle;
  return c;
}

/// A slice of one local and one remote port, with initiators and a memory.
struct Side {
  ScriptedInitiator local;
  ScriptedInitiator remote;
  ScriptedTarget memory;

  Side(const std::string& name, TransactionPool& pool, const ScriptedTargetConfig& memory_config)
      : local((name + "_local").c_str(), pool, slow()),
        remote((name + "_remote").c_str(), pool, slow()),
        memory((name + "_memory").c_str(), memory_config) {}

  ScriptedInitiator& port(unsigned p) { return p == kLocal ? local : remote; }
};

/// Both slices under the same requests.
class Pair {
 public:
  PlainMap map;
  TransactionPool pool;
  Side model{"model", pool, memory_of(kMemory)};
  Side rtl{"rtl", pool, memory_of(kMemory)};
  std::unique_ptr<LlcSlice> model_slice;
  BlockHandle rtl_handle;
  RtlLlcSlice* rtl_slice = nullptr;

  explicit Pair(const LlcSliceConfig& config, const char* implementation = "rtl-llc") {
    LlcSite site;
    site.path = "system.gpu0.llc0";
    site.name = "rtl_slice";
    site.config = config;
    site.map = &map;
    site.pool = &pool;
    site.inputs = 2;
    site.outputs = 1;
    site.slice.local_inputs = 1;
    site.slice.remote_inputs = 1;
    model_slice = make_llc_slice("model_slice", config, map, pool, site.slice);
    rtl_handle = make_block(implementation, site);
    rtl_slice = dynamic_cast<RtlLlcSlice*>(rtl_handle.block);
    model.local.socket().bind(model_slice->in[0]);
    model.remote.socket().bind(model_slice->in[1]);
    model_slice->memory.bind(model.memory.socket());
    rtl.local.socket().bind(rtl_slice->inputs[0]->in);
    rtl.remote.socket().bind(rtl_slice->inputs[1]->in);
    rtl_slice->memory->out.bind(rtl.memory.socket());
  }

  /// To both slices. Requests of one port leave in the order in which they are added.
  void add(unsigned port, const ScriptedRequest& request) {
    model.port(port).add(request);
    rtl.port(port).add(request);
  }
  void load(unsigned port, std::uint64_t cycle, std::uint64_t line) {
    ScriptedRequest r;
    r.at = cycle * kCycle;
    r.address = line * kLine;
    add(port, r);
  }
  void store(unsigned port, std::uint64_t cycle, std::uint64_t line, const ByteMask& mask,
             unsigned char value) {
    ScriptedRequest r;
    r.at = cycle * kCycle;
    r.address = line * kLine;
    r.command = tlm::TLM_WRITE_COMMAND;
    r.mask = mask;
    r.data.assign(kLine, value);
    add(port, r);
  }

  void run() { sc_core::sc_start(sc_core::sc_time(20, sc_core::SC_MS)); }

  /// Every response at the same time with the same bytes, and the same requests to memory at the
  /// same times.
  void check_equal() {
    for (unsigned p : {kLocal, kRemote}) {
      ScriptedInitiator& a = model.port(p);
      ScriptedInitiator& b = rtl.port(p);
      REQUIRE(a.done());
      REQUIRE(b.done());
      for (std::size_t i = 0; i < a.size(); ++i) {
        INFO("port " << p << ", request " << i);
        REQUIRE(b.result(i).begin_resp == a.result(i).begin_resp);
        REQUIRE(b.result(i).end_req == a.result(i).end_req);
        REQUIRE(b.result(i).status == a.result(i).status);
        REQUIRE(b.result(i).data == a.result(i).data);
      }
    }
    const auto& a = model.memory.arrivals();
    const auto& b = rtl.memory.arrivals();
    REQUIRE(b.size() == a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      INFO("request " << i << " to memory");
      REQUIRE(b[i].at == a[i].at);
      REQUIRE(b[i].address == a[i].address);
      REQUIRE(b[i].command == a[i].command);
      REQUIRE(b[i].mask == a[i].mask);
      for (unsigned byte = 0; byte < b[i].data.size(); ++byte) {
        if (b[i].mask.test(byte)) REQUIRE(b[i].data[byte] == a[i].data[byte]);
      }
    }
    REQUIRE(model_slice->idle());
    REQUIRE(rtl_slice->idle());
  }

  std::uint64_t cycles(unsigned port, std::size_t i) {
    return (rtl.port(port).result(i).begin_resp + kCycle - 1) / kCycle;
  }
};

}  // namespace

TEST_CASE("RTL slice: a miss and a hit take the model's cycles") {
  Pair pair(plain());
  pair.load(kLocal, 10, 3);
  pair.load(kLocal, 300, 3);
  pair.run();
  pair.check_equal();
  // Lookup, memory and the way back; the hit takes the latency.
  CHECK(pair.cycles(kLocal, 1) == 301 + kLatency);
  CHECK(pair.rtl_slice->stats().hits == 1);
  CHECK(pair.rtl_slice->stats().misses == 1);
}

TEST_CASE("RTL slice: accesses to a line that is being fetched merge and take effect in order") {
  Pair pair(plain());
  pair.load(kLocal, 10, 3);
  pair.store(kLocal, 11, 3, ByteMask::range(4, 8), 0xaa);
  pair.load(kLocal, 12, 3);
  pair.store(kLocal, 13, 3, ByteMask::range(8, 8), 0xbb);
  pair.load(kLocal, 14, 3);
  pair.load(kRemote, 300, 3);
  pair.run();
  pair.check_equal();
  CHECK(pair.rtl_slice->stats().merges == 3);
  CHECK(pair.rtl_slice->stats().stalls_mshr == pair.model_slice->stats().stalls_mshr);
  CHECK(pair.rtl.remote.result(0).data[8] == 0xbb);
}

TEST_CASE("RTL slice: a conflict evicts the least recently used line and writes its bytes back") {
  Pair pair(one_set(2));
  pair.store(kLocal, 10, 1, ByteMask::range(0, 4), 0x11);
  pair.store(kLocal, 20, 2, ByteMask::range(4, 4), 0x22);
  pair.load(kLocal, 30, 1);   // fetches the rest
  pair.load(kLocal, 300, 3);  // evicts 2
  pair.load(kLocal, 500, 4);  // evicts 1
  pair.load(kLocal, 700, 1);
  pair.load(kLocal, 900, 2);
  pair.run();
  pair.check_equal();
  CHECK(pair.rtl_slice->stats().write_backs == 2);
  CHECK(pair.rtl_slice->stats().partial_fetches == 1);
}

TEST_CASE("RTL slice: two waiting queues take turns") {
  Pair pair(plain());
  pair.load(kLocal, 10, 1);
  for (unsigned i = 0; i < 8; ++i) {
    pair.load(kLocal, 300 + i, 1);
    pair.load(kRemote, 300 + i, 1);
  }
  pair.run();
  pair.check_equal();
  CHECK(pair.rtl_slice->stats().local_lookups == 9);
  CHECK(pair.rtl_slice->stats().remote_lookups == 8);
}

TEST_CASE("RTL slice: the oldest request goes first if it is told so") {
  LlcSliceConfig c = plain();
  c.arbitration = {"oldest-first", {}};
  Pair pair(c);
  pair.load(kLocal, 10, 1);
  for (unsigned i = 0; i < 8; ++i) pair.load(kRemote, 300 + i, 1);
  for (unsigned i = 0; i < 8; ++i) pair.load(kLocal, 303 + i, 1);
  pair.run();
  pair.check_equal();
}

TEST_CASE("RTL slice: a full queue withholds END_REQ as the model's does") {
  LlcSliceConfig c = tiny();
  Pair pair(c);
  pair.model.local.stall_responses_until(200 * kCycle);
  pair.rtl.local.stall_responses_until(200 * kCycle);
  for (unsigned i = 0; i < 24; ++i) {
    pair.store(kLocal, 10 + i, i % 6, ByteMask::range(0, 4), static_cast<unsigned char>(i));
  }
  pair.run();
  pair.check_equal();
}

TEST_CASE("RTL slice: random accesses have the model's times, bytes and counts") {
  LlcSliceConfig c = tiny();
  c.queue_depth = 200;  // the initiators would send several requests in a cycle after a wait
  Pair pair(c);
  std::mt19937_64 random(7);
  std::uint64_t cycle = 10;
  for (unsigned i = 0; i < 6000; ++i) {
    cycle += random() % 3 == 0 ? random() % 40 : 1;
    const unsigned port = random() % 2 == 0 ? kLocal : kRemote;
    const std::uint64_t line = random() % 24;
    if (random() % 3 != 0) {
      pair.load(port, cycle, line);
    } else {
      const auto first = static_cast<unsigned>(random() % 100);
      pair.store(port, cycle, line, ByteMask::range(first, 1 + random() % 28),
                 static_cast<unsigned char>(random()));
    }
  }
  pair.run();
  pair.check_equal();
  const LlcSliceStats& a = pair.model_slice->stats();
  const LlcSliceStats& b = pair.rtl_slice->stats();
  CHECK(b.reads == a.reads);
  CHECK(b.writes == a.writes);
  CHECK(b.hits == a.hits);
  CHECK(b.misses == a.misses);
  CHECK(b.merges == a.merges);
  CHECK(b.partial_fetches == a.partial_fetches);
  CHECK(b.write_allocations == a.write_allocations);
  CHECK(b.evictions == a.evictions);
  CHECK(b.write_backs == a.write_backs);
  CHECK(b.local_lookups == a.local_lookups);
  CHECK(b.remote_lookups == a.remote_lookups);
  CHECK(b.stalls_mshr == a.stalls_mshr);
  CHECK(b.stalls_ways == a.stalls_ways);
  CHECK(b.stalls_output == a.stalls_output);
  CHECK(b.bytes_read == a.bytes_read);
  CHECK(b.bytes_written == a.bytes_written);
  CHECK(b.miss_latency.sum() == a.miss_latency.sum());
  // The seed reaches what the test is for.
  CHECK(a.stalls_mshr > 0);
  CHECK(a.stalls_ways > 0);
  CHECK(a.stalls_output > 0);
}

TEST_CASE("RTL slice: a flush writes back and drops all lines in the model's time") {
  Pair pair(plain());
  for (unsigned i = 0; i < 40; ++i) {
    pair.store(kLocal, 10 + 2 * i, i, ByteMask::range(i, 4), static_cast<unsigned char>(i + 1));
  }
  pair.load(kRemote, 20, 100);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  Tick model_done = 0;
  Tick rtl_done = 0;
  pair.model_slice->flush(LaunchSlot{}, [&] { model_done = now(); });
  pair.rtl_slice->flush(LaunchSlot{}, [&] { rtl_done = now(); });
  sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_US));
  CHECK(model_done > 0);
  CHECK(rtl_done == model_done);
  pair.check_equal();
  CHECK(pair.rtl_slice->stats().flush_cycles == pair.model_slice->stats().flush_cycles);
  CHECK(pair.rtl.memory.byte(39 * kLine + 39) == 40);
}

TEST_CASE("RTL slice: debug accesses see the newest bytes, and change no time") {
  Pair pair(one_set(2));
  pair.store(kLocal, 10, 1, ByteMask::range(0, 4), 0x11);
  pair.store(kLocal, 20, 2, ByteMask::range(4, 4), 0x22);
  pair.store(kLocal, 30, 3, ByteMask::range(0, 4), 0x33);  // writes 1 back
  sc_core::sc_start(sc_core::sc_time(52, sc_core::SC_NS));
  const auto peek = [&](std::uint64_t line, unsigned at) {
    unsigned char byte = 0;
    tlm::tlm_generic_payload p;
    p.set_read();
    p.set_address(line * kLine + at);
    p.set_data_ptr(&byte);
    p.set_data_length(1);
    p.set_streaming_width(1);
    CHECK(pair.rtl.local.socket()->transport_dbg(p) == 1);
    return byte;
  };
  CHECK(peek(1, 0) == 0x11);  // on its way to memory
  CHECK(peek(2, 4) == 0x22);
  CHECK(peek(3, 3) == 0x33);
  CHECK(peek(2, 0) == initial(2 * kLine));
  unsigned char fresh = 0x77;
  tlm::tlm_generic_payload p;
  p.set_write();
  p.set_address(2 * kLine + 5);
  p.set_data_ptr(&fresh);
  p.set_data_length(1);
  p.set_streaming_width(1);
  CHECK(pair.rtl.local.socket()->transport_dbg(p) == 1);
  CHECK(pair.model.local.socket()->transport_dbg(p) == 1);
  CHECK(peek(2, 5) == 0x77);
  pair.load(kRemote, 100, 2);
  pair.run();
  pair.check_equal();
  CHECK(pair.rtl.remote.result(0).data[5] == 0x77);
}

TEST_CASE("RTL slice: atomics to one line are performed one after the other") {
  Pair pair(plain());
  std::vector<AtomicOperands*> operands;
  for (unsigned i = 0; i < 12; ++i) {
    ScriptedRequest r;
    r.at = (10 + i) * kCycle;
    r.address = 5 * kLine;
    r.command = tlm::TLM_WRITE_COMMAND;
    r.prepare = [&, i](Transaction& t) {
      operands.push_back(adds(pair.pool, 8, i + 1));
      t.request().kind = RequestKind::kAtomic;
      t.request().atomics = operands.back();
    };
    pair.add(i % 2 == 0 ? kLocal : kRemote, r);
  }
  pair.load(kLocal, 2000, 5);
  pair.run();
  REQUIRE(pair.rtl.local.done());
  REQUIRE(pair.rtl.remote.done());
  CHECK(pair.rtl.local.result(6).data == pair.model.local.result(6).data);
  CHECK(pair.rtl_slice->stats().atomics == 12);
  CHECK(pair.rtl_slice->stats().atomic_lanes == 96);
  CHECK(pair.rtl_slice->idle());
  for (AtomicOperands* o : operands) pair.pool.release_atomics(o);
}

TEST_CASE("RTL slice: a store waits while an atomic unit holds its line") {
  Pair pair(plain());
  AtomicOperands* operands = adds(pair.pool, 1, 7);
  ScriptedRequest r;
  r.at = 10 * kCycle;
  r.address = 5 * kLine;
  r.command = tlm::TLM_WRITE_COMMAND;
  r.prepare = [&](Transaction& t) {
    t.request().kind = RequestKind::kAtomic;
    t.request().atomics = operands;
  };
  pair.rtl.local.add(r);
  ScriptedRequest s;
  s.at = 11 * kCycle;
  s.address = 5 * kLine;
  s.command = tlm::TLM_WRITE_COMMAND;
  s.mask = ByteMask::range(0, 4);
  s.data.assign(kLine, 0x44);
  pair.rtl.remote.add(s);
  ScriptedRequest l;
  l.at = 2000 * kCycle;
  l.address = 5 * kLine;
  pair.rtl.local.add(l);
  pair.run();
  REQUIRE(pair.rtl.local.done());
  REQUIRE(pair.rtl.remote.done());
  // The atomic's read and its store take a miss and a hit, the plain store another hit.
  CHECK(pair.rtl.remote.result(0).begin_resp > pair.rtl.local.result(0).begin_resp);
  CHECK(pair.rtl.local.result(1).data[0] == 0x44);
  pair.pool.release_atomics(operands);
}

TEST_CASE("RTL slice: an atomic waits for a store to its line that came before") {
  Pair pair(plain());
  pair.load(kLocal, 1, 1);
  // The RMR queue has more requests before the store than the LMR queue before the atomic.
  for (unsigned i = 0; i < 4; ++i) pair.load(kLocal, 303 + i, 1);
  for (unsigned i = 0; i < 9; ++i) pair.load(kRemote, 303 + i, 1);
  pair.store(kRemote, 312, 5, ByteMask::range(0, 4), 0x44);
  AtomicOperands* operands = adds(pair.pool, 1, 7);
  ScriptedRequest r;
  r.at = 313 * kCycle;
  r.address = 5 * kLine;
  r.command = tlm::TLM_WRITE_COMMAND;
  r.prepare = [&](Transaction& t) {
    t.request().kind = RequestKind::kAtomic;
    t.request().atomics = operands;
  };
  pair.rtl.local.add(r);
  ScriptedRequest l;
  l.at = 2000 * kCycle;
  l.address = 5 * kLine;
  const std::size_t last = pair.rtl.local.add(l);
  pair.run();
  REQUIRE(pair.rtl.local.done());
  CHECK(pair.rtl.local.result(last).data[0] == 0x4b);
  CHECK(pair.rtl.local.result(last).data[1] == 0x44);
  pair.pool.release_atomics(operands);
}

TEST_CASE("RTL slice: an error of the channel reaches every access that waits for the line") {
  Pair pair(plain());
  for (Side* side : {&pair.model, &pair.rtl}) {
    side->memory.status_of = [](std::uint64_t address) {
      return address == 3 * kLine ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
    };
  }
  pair.load(kLocal, 10, 3);
  pair.load(kRemote, 11, 3);
  pair.load(kLocal, 12, 4);
  pair.run();
  pair.check_equal();
  CHECK(pair.rtl.remote.result(0).status == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_CASE("RTL slice: reset drops what is in flight, and the slice works again") {
  Pair pair(plain());
  pair.load(kLocal, 10, 3);
  pair.store(kLocal, 12, 4, ByteMask::range(0, 4), 0x55);
  sc_core::sc_start(sc_core::sc_time(60, sc_core::SC_NS));
  CHECK_FALSE(pair.rtl_slice->idle());
  for (Side* side : {&pair.model, &pair.rtl}) {
    side->local.reset();
    side->memory.reset();
  }
  pair.model_slice->reset();
  pair.rtl_slice->reset();
  CHECK(pair.rtl_slice->idle());
  CHECK(pair.rtl_slice->stats().reads == 0);
  CHECK(pair.pool.live() == 0);
  pair.load(kLocal, 100, 3);
  pair.run();
  pair.check_equal();
  CHECK(pair.rtl_slice->stats().misses == 1);
}

TEST_CASE("RTL slice: a configuration that the RTL has no room for is refused with all reasons") {
  LlcSliceConfig c = plain();
  c.sets = 128;
  c.latency_cycles = 1;
  c.replacement = {"random", {}};
  try {
    Pair pair(c);
    FAIL("not refused");
  } catch (const InputError& e) {
    const std::string text = e.what();
    CHECK(text.find(
              "system.gpu0.llc0.impl = rtl-llc: llc.sets = 128, and the RTL has 64 at most") == 0);
    CHECK(text.find("llc.latency_cycles must be 2 or more") != std::string::npos);
    CHECK(text.find("llc.replacement must be lru") != std::string::npos);
  }
}

TEST_CASE("RTL slice: a request for an id that no request has ends the run with the id") {
  /// Sends a request to memory although it has none.
  class Stray final : public LlcSliceModel {
   public:
    void configure(const LlcSlicePins::Configuration&) override {}
    void set_reset(bool active) override { active_ = !active; }
    void step(Tick) override {
      pins.in[0].ready = true;
      pins.memory.valid = active_ && pins.in[0].valid;
      pins.memory.user = 77;
    }
    bool busy() const override { return false; }
    Line find(std::uint32_t, std::uint64_t) override { return {}; }
    Line find_write_back(std::uint32_t, std::uint64_t) override { return {}; }
    std::uint32_t memory_queue() const override { return 0; }
    void write_found(const unsigned char*, const ByteMask&) override {}
    void drop_found() override {}

   private:
    bool active_ = false;
  };
  register_llc_slice("stray", [](const std::string&) { return std::make_unique<Stray>(); });
  Pair pair({}, "stray");
  pair.load(kLocal, 1, 1);
  CHECK_THROWS_WITH(pair.run(),
                    Catch::Contains("rtl_slice: the RTL has sent a request that it does not have, "
                                    "for the id 77"));
}

}  // namespace tessera::rtl_llc_slice_test
