// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/link.h"

#include <catch2/catch.hpp>

#include "modules/kernel/sc_time.h"
#include "modules/protocol/protocol_checker.h"
#include "tests/support/conformance.h"

namespace tessera::link_test {

namespace {

using namespace tessera::test;  // NOLINT

struct LinkRig {
  explicit LinkRig(const LinkConfig& config = {}, const ScriptedTargetConfig& target = {},
                   const ScriptedInitiatorConfig& initiator = {})
      : sm("sm", pool, initiator),
        dut("link", config),
        slice("slice", target),
        clock(config.clock_hz) {
    sm.socket(0).bind(near_end.target);
    near_end.initiator.bind(dut.in);
    dut.out.bind(far_end.target);
    far_end.initiator.bind(slice.socket(0));
  }
  ConformanceRig conformance() {
    ConformanceRig rig;
    rig.block = &dut;
    rig.pool = &pool;
    rig.initiators = {&sm};
    rig.targets = {&slice};
    rig.checkers = {&near_end, &far_end};
    return rig;
  }
  TransactionPool pool;
  ScriptedInitiator sm;
  Link dut;
  ScriptedTarget slice;
  ProtocolChecker near_end{"near"};
  ProtocolChecker far_end{"far"};
  ClockDomain clock;
};

}  // namespace

TEST_CASE("a lone read over a link takes latency and serialisation each way") {
  LinkConfig config;
  config.latency = 3;
  LinkRig rig(config);
  const auto i = rig.sm.load(rig.clock.time_of(100) - 1, 0x1000);
  sc_core::sc_start(to_sc_time(us(1)));
  REQUIRE(rig.slice.arrivals().size() == 1);
  const Tick at = rig.slice.arrivals()[0].at;
  CHECK(at == rig.clock.time_of(100 + 3 + 1));
  const Cycle head = rig.clock.cycle_from(at + rig.slice.config().latency + 1);
  CHECK(rig.sm.result(i).begin_resp == rig.clock.time_of(head + 3 + 5));  // 136 B over 32 B
  CHECK(rig.dut.zero_load_latency(136) == rig.clock.time_of(8));
  check_drained(rig.conformance());
}

TEST_CASE("stores follow one another at the link's width") {
  LinkRig rig;
  for (unsigned n = 0; n < 3; ++n) {
    rig.sm.store(rig.clock.time_of(100 + 5 * n) - 1, n * 128, std::vector<unsigned char>(128, 7));
  }
  sc_core::sc_start(to_sc_time(us(1)));
  REQUIRE(rig.slice.arrivals().size() == 3);
  CHECK(rig.slice.arrivals()[0].at == rig.clock.time_of(100 + 1 + 5));
  CHECK(rig.sm.result(0).end_req == rig.clock.time_of(105));
  CHECK(rig.slice.arrivals()[1].at == rig.clock.time_of(105 + 1 + 5));
  CHECK(rig.slice.arrivals()[2].at == rig.clock.time_of(110 + 1 + 5));
}

TEST_CASE("a link conforms under random traffic, stalls and styles") {
  ScriptedTargetConfig target;
  target.style = RequestStyle::kRandom;
  target.random_latency = 100'000'000;
  target.capacity = 2;
  target.stall_probability = 0.3;
  target.random_stall = 30'000'000;
  ScriptedInitiatorConfig initiator;
  initiator.style = ResponseStyle::kRandom;
  initiator.random_stall = 20'000'000;
  LinkRig rig({}, target, initiator);
  run_conformance(rig.conformance(), {});
}

TEST_CASE("blocking and debug accesses pass a link") {
  LinkRig rig;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Transaction& x = rig.pool.acquire();
  x.set_line(tlm::TLM_READ_COMMAND, 0x80, 128);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  rig.sm.socket(0)->b_transport(x, delay);
  CHECK(delay.value() == rig.clock.time_of(2) + rig.slice.config().latency + rig.clock.time_of(6));
  CHECK(rig.sm.socket(0)->transport_dbg(x) == 128);
  tlm::tlm_dmi dmi;
  CHECK_FALSE(rig.sm.socket(0)->get_direct_mem_ptr(x, dmi));
  x.release();
}

}  // namespace tessera::link_test
