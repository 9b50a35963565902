// SPDX-License-Identifier: Apache-2.0
// The harness itself, initiator against target through a checker, in every style.
#include <catch2/catch.hpp>

#include "modules/core/protocol_checker.h"
#include "tests/support/conformance.h"
#include "tests/support/expect_report.h"

using namespace tessera;
using namespace tessera::test;

namespace {

struct Rig {
  TransactionPool pool;
  ScriptedInitiator initiator;
  ProtocolChecker checker{"checker"};
  ScriptedTarget target;

  Rig(const ScriptedInitiatorConfig& i, const ScriptedTargetConfig& t)
      : initiator("initiator", pool, i), target("target", t) {
    initiator.socket().bind(checker.target);
    checker.initiator.bind(target.socket());
  }
};

}  // namespace

TEST_CASE("a lone load's times are those of the configuration") {
  ScriptedInitiatorConfig i;
  i.request_delay = ps(700);
  ScriptedTargetConfig t;
  t.latency = ns(20);
  t.response_delay = ps(900);
  t.occupancy = ns(2);
  Rig rig(i, t);
  const auto a = rig.initiator.load(ns(10), 0x1000);
  sc_core::sc_start(to_sc_time(ns(100)));
  const ScriptedResult& r = rig.initiator.result(a);
  CHECK(r.begin_req == ns(10));
  CHECK(r.end_req == ns(10) + ps(700) + ns(2));
  CHECK(r.begin_resp == ns(10) + ps(700) + ns(20) + ps(900));
  CHECK(r.end_resp == r.begin_resp);
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
