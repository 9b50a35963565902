// SPDX-License-Identifier: Apache-2.0
// Every fault that a payload can have, against the blocks that hold or route lines.
#include <catch2/catch.hpp>
#include <memory>
#include <numeric>

#include "modules/kernel/sc_time.h"
#include "modules/llc/llc_slice.h"
#include "modules/memory/dram_channel.h"
#include "modules/noc/crossbar.h"
#include "modules/noc/link.h"
#include "modules/sm/l1_cache.h"
#include "tests/modules/targets/payload_table.h"
#include "tests/support/scripted_initiator.h"
#include "tests/support/scripted_target.h"

namespace tessera::memory_targets_test {

using namespace tessera::test;

namespace {

constexpr unsigned kLine = 128;

MemoryGeometry small() {
  MemoryGeometry g;
  g.channels = 2;
  g.slices_per_channel = 2;
  g.channel_bytes = 1 << 20;
  return g;
}

/// The first line of a slice from `from` on.
std::uint64_t line_of(const AddressMap& map, SliceId slice, std::uint64_t from = 0) {
  while (map.locate(from).slice != slice) from += kLine;
  return from;
}

struct Base {
  TransactionPool pool;
  std::unique_ptr<AddressMap> map = make_address_map("fixed-channel", small());
  RawInitiator initiator{"initiator"};

  /// The last line of a channel.
  std::uint64_t last_line(ChannelId channel) const {
    std::uint64_t address = map->geometry().total_bytes() - kLine;
    while (map->locate(address).channel != channel) address -= kLine;
    return address;
  }
  std::uint64_t line_of(SliceId slice) const { return memory_targets_test::line_of(*map, slice); }
};

void as_store(RawPayload& p) { p.request.kind = RequestKind::kStore; }

/// Fault of a target that has home lines: an address of another.
BadPayload elsewhere(std::uint64_t address) {
  return {"a line of another target", [address](RawPayload& p) { p.payload.set_address(address); },
          PayloadFault::kHome, PayloadFault::kHome};
}

/// No fault: the home is decoded anew.
BadPayload stale_home(std::uint64_t address) {
  return {"a home of another address",
          [address](RawPayload& p) { p.request.set_home(Home(SliceId(3), 77), address); },
          PayloadFault::kNone, PayloadFault::kNone};
}

struct DramRig : Base {
  DramChannel dram{"dram", DramConfig{}, *map, ChannelId(1), 1};
  Target target;
  std::vector<unsigned char> before;

  DramRig() {
    initiator.socket.bind(dram.in[0]);
    target.block = &dram;
    target.initiator = &initiator;
    // The channel's last line: a byte too many would lie behind its memory.
    target.address = last_line(ChannelId(1));
    target.intact = [this] {
      const std::vector<unsigned char> now = bytes();
      if (before.empty()) before = now;
      return now == before;
    };
    // Part of a line is served; the home is not looked at; there are no atomics here.
    target.more = {elsewhere(last_line(ChannelId(0))),
                   stale_home(4096),
                   {"an atomic",
                    [](RawPayload& p) {
                      p.payload.set_command(tlm::TLM_WRITE_COMMAND);
                      p.request.kind = RequestKind::kAtomic;
                    },
                    PayloadFault::kCommand, PayloadFault::kCommand}};
  }
  /// The pages around the line, through the debug interface.
  std::vector<unsigned char> bytes() {
    std::vector<unsigned char> out(4096);
    tlm::tlm_generic_payload p;
    p.set_read();
    p.set_address(target.address & ~std::uint64_t{4095});
    p.set_data_ptr(out.data());
    p.set_data_length(4096);
    CHECK(initiator.debug(p) == 4096);
    return out;
  }
};

}  // namespace

TEST_CASE("payload table: a DRAM channel, reads") {
  DramRig rig;
  run_payload_table(rig.target);
}

TEST_CASE("payload table: a DRAM channel, writes") {
  DramRig rig;
  rig.target.command = tlm::TLM_WRITE_COMMAND;
  rig.target.prepare = as_store;
  run_payload_table(rig.target);
}

namespace {

struct LlcRig : Base {
  std::unique_ptr<LlcSlice> made;
  LlcSlice& llc;
  ScriptedTarget memory{"memory"};
  Target target;

  explicit LlcRig(const SliceSite& site = home())
      : made(make_llc_slice("llc", config(), *map, pool, site)), llc(*made) {
    initiator.socket.bind(llc.in[0]);
    llc.memory.bind(memory.socket());
    target.block = &llc;
    target.initiator = &initiator;
    target.address = line_of(SliceId(1));
    const auto atomic = [](RawPayload& p) {
      p.payload.set_command(tlm::TLM_WRITE_COMMAND);
      p.request.kind = RequestKind::kAtomic;
    };
    const auto with = [atomic](auto change) {
      return [atomic, change](RawPayload& p) {
        atomic(p);
        p.operands.count = 1;
        p.request.atomics = &p.operands;
        change(p.operands);
      };
    };
    using F = PayloadFault;
    target.more = {
        elsewhere(line_of(SliceId(0))),
        stale_home(4096),
        {"part of a line", [](RawPayload& p) { p.resize(4); }, F::kLength, F::kNone},
        {"an atomic without operands", atomic, F::kOperands, F::kOperands},
        {"an atomic of no lanes", with([](AtomicOperands& o) { o.count = 0; }), F::kOperands,
         F::kOperands},
        {"an atomic of 33 lanes", with([](AtomicOperands& o) { o.count = 33; }), F::kOperands,
         F::kOperands},
        {"an atomic beyond the line", with([](AtomicOperands& o) { o.lanes[0].offset = 126; }),
         F::kOperands, F::kOperands},
        {"an atomic of lane 32", with([](AtomicOperands& o) { o.lanes[0].lane = 32; }),
         F::kOperands, F::kOperands},
        {"an invalidation where nothing is coherent",
         [](RawPayload& p) {
           p.payload.set_command(tlm::TLM_IGNORE_COMMAND);
           p.request.kind = RequestKind::kCoherence;
         },
         F::kCommand, F::kCommand},
    };
  }
  static LlcSliceConfig config() {
    LlcSliceConfig c;
    c.sets = 4;
    return c;
  }
  static SliceSite home() {
    SliceSite s;
    s.self = SliceId(1);
    return s;
  }
};

}  // namespace

TEST_CASE("payload table: an LLC slice, reads") {
  LlcRig rig;
  run_payload_table(rig.target);
}

TEST_CASE("payload table: an LLC slice, writes") {
  LlcRig rig;
  rig.target.command = tlm::TLM_WRITE_COMMAND;
  rig.target.prepare = as_store;
  run_payload_table(rig.target);
}

TEST_CASE("payload table: an LLC slice as a remote cache") {
  const RemoteAccessMode transfer = [] {
    RemoteAccessMode t;
    t.remote_cache = true;
    return t;
  }();
  SliceSite site = LlcRig::home();
  site.role = "remote_cache";
  site.access_mode = &transfer;
  LlcRig rig(site);
  // Any home's lines are cached here.
  rig.target.sound = {"a line of another target"};
  run_payload_table(rig.target);
}

TEST_CASE("payload table: an L1") {
  Base rig;
  const auto made = make_l1_cache("l1", L1Config{}, *rig.map);
  L1Cache& l1 = *made;
  ScriptedTarget memory("memory");
  rig.initiator.socket.bind(l1.core);
  l1.memory.bind(memory.socket());
  Target target;
  target.block = &l1;
  target.initiator = &rig.initiator;
  target.address = 0x1000;
  target.more = {stale_home(4096),
                 {"part of a line", [](RawPayload& p) { p.resize(4); }, PayloadFault::kLength,
                  PayloadFault::kNone},
                 {"a fill", [](RawPayload& p) { p.request.kind = RequestKind::kFill; },
                  PayloadFault::kCommand, PayloadFault::kCommand}};
  run_payload_table(target);
}

namespace {

/// A network knows neither the memory's end nor what its targets take: they check it.
void network(Target& target) {
  target.sound = {"a kind of another protocol", "an address beyond the memory",
                  "the last address of all"};
  target.more = {{"part of a line", [](RawPayload& p) { p.resize(4); }, PayloadFault::kNone,
                  PayloadFault::kNone}};
}

}  // namespace

TEST_CASE("payload table: a crossbar") {
  Base rig;
  const NocRouting routing{[](const MemoryRequest& r) { return r.home().slice.value; },
                           [&rig](std::uint64_t a) { return rig.map->locate(a).slice.value; }};
  Crossbar xbar("xbar", NocConfig{}, 1, 4, routing);
  ScriptedTargetConfig four;
  four.ports = 4;
  ScriptedTarget memory("memory", four);
  rig.initiator.socket.bind(xbar.in[0]);
  for (unsigned i = 0; i < 4; ++i) xbar.out[i].bind(memory.socket(i));
  Target target;
  target.block = &xbar;
  target.initiator = &rig.initiator;
  network(target);
  run_payload_table(target);
}

TEST_CASE("a crossbar without a way for what is not decoded refuses it") {
  Base rig;
  Crossbar xbar("xbar", NocConfig{}, 1, 1, {[](const MemoryRequest&) { return 0U; }, {}});
  ScriptedTarget memory("memory");
  rig.initiator.socket.bind(xbar.in[0]);
  xbar.out[0].bind(memory.socket());
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CountingManager mm;
  RawPayload p(mm, tlm::TLM_READ_COMMAND, 0x80, kLine);
  const ExpectReport refused(report::kBadPayload);
  CHECK(rig.initiator.forward(p.payload, tlm::BEGIN_REQ) == tlm::TLM_COMPLETED);
  CHECK(p.payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  p.request.set_home(Home(SliceId(0)), 0x80);
  CHECK(rig.initiator.forward(p.payload, tlm::BEGIN_REQ) == tlm::TLM_UPDATED);
  sc_core::sc_start(to_sc_time(1'000'000'000));
  CHECK(p.payload.is_response_ok());
}

TEST_CASE("payload table: a link") {
  Base rig;
  Link link("link", LinkConfig{});
  ScriptedTarget memory("memory");
  rig.initiator.socket.bind(link.in);
  link.out.bind(memory.socket());
  Target target;
  target.block = &link;
  target.initiator = &rig.initiator;
  network(target);
  run_payload_table(target);
}

namespace {

/// An initiator, an L1, a slice and a memory that refuses the requests that the test names.
struct ErrorRig {
  TransactionPool pool;
  std::unique_ptr<AddressMap> map = make_address_map("fixed-channel", small());
  ScriptedInitiator sm{"sm", pool};
  std::unique_ptr<L1Cache> made = make_l1_cache("l1", L1Config{}, *map);
  L1Cache& l1 = *made;
  std::unique_ptr<LlcSlice> made_slice =
      make_llc_slice("llc", LlcRig::config(), *map, pool, LlcRig::home());
  LlcSlice& llc = *made_slice;
  ScriptedTarget memory{"memory"};
  std::uint64_t line = line_of(*map, SliceId(1));
  bool refuses = true;

  ErrorRig() {
    sm.socket().bind(l1.core);
    l1.memory.bind(llc.in[0]);
    llc.memory.bind(memory.socket());
    memory.status_of = [this](std::uint64_t) {
      return refuses ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
    };
  }
  void run() {
    sc_core::sc_start(to_sc_time(us(10)));
    CHECK(sm.done());
    CHECK(l1.idle());
    CHECK(llc.idle());
    CHECK(pool.live() == 0);
  }
};

}  // namespace

TEST_CASE("what memory refuses is refused to everyone who waits for it, and cached nowhere") {
  ErrorRig rig;
  // The second merges in the L1. What comes later asks memory again.
  const auto first = rig.sm.load(ns(10), rig.line);
  const auto merged = rig.sm.load(ns(20), rig.line);
  const auto again = rig.sm.load(us(1), rig.line);
  rig.run();
  for (const auto i : {first, merged, again}) {
    CHECK(rig.sm.result(i).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  CHECK(rig.memory.arrivals().size() == 2);
  rig.refuses = false;
  const auto good = rig.sm.load(now() + us(1), rig.line);
  rig.run();
  CHECK(rig.sm.result(good).status == tlm::TLM_OK_RESPONSE);
  CHECK(rig.memory.arrivals().size() == 3);
}

TEST_CASE("an atomic and a partly written line whose bytes memory refuses are refused") {
  ErrorRig rig;
  AtomicOperands operands;
  operands.count = 1;
  ScriptedRequest atomic;
  atomic.at = ns(10);
  atomic.address = rig.line;
  atomic.command = tlm::TLM_WRITE_COMMAND;
  atomic.mask = ByteMask::first(4);
  atomic.prepare = [&operands](Transaction& t) {
    t.request().kind = RequestKind::kAtomic;
    t.request().atomics = &operands;
  };
  const auto a = rig.sm.add(atomic);
  // A store of four bytes needs no fetch; a load of its line does.
  const std::uint64_t other = line_of(*rig.map, SliceId(1), rig.line + kLine);
  std::vector<unsigned char> four(kLine);
  std::iota(four.begin(), four.begin() + 4, static_cast<unsigned char>(1));
  const auto s = rig.sm.store(us(1), other, four, ByteMask::first(4));
  const auto l = rig.sm.load(us(2), other);
  rig.run();
  CHECK(rig.sm.result(a).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.sm.result(s).status == tlm::TLM_OK_RESPONSE);
  CHECK(rig.sm.result(l).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  // The written bytes are still there.
  rig.refuses = false;
  const auto good = rig.sm.load(now() + us(1), other);
  rig.run();
  const auto& data = rig.sm.result(good).data;
  CHECK(std::vector<unsigned char>(data.begin(), data.begin() + 4) ==
        std::vector<unsigned char>{1, 2, 3, 4});
}

TEST_CASE("a write-back that memory refuses is an error: its bytes are lost") {
  ErrorRig rig;
  rig.sm.store(ns(10), rig.line, std::vector<unsigned char>(kLine), ByteMask::first(1));
  rig.run();
  bool flushed = false;
  rig.llc.flush({}, [&flushed] { flushed = true; });
  const ExpectReport lost("/tessera/llc/lost_write");
  rig.run();
  CHECK(flushed);
}

TEST_CASE("untimed accesses without an extension reach memory from the L1 down, warm or cold") {
  Base rig;
  DramChannel dram("dram", DramConfig{}, *rig.map, rig.map->locate(rig.line_of(SliceId(1))).channel,
                   1);
  const auto made = make_llc_slice("llc", LlcRig::config(), *rig.map, rig.pool, LlcRig::home());
  LlcSlice& llc = *made;
  rig.initiator.socket.bind(llc.in[0]);
  llc.memory.bind(dram.in[0]);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::uint64_t line = rig.line_of(SliceId(1));
  const auto access = [&](tlm::tlm_command command, std::uint64_t address,
                          std::vector<unsigned char>& bytes, std::vector<unsigned char> enables) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(bytes.data());
    p.set_data_length(static_cast<unsigned>(bytes.size()));
    p.set_streaming_width(static_cast<unsigned>(bytes.size()));
    if (!enables.empty()) {
      p.set_byte_enable_ptr(enables.data());
      p.set_byte_enable_length(static_cast<unsigned>(enables.size()));
    }
    rig.initiator.blocking(p);
    CHECK(p.is_response_ok());
  };
  std::vector<unsigned char> word{1, 2, 3, 4};
  access(tlm::TLM_WRITE_COMMAND, line + 8, word, {});
  word = {5, 6, 7, 8};
  // Byte enables repeat: every second byte.
  access(tlm::TLM_WRITE_COMMAND, line + 8, word, {0, 0xff});
  std::vector<unsigned char> back(4, 0xaa);
  access(tlm::TLM_READ_COMMAND, line + 8, back, {});
  CHECK(back == std::vector<unsigned char>{1, 6, 3, 8});
  back.assign(4, 0xaa);
  access(tlm::TLM_READ_COMMAND, line + 8, back, {0xff, 0});
  CHECK(back == std::vector<unsigned char>{1, 0xaa, 3, 0xaa});
}

}  // namespace tessera::memory_targets_test
