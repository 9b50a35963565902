// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/axi4_manager.h"

#include <catch2/catch.hpp>
#include <vector>

#include "modules/bridge/axi4_bursts.h"
#include "modules/bridge/axi4_checker.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/protocol_checker.h"
#include "tests/modules/bridge/axi4_models.h"
#include "tests/support/expect_report.h"
#include "tests/support/scripted_initiator.h"

namespace tessera::axi4_manager_test {

namespace {

using namespace tessera::test;  // NOLINT

constexpr std::uint64_t kHertz = 1'000'000'000;

Axi4ManagerConfig config_of(unsigned data_bytes = 16) {
  Axi4ManagerConfig config;
  config.shape = {data_bytes, 4, 40};
  return config;
}

/// Initiator, protocol checker, manager, pins with a checker, memory.
struct Rig {
  explicit Rig(const Axi4ManagerConfig& config = config_of())
      : sm("sm", pool),
        memory(pins, config.shape.data_bytes),
        clock(kHertz, memory),
        dut("axi", clock, pins, config),
        pin_check("pins", clock.clock(), pins, checker_config(config)) {
    clock.add(pin_check);
    sm.socket(0).bind(check.target);
    check.initiator.bind(dut.in[0]);
    clock.power_on();
  }
  static Axi4CheckerConfig checker_config(const Axi4ManagerConfig& config) {
    Axi4CheckerConfig c;
    c.shape = config.shape;
    return c;
  }
  void run(Tick t = us(10)) { sc_core::sc_start(to_sc_time(t)); }
  /// A request of any length, with the payload's data in `buffer`. It arrives at `at`.
  std::size_t request(Tick at, tlm::tlm_command command, std::uint64_t address,
                      std::vector<unsigned char>& buffer,
                      std::function<void(Transaction&)> more = {}) {
    ScriptedRequest r;
    r.at = at - 1;
    r.command = command;
    r.address = address;
    r.bytes = static_cast<unsigned>(std::min<std::size_t>(buffer.size(), 128));
    r.prepare = [&buffer, more](Transaction& tx) {
      tx.set_data_ptr(buffer.data());
      tx.set_data_length(static_cast<unsigned>(buffer.size()));
      tx.set_streaming_width(static_cast<unsigned>(buffer.size()));
      tx.request().useful_bytes = static_cast<std::uint16_t>(buffer.size());
      tx.set_byte_enable_ptr(nullptr);
      if (more) more(tx);
    };
    return sm.add(r);
  }
  std::size_t read(Tick at, std::uint64_t address, std::vector<unsigned char>& buffer,
                   std::function<void(Transaction&)> more = {}) {
    return request(at, tlm::TLM_READ_COMMAND, address, buffer, std::move(more));
  }
  std::size_t write(Tick at, std::uint64_t address, std::vector<unsigned char>& buffer,
                    std::function<void(Transaction&)> more = {}) {
    return request(at, tlm::TLM_WRITE_COMMAND, address, buffer, std::move(more));
  }
  Tick response(std::size_t i) const { return sm.result(i).begin_resp; }
  tlm::tlm_response_status status(std::size_t i) const { return sm.result(i).status; }
  void check_done() {
    CHECK(sm.done());
    CHECK(dut.idle());
    CHECK(pool.live() == 0);
    CHECK(pin_check.outstanding_reads() + pin_check.outstanding_writes() == 0);
    pin_check.finish(now());
  }

  TransactionPool pool;
  ScriptedInitiator sm;
  ProtocolChecker check{"check"};
  Axi4Pins pins;
  AxiMemory memory;
  RtlClock clock;
  Axi4Manager dut;
  Axi4Checker pin_check;
};

std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed) {
  std::vector<unsigned char> v(bytes);
  for (std::size_t i = 0; i < bytes; ++i) v[i] = static_cast<unsigned char>(i * 5 + seed);
  return v;
}

void check_memory(const AxiMemory& memory, std::uint64_t address,
                  const std::vector<unsigned char>& data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (memory.byte(address + i) != data[i]) FAIL_CHECK("byte " << i << " differs");
  }
}

void check_initial(std::uint64_t address, const std::vector<unsigned char>& data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i] != AxiMemory::initial(address + i)) FAIL_CHECK("byte " << i << " differs");
  }
}

}  // namespace

TEST_CASE("bursts end at 4 KB boundaries and after 256 beats") {
  Axi4Address base;
  base.addr = 0x1ff3;
  base.size = 2;
  const auto two = incr_bursts(base, 100);
  REQUIRE(two.size() == 2);
  CHECK(two[0].addr == 0x1ff3);
  CHECK(two[0].beats() == 4);  // 0x1ff0 to 0x1fff
  CHECK(two[1].addr == 0x2000);
  CHECK(two[1].beats() == 22);  // 87 bytes
  base.addr = 0x3001;
  const auto long_ones = incr_bursts(base, 2048);
  REQUIRE(long_ones.size() == 3);
  CHECK(long_ones[0].beats() == 256);
  CHECK(long_ones[1].addr == 0x3400);
  CHECK(long_ones[1].beats() == 256);
  CHECK(long_ones[2].addr == 0x3800);
  CHECK(long_ones[2].beats() == 1);
}

TEST_CASE("an AXI4 read is VALID at its arrival, and its response arrives with its last beat") {
  Rig rig;
  rig.memory.latency = 3;
  std::vector<unsigned char> one(16);
  std::vector<unsigned char> eight(100);
  const auto a = rig.read(ns(10), 0x1000, one);
  const auto b = rig.read(ns(50), 0x200e, eight);
  rig.run();
  REQUIRE(rig.memory.ar.size() == 2);
  CHECK(rig.memory.ar[0].at == ns(10));
  CHECK(rig.response(a) == ns(10 + 1 + 3));
  CHECK(rig.memory.ar[1].at == ns(50));
  CHECK(rig.memory.ar[1].address.beats() == 8);  // 0x2000 to 0x207f, without the first 14 bytes
  CHECK(rig.memory.ar[1].address.addr == 0x200e);
  CHECK(rig.memory.ar[1].address.id == 1);
  CHECK(rig.response(b) == ns(50 + 1 + 3 + 7));
  check_initial(0x1000, one);
  check_initial(0x200e, eight);
  rig.check_done();
}

TEST_CASE("an AXI4 write sends its first beat with the address, and byte enables as strobes") {
  Rig rig;
  rig.memory.latency = 2;
  auto data = pattern(100, 3);
  auto sparse = pattern(32, 9);
  std::vector<unsigned char> enables = {0xff, 0, 0xff, 0xff};
  const auto a = rig.write(ns(10), 0x100e, data);
  const auto b = rig.write(ns(100), 0x2000, sparse, [&](Transaction& tx) {
    tx.set_byte_enable_ptr(enables.data());
    tx.set_byte_enable_length(4);
  });
  rig.run();
  REQUIRE(rig.memory.w.size() == 8 + 2);
  CHECK(rig.memory.aw[0].at == ns(10));
  for (unsigned i = 0; i < 8; ++i) CHECK(rig.memory.w[i].at == ns(10 + i));
  CHECK(rig.memory.w[0].strobe == ByteMask::range(14, 2));
  CHECK(rig.memory.w[7].strobe == ByteMask::first(2));
  CHECK(rig.response(a) == ns(10 + 7 + 1 + 2));
  check_memory(rig.memory, 0x100e, data);
  CHECK(rig.memory.byte(0x100d) == AxiMemory::initial(0x100d));
  CHECK(rig.memory.w[8].strobe == ByteMask{0xdddd, 0});
  CHECK(rig.memory.byte(0x2001) == AxiMemory::initial(0x2001));
  CHECK(rig.memory.byte(0x2002) == sparse[2]);
  CHECK(rig.response(b) == ns(100 + 1 + 1 + 2));
  rig.check_done();
}

TEST_CASE("4 KB at an odd address are two AXI4 bursts with one ID and one response") {
  Rig rig;
  auto data = pattern(4096, 1);
  std::vector<unsigned char> back(4096);
  const auto a = rig.write(ns(10), 0x1801, data);
  const auto b = rig.read(ns(11), 0x1801, back);
  rig.run();
  REQUIRE(rig.memory.aw.size() == 2);
  CHECK(rig.memory.aw[0].address.beats() == 128);
  CHECK(rig.memory.aw[1].at == ns(11));
  CHECK(rig.memory.aw[1].address.beats() == 129);
  CHECK(rig.memory.aw[0].id == rig.memory.aw[1].id);
  CHECK(rig.response(a) == ns(10 + 256 + 1));
  // The read has lines in common with the write: it waits for B, which transfers at that edge.
  CHECK(rig.memory.ar[0].at == rig.response(a));
  CHECK(rig.response(b) == rig.response(a) + ns(257));
  CHECK(back == data);
  rig.check_done();
}

TEST_CASE("narrow AXI4 beats use the lanes of their address") {
  auto config = config_of();
  config.beat_bytes = 4;
  Rig rig(config);
  auto data = pattern(10, 1);
  std::vector<unsigned char> back(10);
  rig.write(ns(10), 0x1006, data);
  const auto b = rig.read(ns(40), 0x1006, back);
  rig.run();
  REQUIRE(rig.memory.w.size() == 3);
  CHECK(rig.memory.aw[0].address.size == 2);
  CHECK(rig.memory.w[0].strobe == ByteMask::range(6, 2));
  CHECK(rig.memory.w[1].strobe == ByteMask::range(8, 4));
  CHECK(rig.memory.w[2].strobe == ByteMask::range(12, 4));
  CHECK(back == data);
  CHECK(rig.response(b) == ns(40 + 3));
  rig.check_done();
}

TEST_CASE("a wrapping AXI4 read begins at the critical word") {
  auto config = config_of();
  config.wrap_reads = true;
  Rig rig(config);
  std::vector<unsigned char> line(128);
  std::vector<unsigned char> part(96);
  rig.read(ns(10), 0x1080, line,
           [](Transaction& tx) { tx.request().word_mask = 1U << 13 | 1U << 20; });
  rig.read(ns(40), 0x1000, part);
  rig.run();
  REQUIRE(rig.memory.ar.size() == 2);
  CHECK(rig.memory.ar[0].address.burst == Axi4BurstType::kWrap);
  CHECK(rig.memory.ar[0].address.addr == 0x1080 + 48);
  CHECK(rig.memory.ar[1].address.burst == Axi4BurstType::kIncr);
  check_initial(0x1080, line);
  check_initial(0x1000, part);
  rig.check_done();
}

TEST_CASE("AXI4 reads of other IDs overtake, those of a line do not") {
  Rig rig;
  rig.memory.newest_first = true;
  rig.memory.latency = 5;
  std::vector<std::vector<unsigned char>> data(4, std::vector<unsigned char>(16));
  const auto a = rig.read(ns(10), 0x1000, data[0]);
  const auto b = rig.read(ns(11), 0x1010, data[1]);  // the same line
  const auto c = rig.read(ns(12), 0x2000, data[2]);
  rig.run();
  REQUIRE(rig.memory.ar.size() == 3);
  CHECK(rig.memory.ar[0].id == rig.memory.ar[1].id);
  CHECK(rig.memory.ar[2].id != rig.memory.ar[0].id);
  CHECK(rig.sm.order() == std::vector<std::size_t>{c, a, b});
  rig.check_done();
}

TEST_CASE("an AXI4 write waits for reads of its line, and no request passes it") {
  Rig rig;
  rig.memory.latency = 10;
  std::vector<unsigned char> back(16);
  std::vector<unsigned char> other(16);
  auto data = pattern(16, 1);
  const auto a = rig.read(ns(10), 0x1000, back);
  rig.write(ns(11), 0x1070, data);
  rig.read(ns(12), 0x8000, other);
  rig.run();
  CHECK(rig.response(a) == ns(10 + 1 + 10));
  CHECK(rig.memory.aw[0].at == ns(21));
  CHECK(rig.memory.ar[1].at == ns(22));
  rig.check_done();
}

TEST_CASE("the number of outstanding AXI4 reads is limited, and entries hold back END_REQ") {
  auto config = config_of();
  config.reads = 2;
  config.entries = 1;
  Rig rig(config);
  rig.memory.latency = 20;
  std::vector<std::vector<unsigned char>> data(4, std::vector<unsigned char>(16));
  std::vector<std::size_t> all;
  for (unsigned i = 0; i < 4; ++i) all.push_back(rig.read(ns(10), 0x1000 + 0x100 * i, data[i]));
  rig.run();
  REQUIRE(rig.memory.ar.size() == 4);
  CHECK(rig.memory.ar[0].at == ns(10));
  CHECK(rig.sm.result(all[0]).end_req == ns(10));
  CHECK(rig.response(all[0]) == ns(31));
  CHECK(rig.memory.ar[2].at == ns(31));
  CHECK(rig.sm.result(all[2]).end_req == ns(31));
  rig.check_done();
}

TEST_CASE("AXI4 errors become TLM statuses, with a report each") {
  Rig rig;
  rig.memory.response_of = [](std::uint64_t a) {
    if (a == 0x1010) return Axi4Response::kSlvErr;
    return a >= 0x2000 && a < 0x2010 ? Axi4Response::kDecErr : Axi4Response::kOkay;
  };
  std::vector<unsigned char> a_data(64);
  std::vector<unsigned char> b_data(16);
  std::vector<unsigned char> c_data(16);
  auto d_data = pattern(16, 2);
  ExpectReport guard("/tessera/bridge/axi4", 3);
  const auto a = rig.read(ns(10), 0x1000, a_data);
  const auto b = rig.read(ns(20), 0x2000, b_data);
  const auto c = rig.read(ns(30), 0x2000, c_data,
                          [](Transaction& tx) { tx.request().reports_refusal = true; });
  const auto d = rig.write(ns(40), 0x2000, d_data);
  rig.run();
  CHECK(rig.status(a) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(rig.status(b) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.status(c) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.status(d) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(guard.message() == "axi: write of address 8192 returns DECERR at 40000 ps");
  CHECK(rig.dut.stats().errors == 4);
  rig.check_done();
}

TEST_CASE("READY of an AXI4 response waits for END_RESP") {
  Rig rig;
  rig.sm.config().style = ResponseStyle::kAccepted;
  rig.sm.config().end_resp_after = ns(20);
  std::vector<unsigned char> a_data(32);
  std::vector<unsigned char> b_data(32);
  const auto a = rig.read(ns(10), 0x1000, a_data);
  const auto b = rig.read(ns(11), 0x2000, b_data);
  rig.run();
  CHECK(rig.response(a) == ns(12));
  CHECK(rig.sm.result(a).end_resp == ns(32));
  CHECK(rig.response(b) == ns(34));  // END_RESP counts after 32 ns; READY is set at 33 ns
  rig.check_done();
}

TEST_CASE("READY of an AXI4 response waits for an END_RESP that is known in advance") {
  Rig rig;
  rig.sm.config().style = ResponseStyle::kCompleted;
  rig.sm.config().end_resp_after = ns(20);
  std::vector<unsigned char> a_data(32);
  std::vector<unsigned char> b_data(32);
  const auto a = rig.read(ns(10), 0x1000, a_data);
  const auto b = rig.read(ns(11), 0x2000, b_data);
  rig.run();
  CHECK(rig.response(a) == ns(12));
  CHECK(rig.response(b) == ns(32));
  CHECK(rig.clock.cycles() < 40);  // the clock stops
  rig.check_done();
}

TEST_CASE("an AXI4 read and a write that end at once respond one after the other") {
  Rig rig;
  std::vector<unsigned char> a_data(32);
  auto b_data = pattern(16, 1);
  rig.memory.latency = 3;
  const auto a = rig.read(ns(10), 0x1000, a_data);   // last beat VALID at 15 ns
  const auto b = rig.write(ns(11), 0x2000, b_data);  // B VALID at 15 ns
  rig.run();
  CHECK(rig.response(a) == ns(15));
  CHECK(rig.response(b) == ns(16));
  rig.check_done();
}

TEST_CASE("a request without values is refused by an AXI4 manager") {
  Rig rig;
  std::vector<unsigned char> data(16);
  ExpectReport guard("/tessera/bridge/axi4", 1);
  const auto a =
      rig.read(ns(10), 0x1000, data, [](Transaction& tx) { tx.request().carries_data = false; });
  rig.run();
  CHECK(rig.status(a) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(guard.message().find("RTL has bytes in each request") != std::string::npos);
  rig.check_done();
}

TEST_CASE("an address beyond the pins of AXI4 is refused") {
  Rig rig;
  std::vector<unsigned char> data(17);
  ExpectReport guard("/tessera/core/bad_payload", 1);
  const auto a = rig.read(ns(10), (std::uint64_t{1} << 40) - 16, data);
  rig.run();
  CHECK(rig.status(a) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  rig.check_done();
}

TEST_CASE("a reset ends AXI4 requests with an error, and the next ones pass") {
  Rig rig;
  rig.memory.latency = 50;
  std::vector<std::vector<unsigned char>> data(4, std::vector<unsigned char>(128));
  const auto a = rig.read(ns(10), 0x1000, data[0]);
  const auto b = rig.write(ns(11), 0x2000, data[1]);
  const auto c = rig.read(ns(25), 0x3000, data[2]);  // in reset
  rig.run(ps(14'500));
  rig.clock.set_reset(true);
  rig.run(ns(16));
  rig.clock.set_reset(false);
  rig.run();
  CHECK(rig.status(a) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(rig.status(b) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  CHECK(rig.response(a) == ns(32));  // the first edge after reset is at 31 ns
  CHECK(rig.response(b) == ns(33));
  CHECK(rig.status(c) == tlm::TLM_OK_RESPONSE);
  CHECK(rig.memory.ar.back().at == ns(33));
  check_initial(0x3000, data[2]);
  CHECK(rig.dut.stats().resets == 2);
  rig.check_done();
}

TEST_CASE("an AXI4 manager says what it waits for, and registers its statistics") {
  Rig rig;
  rig.memory.hold = true;
  std::vector<unsigned char> data(16);
  rig.read(ns(10), 0x1000, data);
  rig.run(us(1));
  CHECK_FALSE(rig.dut.idle());
  std::vector<Waiting> waiting;
  rig.dut.describe_waiting(waiting);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].queue == "axi.reads");
  CHECK(waiting[0].waits_for == "RVALID of the RTL block");
  StatisticsRegistry registry;
  rig.dut.register_statistics(registry);
  CHECK(registry.all().size() == 8);
  CHECK(registry.sum("axi", "reads") == 1);
  rig.memory.hold = false;
  rig.run();
  CHECK(rig.dut.stats().read_beats == 1);
  rig.check_done();
}

TEST_CASE("an AXI4 manager lists all errors of its configuration") {
  Axi4ManagerConfig config = config_of();
  config.beat_bytes = 32;
  config.entries = 0;
  config.ids = 17;
  config.line_bytes = 96;
  config.cache = 8;
  config.prot = 8;
  CHECK(config.validate().size() == 6);
}

TEST_CASE("b_transport of an AXI4 manager uses the debug function") {
  Rig rig;
  rig.run(1);
  tlm::tlm_generic_payload p;
  std::vector<unsigned char> data(8);
  p.set_read();
  p.set_address(0x40);
  p.set_data_ptr(data.data());
  p.set_data_length(8);
  p.set_streaming_width(8);
  sc_core::sc_time delay;
  {
    ExpectReport guard("/tessera/bridge/axi4", 1);
    rig.sm.socket(0)->b_transport(p, delay);
    CHECK(p.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE);
  }
  rig.dut.set_debug([](tlm::tlm_generic_payload& q) {
    q.get_data_ptr()[0] = 7;
    return q.get_data_length();
  });
  CHECK(rig.sm.socket(0)->transport_dbg(p) == 8);
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  rig.sm.socket(0)->b_transport(p, delay);
  CHECK(p.get_response_status() == tlm::TLM_OK_RESPONSE);
  CHECK(data[0] == 7);
}

}  // namespace tessera::axi4_manager_test
