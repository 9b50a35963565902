// SPDX-License-Identifier: Apache-2.0
#include "modules/bridge/axi4_subordinate.h"

#include <catch2/catch.hpp>
#include <vector>

#include "modules/bridge/axi4_checker.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/protocol_checker.h"
#include "tests/modules/bridge/axi4_models.h"
#include "tests/support/expect_report.h"
#include "tests/support/scripted_initiator.h"
#include "tests/support/scripted_target.h"

namespace tessera::axi4_subordinate_test {

namespace {

using namespace tessera::test;  // NOLINT

constexpr std::uint64_t kHertz = 1'000'000'000;

Axi4SubordinateConfig config_of(unsigned data_bytes = 16) {
  Axi4SubordinateConfig config;
  config.shape = {data_bytes, 4, 40};
  return config;
}

ScriptedTargetConfig latency_of(Tick latency) {
  ScriptedTargetConfig config;
  config.latency = latency;
  return config;
}

/// Scripted manager, pins with a checker, subordinate, protocol checker, scripted memory.
struct Rig {
  explicit Rig(const Axi4SubordinateConfig& config = config_of(),
               const ScriptedTargetConfig& target = latency_of(ns(10)))
      : manager(pins, config.shape.data_bytes),
        clock(kHertz, manager),
        dut("axi", clock, pins, pool, config),
        pin_check("pins", clock.clock(), pins, checker_config(config)),
        memory("memory", target) {
    clock.add(pin_check);
    dut.out.bind(check.target);
    check.initiator.bind(memory.socket(0));
    clock.power_on();
  }
  static Axi4CheckerConfig checker_config(const Axi4SubordinateConfig& config) {
    Axi4CheckerConfig c;
    c.shape = config.shape;
    return c;
  }
  void run(Tick t = us(2)) {
    clock.wake(now() + 1);
    sc_core::sc_start(to_sc_time(t));
  }
  void check_done() {
    CHECK(dut.idle());
    CHECK(pool.live() == 0);
    pin_check.finish(now());
  }

  TransactionPool pool;
  Axi4Pins pins;
  AxiScript manager;
  RtlClock clock;
  Axi4Subordinate dut;
  Axi4Checker pin_check;
  ProtocolChecker check{"check"};
  ScriptedTarget memory;
};

Axi4Address burst(std::uint32_t id, std::uint64_t addr, unsigned beats,
                  Axi4BurstType type = Axi4BurstType::kIncr, unsigned size = 4) {
  Axi4Address a;
  a.id = id;
  a.addr = addr;
  a.len = static_cast<std::uint8_t>(beats - 1);
  a.size = static_cast<std::uint8_t>(size);
  a.burst = type;
  return a;
}

/// The lanes of a beat are the memory's initial bytes.
void check_beat(const Transfer& r, const Axi4Address& a, unsigned beat) {
  const ByteMask lanes = a.lanes(beat, 16);
  const std::uint64_t base = a.beat_address(beat) & ~std::uint64_t{15};
  for (unsigned i = 0; i < 16; ++i) {
    if (!lanes.test(i)) continue;
    if (r.data[i] != ScriptedTarget::initial_byte(base + i)) {
      FAIL_CHECK("beat " << beat << ", lane " << i);
    }
  }
}

void check_burst(const std::vector<Transfer>& r, std::size_t from, const Axi4Address& a) {
  REQUIRE(r.size() >= from + a.beats());
  for (unsigned i = 0; i < a.beats(); ++i) {
    check_beat(r[from + i], a, i);
    CHECK(r[from + i].id == a.id);
    CHECK(r[from + i].last == (i == a.len));
  }
}

/// A burst of ID 1 whose second line is slow, and one of ID 2.
void run_two_ids(Rig& rig) {
  rig.manager.read(ns(10), burst(1, 0x1070, 2));
  rig.manager.read(ns(12), burst(2, 0x3000, 2));
  rig.run(ps(9'500));  // the first transaction has left
  rig.memory.config().latency = ns(40);
  rig.run(ns(1));  // the second one has left
  rig.memory.config().latency = ns(10);
  rig.run();
  REQUIRE(rig.manager.r.size() == 4);
}

}  // namespace

TEST_CASE("an AXI4 read burst is a fill of each line, and data is VALID at its response") {
  Rig rig;
  const Axi4Address a = burst(3, 0x1070, 10);  // one beat, a line, one beat
  rig.manager.read(ns(10), a);
  rig.run();
  REQUIRE(rig.manager.ar.size() == 1);
  CHECK(rig.manager.ar[0].at == ns(10));
  REQUIRE(rig.memory.arrivals().size() == 3);
  for (unsigned i = 0; i < 3; ++i) {
    const auto& arrival = rig.memory.arrivals()[i];
    CHECK(arrival.at == ns(10 + i));
    CHECK(arrival.address == 0x1000 + 128 * i);
    CHECK(arrival.command == tlm::TLM_READ_COMMAND);
    CHECK(arrival.request.kind == RequestKind::kFill);
    CHECK(arrival.request.carries_data);
    CHECK(arrival.request.useful_bytes == (i == 1 ? 128 : 16));
  }
  // Responses arrive one tick after 20, 21 and 22 ns, so that they are due at 21, 22 and 23 ns.
  check_burst(rig.manager.r, 0, a);
  for (unsigned i = 0; i < 10; ++i) CHECK(rig.manager.r[i].at == ns(21 + i));
  rig.check_done();
}

TEST_CASE("an AXI4 write is a masked line at the edge of its last beat") {
  Rig rig;
  rig.manager.write(ns(10), burst(5, 0x1063, 4));
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 2);
  const auto& first = rig.memory.arrivals()[0];
  CHECK(first.at == ns(11));
  CHECK(first.address == 0x1000);
  CHECK(first.mask == ByteMask::range(0x63, 29));
  CHECK(first.request.kind == RequestKind::kWriteBack);
  CHECK(first.request.useful_bytes == 29);
  const auto& second = rig.memory.arrivals()[1];
  CHECK(second.at == ns(13));
  CHECK(second.mask == ByteMask::first(32));
  CHECK(rig.memory.byte(0x1063) == AxiScript::value(0, 3));
  CHECK(rig.memory.byte(0x1070) == AxiScript::value(1, 0));
  CHECK(rig.memory.byte(0x109f) == AxiScript::value(3, 15));
  CHECK(rig.memory.byte(0x1062) == ScriptedTarget::initial_byte(0x1062));
  REQUIRE(rig.manager.b.size() == 1);
  CHECK(rig.manager.b[0].at == ns(24));  // the response arrives one tick after 23 ns
  CHECK(rig.manager.b[0].id == 5);
  rig.check_done();
}

TEST_CASE("AXI4 strobes select bytes, and a line without one has no transaction") {
  Rig rig;
  rig.manager.write(ns(10), burst(1, 0x1070, 2), {ByteMask{}, ByteMask{0x8421, 0}});
  rig.manager.write(ns(30), burst(1, 0x3000, 1), {ByteMask{}});
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 1);
  CHECK(rig.memory.arrivals()[0].mask == ByteMask{0x8421, 0});
  REQUIRE(rig.manager.b.size() == 2);
  CHECK(rig.manager.b[0].at == ns(22));
  CHECK(rig.manager.w[2].at == ns(30));
  CHECK(rig.manager.b[1].at == ns(31));
  rig.check_done();
}

TEST_CASE("a wrapping AXI4 burst reads its line once, and writes it once") {
  Rig rig;
  const Axi4Address a = burst(2, 0x1050, 8, Axi4BurstType::kWrap);
  const Axi4Address wide = burst(2, 0x2130, 16, Axi4BurstType::kWrap);  // 256 bytes
  rig.manager.read(ns(10), a);
  rig.manager.read(ns(11), wide);
  rig.manager.write(ns(50), wide);
  rig.run();
  check_burst(rig.manager.r, 0, a);
  check_burst(rig.manager.r, 8, wide);
  REQUIRE(rig.memory.arrivals().size() == 5);
  CHECK(rig.memory.arrivals()[0].address == 0x1000);
  CHECK(rig.memory.arrivals()[1].address == 0x2100);
  CHECK(rig.memory.arrivals()[2].address == 0x2180);
  // The written line in which the burst begins is complete with the last beat.
  CHECK(rig.memory.arrivals()[3].address == 0x2180);
  CHECK(rig.memory.arrivals()[3].at == ns(50 + 12));
  CHECK(rig.memory.arrivals()[4].address == 0x2100);
  CHECK(rig.memory.arrivals()[4].at == ns(50 + 15));
  for (unsigned i = 0; i < 16; ++i) {
    CHECK(rig.memory.byte(wide.beat_address(i)) == AxiScript::value(i, 0));
  }
  rig.check_done();
}

TEST_CASE("a fixed AXI4 burst is a transaction for each beat") {
  auto config = config_of();
  config.whole_lines = false;
  Rig rig(config);
  const Axi4Address a = burst(2, 0x1002, 3, Axi4BurstType::kFixed, 2);
  rig.manager.read(ns(10), a);
  rig.manager.write(ns(50), a);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 6);
  for (unsigned i = 0; i < 6; ++i) CHECK(rig.memory.arrivals()[i].address == 0x1002);
  check_burst(rig.manager.r, 0, a);
  CHECK(rig.memory.arrivals()[3].data.size() == 2);
  CHECK(rig.memory.byte(0x1003) == AxiScript::value(2, 3));
  rig.check_done();
}

TEST_CASE("narrow AXI4 beats of one line are one transaction") {
  auto config = config_of();
  config.whole_lines = false;
  Rig rig(config);
  const Axi4Address a = burst(2, 0x1006, 5, Axi4BurstType::kIncr, 1);
  rig.manager.write(ns(10), a);
  rig.run();
  REQUIRE(rig.memory.arrivals().size() == 1);
  CHECK(rig.memory.arrivals()[0].at == ns(14));
  CHECK(rig.memory.arrivals()[0].address == 0x1006);
  CHECK(rig.memory.arrivals()[0].data.size() == 10);
  CHECK(rig.memory.byte(0x1007) == AxiScript::value(0, 7));
  CHECK(rig.memory.byte(0x100e) == AxiScript::value(4, 14));
  rig.check_done();
}

TEST_CASE("AXI4 read data is in order within an ID, and what has come first between IDs") {
  Rig rig(config_of(), latency_of(ns(40)));
  const Axi4Address slow = burst(1, 0x1000, 2);
  const Axi4Address same = burst(1, 0x2000, 1);
  const Axi4Address other = burst(2, 0x3000, 2);
  rig.manager.read(ns(10), slow);
  rig.manager.read(ns(11), same);
  rig.manager.read(ns(12), other);
  rig.run(ps(9'500));  // the first transaction has left
  rig.memory.config().latency = ns(10);
  rig.run();
  check_burst(rig.manager.r, 0, other);
  check_burst(rig.manager.r, 2, slow);
  check_burst(rig.manager.r, 4, same);
  CHECK(rig.manager.r[0].at == ns(23));
  CHECK(rig.manager.r[2].at == ns(51));
  CHECK(rig.manager.r[4].at == ns(53));
  rig.check_done();
}

TEST_CASE("an AXI4 burst waits for its second line with R idle") {
  Rig rig;
  run_two_ids(rig);
  CHECK(rig.manager.r[0].at == ns(21));
  CHECK(rig.manager.r[1].at == ns(52));
  CHECK(rig.manager.r[2].at == ns(53));
  CHECK(rig.manager.r[2].id == 2);
  rig.check_done();
}

TEST_CASE("interleaved AXI4 bursts use R while another one waits") {
  auto config = config_of();
  config.interleave = true;
  Rig rig(config);
  run_two_ids(rig);
  CHECK(rig.manager.r[0].at == ns(21));
  CHECK(rig.manager.r[1].at == ns(23));
  CHECK(rig.manager.r[1].id == 2);
  CHECK(rig.manager.r[3].at == ns(52));
  CHECK(rig.manager.r[3].id == 1);
  rig.check_done();
}

TEST_CASE("TLM errors are DECERR and SLVERR on AXI4, of each line's beats") {
  Rig rig;
  rig.memory.status_of = [](std::uint64_t a) {
    if (a == 0x1080) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    return a == 0x2080 ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
  };
  rig.manager.read(ns(10), burst(1, 0x1070, 3));
  rig.manager.write(ns(40), burst(1, 0x2070, 2));
  rig.manager.write(ns(60), burst(1, 0x2100, 1));
  rig.run();
  REQUIRE(rig.manager.r.size() == 3);
  CHECK(rig.manager.r[0].resp == Axi4Response::kOkay);
  CHECK(rig.manager.r[1].resp == Axi4Response::kDecErr);
  CHECK(rig.manager.r[2].resp == Axi4Response::kDecErr);
  REQUIRE(rig.manager.b.size() == 2);
  CHECK(rig.manager.b[0].resp == Axi4Response::kSlvErr);
  CHECK(rig.manager.b[1].resp == Axi4Response::kOkay);
  rig.check_done();
}

TEST_CASE("AXI4 channels wait while the TLM target withholds END_REQ") {
  auto config = config_of();
  config.entries = 1;
  auto target = latency_of(ns(10));
  target.style = RequestStyle::kLateEndReq;
  target.end_req_after = ns(5);
  Rig rig(config, target);
  for (unsigned i = 0; i < 3; ++i) rig.manager.read(ns(10), burst(i, 0x1000 + 128 * i, 1));
  rig.run();
  REQUIRE(rig.manager.ar.size() == 3);
  // END_REQ takes effect 5 ns after an arrival; the channel is used one edge later.
  CHECK(rig.memory.arrivals()[0].at == ns(10));
  CHECK(rig.memory.arrivals()[1].at == ns(17));
  CHECK(rig.memory.arrivals()[2].at == ns(24));
  CHECK(rig.manager.ar[0].at == ns(10));
  CHECK(rig.manager.ar[1].at == ns(11));
  CHECK(rig.manager.ar[2].at == ns(17));
  rig.check_done();
}

TEST_CASE("the number of accepted AXI4 bursts is limited") {
  auto config = config_of();
  config.reads = 2;
  config.writes = 1;
  Rig rig(config);
  for (unsigned i = 0; i < 3; ++i) {
    rig.manager.read(ns(10), burst(i, 0x1000 + 128 * i, 1));
    rig.manager.write(ns(100), burst(i, 0x1000 + 128 * i, 1));
  }
  rig.run();
  REQUIRE(rig.manager.ar.size() == 3);
  CHECK(rig.manager.ar[1].at == ns(11));
  CHECK(rig.manager.ar[2].at == ns(22));   // the first R transfers at 21 ns
  CHECK(rig.manager.aw[1].at == ns(112));  // B is VALID at 111 ns
  rig.check_done();
}

TEST_CASE("a reset drops AXI4 bursts and their late responses") {
  Rig rig(config_of(), latency_of(ns(100)));
  rig.manager.read(ns(10), burst(1, 0x1000, 16));
  rig.manager.write(ns(10), burst(1, 0x2000, 2));
  rig.run(ps(14'500));
  rig.clock.set_reset(true);
  sc_core::sc_start(to_sc_time(ns(6)));
  rig.clock.set_reset(false);
  CHECK_FALSE(rig.dut.idle());
  const Axi4Address after = burst(1, 0x3000, 8);
  rig.manager.read(ns(30), after);
  rig.run();
  CHECK(rig.dut.stats().dropped == 3);
  CHECK(rig.manager.b.empty());
  REQUIRE(rig.manager.r.size() == 8);
  check_burst(rig.manager.r, 0, after);
  rig.check_done();
}

TEST_CASE("an AXI4 subordinate says what it waits for, and registers its statistics") {
  Rig rig(config_of(), latency_of(us(1)));
  rig.manager.read(ns(10), burst(1, 0x1000, 1));
  rig.run(ns(100));
  std::vector<Waiting> waiting;
  rig.dut.describe_waiting(waiting);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].queue == "axi.reads");
  StatisticsRegistry registry;
  rig.dut.register_statistics(registry);
  CHECK(registry.all().size() == 7);
  CHECK(registry.sum("axi", "reads") == 1);
  rig.run();
  CHECK(rig.manager.r.size() == 1);
  CHECK(rig.clock.cycles() < 30);  // the clock stops while the response is under way
  rig.check_done();
}

TEST_CASE("an AXI4 response is VALID after the transfer, if the target responds at once") {
  ScriptedTargetConfig target = latency_of(0);
  target.style = RequestStyle::kComplete;
  target.response_delay = 0;
  Rig rig(config_of(), target);
  rig.manager.read(ns(10), burst(1, 0x1000, 2));
  rig.manager.write(ns(20), burst(1, 0x1000, 2));
  rig.run();
  REQUIRE(rig.manager.r.size() == 2);
  CHECK(rig.manager.ar[0].at == ns(10));
  CHECK(rig.manager.r[0].at == ns(11));
  REQUIRE(rig.manager.b.size() == 1);
  CHECK(rig.manager.w[1].at == ns(21));
  CHECK(rig.manager.b[0].at == ns(22));
  rig.check_done();
}

TEST_CASE("an AXI4 subordinate lists all errors of its configuration") {
  Axi4SubordinateConfig config = config_of();
  config.line_bytes = 8;
  config.reads = 0;
  config.entries = 0;
  CHECK(config.validate().size() == 3);
}

TEST_CASE("an AXI4 burst that a subordinate cannot follow is an error") {
  Rig rig;
  ExpectReport guard("/tessera/bridge/axi4", 2);  // the transactor's and the checker's
  rig.manager.read(ns(10), burst(1, 0x1000, 3, Axi4BurstType::kWrap));
  rig.run();
  CHECK(rig.manager.r.size() == 3);
  rig.check_done();
}

}  // namespace tessera::axi4_subordinate_test
