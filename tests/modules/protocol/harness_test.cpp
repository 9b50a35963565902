// SPDX-License-Identifier: Apache-2.0
// The harness itself: scripted initiator against scripted target in every style, and the
// conformance run against a sound and several faulty blocks.
#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/protocol_checker.h"
#include "tests/modules/protocol/relay.h"
#include "tests/support/conformance.h"
#include "tests/support/expect_report.h"

namespace tessera::harness_test {

using namespace tessera::test;

namespace {

/// An initiator and a target of one port each, with a checker between them.
struct Rig {
  TransactionPool pool;
  ScriptedInitiator initiator;
  ProtocolChecker checker;
  ScriptedTarget target;

  explicit Rig(const ScriptedInitiatorConfig& i = {}, const ScriptedTargetConfig& t = {},
               const std::string& suffix = "")
      : initiator(("initiator" + suffix).c_str(), pool, i),
        checker(("checker" + suffix).c_str()),
        target(("target" + suffix).c_str(), t) {
    initiator.socket().bind(checker.target);
    checker.initiator.bind(target.socket());
  }
};

/// Two initiators, a relay, a target, and a checker on every socket.
struct RelayRig {
  TransactionPool pool;
  Relay relay;
  ScriptedInitiator a;
  ScriptedInitiator b;
  ScriptedTarget target;
  ProtocolChecker check_a{"check_a"};
  ProtocolChecker check_b{"check_b"};
  ProtocolChecker check_target{"check_target"};

  explicit RelayRig(const RelayConfig& config = {}, const ScriptedTargetConfig& t = {})
      : relay("relay", config), a("a", pool), b("b", pool), target("target", t) {
    a.socket().bind(check_a.target);
    check_a.initiator.bind(relay.in[0]);
    b.socket().bind(check_b.target);
    check_b.initiator.bind(relay.in[1]);
    relay.out.bind(check_target.target);
    check_target.initiator.bind(target.socket());
  }
  ConformanceRig rig() {
    ConformanceRig r;
    r.block = &relay;
    r.pool = &pool;
    r.initiators = {&a, &b};
    r.targets = {&target};
    r.checkers = {&check_a, &check_b, &check_target};
    return r;
  }
};

ScriptedTargetConfig random_target() {
  ScriptedTargetConfig t;
  t.style = RequestStyle::kRandom;
  t.random_latency = ns(30);
  t.capacity = 4;
  return t;
}

void run(Tick t) { sc_core::sc_start(to_sc_time(t)); }

}  // namespace

TEST_CASE("a lone load's times are those of the configuration") {
  ScriptedInitiatorConfig i;
  i.request_delay = ps(700);
  i.end_resp_after = ps(300);
  ScriptedTargetConfig t;
  t.latency = ns(20);
  t.response_delay = ps(900);
  t.occupancy = ns(2);
  Rig rig(i, t);
  const auto a = rig.initiator.load(ns(10), 0x1000);
  run(ns(100));
  const ScriptedResult& r = rig.initiator.result(a);
  CHECK(r.begin_req == ns(10));
  CHECK(r.end_req == ns(10) + ps(700) + ns(2));
  CHECK(r.begin_resp == ns(10) + ps(700) + ns(20) + ps(900));
  CHECK(r.end_resp == r.begin_resp + ps(300));
  CHECK(r.status == tlm::TLM_OK_RESPONSE);
  REQUIRE(r.data.size() == 128);
  for (unsigned b = 0; b < 128; ++b) {
    REQUIRE(r.data[b] == ScriptedTarget::initial_byte(0x1000 + b));
  }
  REQUIRE(rig.target.arrivals().size() == 1);
  CHECK(rig.target.arrivals()[0].at == ns(10) + ps(700));
  CHECK(rig.initiator.done());
  CHECK(rig.pool.live() == 0);
}

TEST_CASE("each style of target gives its own END_REQ, and the same response time") {
  const std::array styles = {RequestStyle::kEarlyEndReq, RequestStyle::kLateEndReq,
                             RequestStyle::kImpliedEndReq, RequestStyle::kRespondAtOnce,
                             RequestStyle::kComplete};
  const Tick arrival = ns(10) + 1;
  const Tick response = arrival + ns(20) + 1;
  const std::array<Tick, 5> end_reqs = {arrival + ns(2), arrival + ns(5), response, response,
                                        response};
  std::deque<Rig> rigs;
  for (std::size_t s = 0; s < styles.size(); ++s) {
    ScriptedTargetConfig t;
    t.latency = ns(20);
    t.occupancy = ns(2);
    t.end_req_after = ns(5);
    t.style = styles[s];
    rigs.emplace_back(ScriptedInitiatorConfig{}, t, std::to_string(s));
    rigs.back().initiator.load(ns(10), 0x1000);
  }
  run(ns(100));
  for (std::size_t s = 0; s < styles.size(); ++s) {
    INFO("style " << s);
    const ScriptedResult& r = rigs[s].initiator.result(0);
    CHECK(r.end_req == end_reqs[s]);
    CHECK(r.begin_resp == response);
    CHECK(r.end_resp == response);
    CHECK(rigs[s].initiator.done());
    CHECK(rigs[s].target.outstanding() == 0);
    CHECK(rigs[s].checker.outstanding() == 0);
    CHECK(rigs[s].checker.responses() == 1);
    CHECK(rigs[s].pool.live() == 0);
  }
}

TEST_CASE(
    "every style of initiator against every style of target keeps the protocol and the bytes") {
  std::deque<Rig> rigs;
  for (int request = 0; request <= static_cast<int>(RequestStyle::kRandom); ++request) {
    for (int response = 0; response <= static_cast<int>(ResponseStyle::kRandom); ++response) {
      ScriptedInitiatorConfig i;
      i.style = static_cast<ResponseStyle>(response);
      i.end_resp_after = ns(1);
      i.random_stall = ns(20);
      ScriptedTargetConfig t;
      t.style = static_cast<RequestStyle>(request);
      t.random_latency = ns(20);
      t.stall_probability = 0.3;
      t.random_stall = ns(50);
      t.end_req_after = ns(3);
      t.capacity = 3;
      rigs.emplace_back(i, t, std::to_string(request) + std::to_string(response));
      // Stores, then loads of the same lines after their responses.
      for (unsigned n = 0; n < 50; ++n) {
        rigs.back().initiator.store(0, n * 128, std::vector<unsigned char>(128, 7),
                                    ByteMask::range(n, 2));
        rigs.back().initiator.load(us(100), n * 128);
      }
    }
  }
  REQUIRE(rigs.size() == 24);
  run(us(200));
  for (Rig& rig : rigs) {
    INFO(rig.initiator.name());
    CHECK(rig.initiator.done());
    CHECK(rig.target.outstanding() == 0);
    CHECK(rig.checker.outstanding() == 0);
    CHECK(rig.checker.requests() == 100);
    CHECK(rig.checker.responses() == 100);
    CHECK(rig.pool.live() == 0);
    CHECK(rig.target.arrivals().size() == 100);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 100; ++i) {
      const ScriptedResult& r = rig.initiator.result(i);
      if (r.responses != 1 || r.status != tlm::TLM_OK_RESPONSE) ++wrong;
      if (r.data.empty()) continue;
      const unsigned n = static_cast<unsigned>(i / 2);
      for (unsigned b = 0; b < 128; ++b) {
        const bool stored = b == n || b == n + 1;
        if (r.data[b] != (stored ? 7 : ScriptedTarget::initial_byte(n * 128 + b))) ++wrong;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a saturating stream leaves at the pace of END_REQ") {
  ScriptedTargetConfig t;
  t.occupancy = ns(4);
  t.capacity = 100;
  Rig rig({}, t);
  std::vector<ScriptedRequest> list(20);
  for (unsigned i = 0; i < 20; ++i) list[i].address = i * 128;
  rig.initiator.send_as_fast_as_possible(list);
  run(us(1));
  for (unsigned i = 0; i < 20; ++i) {
    CHECK(rig.initiator.result(i).begin_req == i * ns(4));  // to arrive with END_REQ of the last
  }
}

TEST_CASE("a full target withholds END_REQ until a response frees an entry") {
  ScriptedTargetConfig t;
  t.latency = ns(50);
  t.capacity = 2;
  Rig rig({}, t);
  rig.initiator.send_as_fast_as_possible(std::vector<ScriptedRequest>(3));
  run(us(1));
  CHECK(rig.initiator.result(0).end_req == 1);
  CHECK(rig.initiator.result(1).begin_req == 0);
  CHECK(rig.initiator.result(1).end_req == ns(50) + 1);  // with the first response
  CHECK(rig.initiator.result(2).begin_req == ns(50) + 2);
}

TEST_CASE("a stalled target accepts nothing, a stalled initiator ends nothing, before the time") {
  Rig rig;
  rig.target.stall_until(ns(500));
  rig.initiator.stall_responses_until(ns(800));
  rig.initiator.send_as_fast_as_possible(std::vector<ScriptedRequest>(2));
  run(us(2));
  CHECK(rig.initiator.result(0).end_req == ns(500));
  CHECK(rig.initiator.result(1).begin_req == ns(500) + 1);
  CHECK(rig.initiator.result(0).begin_resp == ns(500) + 1);
  CHECK(rig.initiator.result(0).end_resp == ns(800));
  CHECK(rig.initiator.result(1).begin_resp == ns(800) + 2);
  CHECK(rig.initiator.done());
}

TEST_CASE("an initiator keeps to its limit of outstanding requests, and to the script's times") {
  ScriptedInitiatorConfig i;
  i.max_outstanding = 2;
  ScriptedTargetConfig t;
  t.latency = ns(100);
  Rig rig(i, t);
  rig.initiator.send_as_fast_as_possible(std::vector<ScriptedRequest>(3));
  rig.initiator.load(us(1), 0x80);
  run(us(2));
  CHECK(rig.initiator.result(1).begin_req == 0);
  CHECK(rig.initiator.result(2).begin_req == ns(100) + 1);  // at the response to the first
  CHECK(rig.initiator.result(3).begin_req == us(1));
  CHECK(rig.initiator.order() == std::vector<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("a target's errors, arrivals and requests are what the test sees") {
  Rig rig;
  rig.target.status_of = [](std::uint64_t address) {
    return address == 0x80 ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
  };
  ScriptedRequest r;
  r.address = 0x80;
  r.prepare = [](Transaction& x) { x.request().requester = SmId(9); };
  rig.initiator.add(r);
  rig.initiator.store(0, 0x100, {1, 2, 3, 4}, ByteMask::range(1, 2));
  run(us(1));
  CHECK(rig.initiator.result(0).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.initiator.result(0).request.requester == SmId(9));
  REQUIRE(rig.target.arrivals().size() == 2);
  CHECK(rig.target.arrivals()[0].request.requester == SmId(9));
  CHECK(rig.target.arrivals()[1].data == std::vector<unsigned char>{1, 2, 3, 4});
  CHECK(rig.target.arrivals()[1].mask == ByteMask::range(1, 2));
  CHECK(rig.target.arrivals()[1].request.kind == RequestKind::kStore);
  CHECK(rig.target.arrivals()[1].request.useful_bytes == 2);
  CHECK(rig.target.byte(0x100) == ScriptedTarget::initial_byte(0x100));
  CHECK(rig.target.byte(0x101) == 2);
  CHECK(rig.target.byte(0x102) == 3);
  CHECK(rig.target.byte(0x103) == ScriptedTarget::initial_byte(0x103));
}

TEST_CASE("the order in which senders call changes nothing at the receiver") {
  // Two relays in one simulation, whose initiators are made, and therefore run, in opposite order.
  TransactionPool pool;
  Relay one("one", {});
  Relay two("two", {});
  ScriptedTarget target_one("target_one");
  ScriptedTarget target_two("target_two");
  ScriptedInitiator a("a", pool);
  ScriptedInitiator b("b", pool);
  ScriptedInitiator d("d", pool);
  ScriptedInitiator c("c", pool);
  a.socket().bind(one.in[0]);
  b.socket().bind(one.in[1]);
  d.socket().bind(two.in[1]);
  c.socket().bind(two.in[0]);
  one.out.bind(target_one.socket());
  two.out.bind(target_two.socket());
  for (unsigned i = 0; i < 100; ++i) {
    const Tick at = ns(i / 3);
    a.load(at, i * 128);
    b.load(at, 0x8'0000 + i * 128);
    d.load(at, 0x8'0000 + i * 128);
    c.load(at, i * 128);
  }
  run(us(50));
  REQUIRE(a.done());
  REQUIRE(d.done());
  REQUIRE(target_one.arrivals().size() == 200);
  REQUIRE(target_two.arrivals().size() == 200);
  for (std::size_t i = 0; i < 200; ++i) {
    REQUIRE(target_one.arrivals()[i].at == target_two.arrivals()[i].at);
    REQUIRE(target_one.arrivals()[i].address == target_two.arrivals()[i].address);
  }
  for (std::size_t i = 0; i < 100; ++i) {
    REQUIRE(a.result(i).begin_resp == c.result(i).begin_resp);
    REQUIRE(b.result(i).begin_resp == d.result(i).begin_resp);
  }
}

TEST_CASE("a lone request's latency through a relay is the sum of its parts") {
  RelayRig r;
  r.a.load(ns(10), 0x80);
  run(us(1));
  // Socket, relay, socket, target, socket, relay, socket.
  CHECK(r.a.result(0).begin_resp == ns(10) + 1 + ns(3) + 1 + ns(10) + 1 + ns(3) + 1);
  CHECK(r.target.arrivals()[0].address == 0x10'0080);
}

TEST_CASE("a sound block passes the conformance run") {
  RelayRig r({}, random_target());
  run_conformance(r.rig(), {});
}

TEST_CASE("a sound block passes the conformance run without stalls") {
  RelayRig r;
  ConformanceTraffic traffic;
  traffic.largest_stall = 0;
  traffic.largest_gap = 0;
  run_conformance(r.rig(), traffic);
}

TEST_CASE("the conformance run notices a lost request", "[!shouldfail]") {
  RelayConfig config;
  config.lose_request = true;
  RelayRig r(config);
  ConformanceTraffic traffic;
  traffic.limit = us(500);
  run_conformance(r.rig(), traffic);
}

TEST_CASE("the conformance run notices a block that is never idle", "[!shouldfail]") {
  RelayConfig config;
  config.never_idle = true;
  RelayRig r(config);
  ConformanceTraffic traffic;
  traffic.limit = us(500);
  traffic.with_reset = false;
  run_conformance(r.rig(), traffic);
}

TEST_CASE("the conformance run notices a reset that forgets", "[!shouldfail]") {
  RelayConfig config;
  config.forget_reset = true;
  RelayRig r(config);
  run_conformance(r.rig(), {});
}

TEST_CASE("the conformance run notices a statistic that is registered twice", "[!shouldfail]") {
  RelayConfig config;
  config.register_twice = true;
  RelayRig r(config);
  ConformanceTraffic traffic;
  traffic.with_reset = false;
  run_conformance(r.rig(), traffic);
}

TEST_CASE("the checkers notice an address that is not restored") {
  RelayConfig config;
  config.forget_address = true;
  RelayRig r(config);
  r.a.load(0, 0x80);
  ExpectReport guard(report::kProtocol, 1);
  run(us(1));
  CHECK_THAT(guard.message(), Catch::Contains("check_a: BEGIN_RESP"));
  CHECK_THAT(guard.message(), Catch::Contains("the address is not what it was at BEGIN_REQ, 0x80"));
}

TEST_CASE("the checkers notice a response that does not wait for END_RESP") {
  RelayConfig config;
  config.impatient = true;
  RelayRig r(config);
  r.a.stall_responses_until(us(1));
  r.a.load(0, 0x80);
  r.a.load(0, 0x100);
  CHECK_THROWS_WITH(run(us(1)), Catch::Contains("the response before it still awaits END_RESP"));
}

TEST_CASE("an expected report that does not come fails the test", "[!shouldfail]") {
  ExpectReport guard("/tessera/none", 1);
}

TEST_CASE("an unexpected warning fails the test", "[!shouldfail]") {
  SC_REPORT_WARNING("/tessera/none", "text");
}

TEST_CASE("warnings are counted by id, errors are swallowed when expected, else thrown") {
  ExpectReport two("/tessera/two", 2);
  SC_REPORT_WARNING("/tessera/two", "first");
  SC_REPORT_ERROR("/tessera/two", "second");
  CHECK(two.seen() == 2);
  CHECK(two.message() == "second");
  CHECK_THROWS_WITH(SC_REPORT_ERROR("/tessera/other", "text"), Catch::Contains("/tessera/other"));
  CHECK_THROWS(SC_REPORT_FATAL("/tessera/fatal", "text"));
  check_asserts([] { sc_assert(1 > 2); });
}

}  // namespace tessera::harness_test
