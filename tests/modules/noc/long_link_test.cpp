// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/long_link.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "modules/kernel/parameters.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/protocol_checker.h"
#include "tests/support/conformance.h"
#include "tests/support/expect_report.h"

namespace tessera::long_link_test {

namespace {

using namespace tessera::test;  // NOLINT

/// 1 GHz, so that cycles are nanoseconds. The target responds 10 ns after a request's arrival.
struct LongLinkRig {
  explicit LongLinkRig(const LongLinkConfig& config = {}, const ScriptedTargetConfig& target = {},
                       const ScriptedInitiatorConfig& initiator = {},
                       Domain& near = Domain::under_construction(),
                       Domain& far = Domain::under_construction(), const std::string& suffix = "")
      : dut(("link" + suffix).c_str(), config, near, far),
        near_end(("near" + suffix).c_str()),
        far_end(("far" + suffix).c_str()) {
    {
      const Domain::Construction of(near);
      tlb = std::make_unique<ScriptedInitiator>(("tlb" + suffix).c_str(), pool, initiator);
    }
    {
      const Domain::Construction of(far);
      iommu = std::make_unique<ScriptedTarget>(("iommu" + suffix).c_str(), target);
    }
    tlb->socket(0).bind(near_end.target);
    near_end.initiator.bind(dut.in);
    dut.out.bind(far_end.target);
    far_end.initiator.bind(iommu->socket(0));
  }
  std::size_t request(Tick at, std::uint64_t address) {
    ScriptedRequest r;
    r.at = at - 1;  // BEGIN_REQ takes a tick
    r.address = address;
    r.bytes = 8;
    r.mask = ByteMask::first(8);
    r.prepare = [](Transaction& x) { x.request().kind = RequestKind::kTranslation; };
    return tlb->add(std::move(r));
  }
  ConformanceRig conformance() {
    ConformanceRig rig;
    rig.block = &dut;
    rig.pool = &pool;
    rig.initiators = {tlb.get()};
    rig.targets = {iommu.get()};
    rig.checkers = {&near_end, &far_end};
    return rig;
  }

  TransactionPool pool;
  LongLink dut;
  ProtocolChecker near_end;
  ProtocolChecker far_end;
  std::unique_ptr<ScriptedInitiator> tlb;
  std::unique_ptr<ScriptedTarget> iommu;
};

void run_to(Tick t) { sc_core::sc_start(to_sc_time(t - now())); }

ScriptedTargetConfig ample() {
  ScriptedTargetConfig c;
  c.capacity = 100'000;
  return c;
}

std::string waits(const Block& block) {
  std::vector<Waiting> all;
  block.describe_waiting(all);
  std::string text;
  for (const Waiting& w : all) {
    text += w.queue + " " + std::to_string(w.items) + " " + w.waits_for + "; ";
  }
  return text;
}

/// Responses and statuses of all requests, and what the target saw.
void check_same(const LongLinkRig& one, const LongLinkRig& other) {
  REQUIRE(one.tlb->size() == other.tlb->size());
  CHECK(one.tlb->order() == other.tlb->order());
  std::size_t different = 0;
  for (std::size_t i = 0; i < one.tlb->size(); ++i) {
    const ScriptedResult& a = one.tlb->result(i);
    const ScriptedResult& b = other.tlb->result(i);
    if (a.begin_req != b.begin_req || a.end_req != b.end_req || a.begin_resp != b.begin_resp ||
        a.end_resp != b.end_resp || a.data != b.data) {
      ++different;
    }
  }
  CHECK(different == 0);
  REQUIRE(one.iommu->arrivals().size() == other.iommu->arrivals().size());
  for (std::size_t i = 0; i < one.iommu->arrivals().size(); ++i) {
    if (one.iommu->arrivals()[i].at != other.iommu->arrivals()[i].at) ++different;
  }
  CHECK(different == 0);
  CHECK(one.dut.stats().requests == other.dut.stats().requests);
  CHECK(one.dut.stats().responses == other.dut.stats().responses);
  CHECK(one.dut.stats().queue_wait.sum() == other.dut.stats().queue_wait.sum());
  CHECK(one.dut.stats().queue_wait.max() == other.dut.stats().queue_wait.max());
}

/// 10^4 random requests through a link in one domain and through one that is cut.
class Pair {
 public:
  Domain near{"near_domain"};
  Domain far{"far_domain"};

  void run_and_compare() {
    for (LongLinkRig* rig : {&whole_, &cut_}) {
      std::mt19937_64 random(5);
      Tick at = 0;
      for (unsigned i = 0; i < 10'000; ++i) {
        if (random() % 2 == 0) at += random() % ns(20);
        rig->request(at + 1, random() % 4096 * 8);
      }
    }
    run_to(us(2000));
    check_same(whole_, cut_);
    CHECK(whole_.dut.stats().responses == 10'000);
    for (LongLinkRig* rig : {&whole_, &cut_}) check_drained(rig->conformance());
  }

 private:
  static LongLinkConfig config() {
    LongLinkConfig c;
    c.clock_hz = 1'400'000'000;  // edges are rounded
    c.latency_ns = 20;
    c.queue_depth = 4;
    return c;
  }
  static ScriptedTargetConfig target() {
    ScriptedTargetConfig c;
    c.style = RequestStyle::kRandom;
    c.random_latency = ns(50);
    c.capacity = 20;
    c.stall_probability = 0.1;
    c.random_stall = ns(30);
    return c;
  }
  static ScriptedInitiatorConfig initiator() {
    ScriptedInitiatorConfig c;
    c.style = ResponseStyle::kRandom;
    c.random_stall = ns(5);
    return c;
  }

  LongLinkRig whole_{config(), target(), initiator()};
  LongLinkRig cut_{config(), target(), initiator(), near, far, "_cut"};
};

}  // namespace

TEST_CASE("a long link's defaults are the fabric's latency, and bad ones are refused") {
  LongLinkConfig c;
  CHECK(c.latency_cycles() == 140);
  CHECK(c.credits() == 64 + 280);
  CHECK(c.validate().empty());
  c.clock_hz = 1'500'000'000;
  c.latency_ns = 1;
  CHECK(c.latency_cycles() == 2);  // 1.5, rounded up
  c = {0, 0, 0};
  CHECK(c.validate().size() == 3);
  Domain& domain = Domain::under_construction();
  CHECK_THROWS_WITH(LongLink("link", c, domain, domain), Catch::Contains("latency_ns is 0"));
  ParameterLister lister;
  describe(lister, c);
  REQUIRE(lister.parameters().size() == 3);
  for (const ListedParameter& p : lister.parameters()) CHECK(p.info.description.back() == ')');
}

TEST_CASE("a lone request takes the latency and a cycle each way") {
  LongLinkRig rig(LongLinkConfig{}, ample());
  const auto i = rig.request(ns(100), 0x1000);
  const auto j = rig.request(ns(1000) + 1, 0x2000);  // between edges: as at 1001
  run_to(us(5));
  REQUIRE(rig.iommu->arrivals().size() == 2);
  CHECK(rig.iommu->arrivals()[0].at == ns(100 + 140 + 1));
  CHECK(rig.iommu->arrivals()[1].at == ns(1001 + 140 + 1));
  // BEGIN_RESP 10 ns after the arrival, with a delay of a tick: counts from the next edge.
  CHECK(rig.tlb->result(i).begin_resp == ns(241 + 10 + 1 + 140 + 1));
  CHECK(rig.tlb->result(j).begin_resp == ns(1142 + 10 + 1 + 140 + 1));
  CHECK(rig.tlb->result(i).end_req == ns(100));
  CHECK(rig.iommu->arrivals()[0].request.kind == RequestKind::kTranslation);
  CHECK(rig.dut.stats().requests == 2);
  CHECK(rig.dut.stats().responses == 2);
  CHECK(rig.dut.stats().queue_wait.max() == 0);
  check_drained(rig.conformance());
}

TEST_CASE("a response on the return path of its request travels like any other") {
  ScriptedTargetConfig target = ample();
  target.style = RequestStyle::kComplete;
  LongLinkRig complete(LongLinkConfig{}, target);
  target.style = RequestStyle::kRespondAtOnce;
  Domain& domain = Domain::under_construction();
  LongLinkRig updated(LongLinkConfig{}, target, {}, domain, domain, "_updated");
  for (LongLinkRig* rig : {&complete, &updated}) rig->request(ns(100), 0x1000);
  run_to(us(5));
  for (LongLinkRig* rig : {&complete, &updated}) {
    REQUIRE(rig->iommu->arrivals().size() == 1);
    CHECK(rig->iommu->arrivals()[0].at == ns(241));
    // 10 ns after the arrival, with a delay of a tick: counts from the next edge.
    CHECK(rig->tlb->result(0).begin_resp == ns(241 + 10 + 1 + 140 + 1));
    check_drained(rig->conformance());
  }
}

TEST_CASE("a long link carries one request and one response a cycle") {
  LongLinkConfig config;
  config.queue_depth = 2;
  LongLinkRig rig(config, ample());
  constexpr std::size_t kCount = 1000;
  for (std::size_t i = 0; i < kCount; ++i) rig.request(ns(100 + i), 8 * i);
  run_to(us(5));
  REQUIRE(rig.iommu->arrivals().size() == kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    CHECK(rig.iommu->arrivals()[i].at == ns(100 + i + 140 + 1));
    CHECK(rig.tlb->result(i).begin_resp == ns(100 + i + 141 + 10 + 1 + 140 + 1));
  }
  CHECK(rig.dut.stats().queue_wait.sum() == 0);
  check_drained(rig.conformance());
}

TEST_CASE("requests that come faster than one a cycle wait in front of the link") {
  LongLinkConfig config;
  config.queue_depth = 4;
  LongLinkRig rig(config, ample());
  for (std::size_t i = 0; i < 20; ++i) rig.request(ns(100), 8 * i);
  run_to(ns(101));
  // One has entered the link. The queue is full again; 15 have not been sent.
  CHECK(rig.near_end.requests() == 5);
  CHECK(waits(rig.dut) == "link.requests 4 the link; link.far_requests 1 its latency; ");
  run_to(us(5));
  REQUIRE(rig.iommu->arrivals().size() == 20);
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK(rig.iommu->arrivals()[i].at == ns(100 + i + 140 + 1));
  }
  CHECK(rig.dut.stats().queue_wait.max() >= 3);
  check_drained(rig.conformance());
}

TEST_CASE("a target that withholds END_REQ stops the link when the credits are used up") {
  LongLinkConfig config;
  config.latency_ns = 10;
  config.queue_depth = 4;
  ScriptedTargetConfig target = ample();
  LongLinkRig rig(config, target);
  rig.iommu->stall_until(ns(1000));
  for (std::size_t i = 0; i < 100; ++i) rig.request(ns(100 + i), 8 * i);
  run_to(ns(999));
  // 4 + 2 * 10 credits, of which the target has one; 4 in front of the link.
  CHECK(rig.dut.stats().requests == 24);
  CHECK(rig.near_end.requests() == 24 + 4);
  CHECK(waits(rig.dut) ==
        "link.requests 4 a credit; link.far_requests 23 END_REQ from the target; "
        "link.in_target 1 responses of the target; ");
  CHECK_FALSE(rig.dut.idle());
  // END_REQ at 1000 counts from the next edge. The credit is back 10 cycles later, at 1011, and is
  // used then.
  run_to(ns(1011));
  CHECK(rig.dut.stats().requests == 24);
  run_to(ns(1012));
  CHECK(rig.dut.stats().requests == 25);
  run_to(us(5));
  CHECK(rig.dut.stats().responses == 100);
  check_drained(rig.conformance());
}

TEST_CASE("an initiator that withholds END_RESP keeps its responses in the link") {
  LongLinkRig rig(LongLinkConfig{}, ample());
  rig.tlb->stall_responses_until(us(10));
  for (std::size_t i = 0; i < 50; ++i) rig.request(ns(100 + i), 8 * i);
  run_to(us(9));
  CHECK(rig.dut.stats().responses == 1);
  CHECK(rig.iommu->outstanding() == 0);
  CHECK(waits(rig.dut) ==
        "link.responses 49 END_RESP from the initiator; "
        "link.ending 1 END_RESP from the initiator; ");
  run_to(us(20));
  CHECK(rig.dut.stats().responses == 50);
  check_drained(rig.conformance());
}

TEST_CASE("a long link conforms under random traffic, stalls, styles and resets") {
  LongLinkConfig config;
  config.queue_depth = 2;
  config.latency_ns = 7;
  ScriptedTargetConfig target;
  target.style = RequestStyle::kRandom;
  target.random_latency = ns(100);
  target.capacity = 2;
  LongLinkRig rig(config, target);
  run_conformance(rig.conformance(), {});
}

TEST_CASE("a reset long link holds nothing and serves as if new") {
  LongLinkConfig config;
  config.latency_ns = 10;
  config.queue_depth = 4;
  LongLinkRig rig(config, ample());
  rig.iommu->stall_until(us(100));
  for (std::size_t i = 0; i < 100; ++i) rig.request(ns(100 + i), 8 * i);
  run_to(ns(500));
  CHECK_FALSE(rig.dut.idle());
  reset_all(rig.conformance());
  rig.iommu->stall_until(0);
  CHECK(rig.dut.idle());
  CHECK(waits(rig.dut).empty());
  CHECK(rig.pool.live() == 0);
  CHECK(rig.dut.stats().requests == 0);
  const std::size_t before = rig.iommu->arrivals().size();
  for (std::size_t i = 0; i < 100; ++i) rig.request(ns(1000 + i), 8 * i);
  run_to(us(5));
  REQUIRE(rig.iommu->arrivals().size() == before + 100);
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(rig.iommu->arrivals()[before + i].at == ns(1000 + i + 10 + 1));
  }
  CHECK(rig.dut.idle());
  CHECK(rig.pool.live() == 0);
}

TEST_CASE("untimed accesses pass a long link both ways") {
  LongLinkRig rig(LongLinkConfig{}, ample());
  run_to(1);
  Transaction& x = rig.pool.acquire();
  x.set_line(tlm::TLM_READ_COMMAND, 0x1000, 8);
  x.request().kind = RequestKind::kTranslation;
  sc_core::sc_time delay = to_sc_time(ns(3));
  rig.tlb->socket(0)->b_transport(x, delay);
  CHECK(x.is_response_ok());
  CHECK(delay.value() == ns(3 + 2 * 140 + 10));
  CHECK(x.data()[0] == ScriptedTarget::initial_byte(0x1000));
  CHECK(rig.tlb->socket(0)->transport_dbg(x) == 8);
  tlm::tlm_dmi dmi;
  CHECK_FALSE(rig.tlb->socket(0)->get_direct_mem_ptr(x, dmi));
  x.release();
}

TEST_CASE("a long link's halves in two domains run instant by instant like one domain") {
  Pair pair;
  DomainRunner::instance().run_in_reverse(true);
  pair.run_and_compare();
}

TEST_CASE("a long link's halves that run alone for its latency are exact") {
  Pair pair;
  const Tick window = DomainRunner::instance().lookahead();
  CHECK(window == 20'000'000 - 1);
  DomainRunner::instance().run_ahead({&pair.near, &pair.far}, {window, 1});
  pair.run_and_compare();
  CHECK(DomainRunner::instance().windows() > 1000);
}

TEST_CASE("a long link's halves that run alone for a third of its latency are exact") {
  Pair pair;
  const Tick window = DomainRunner::instance().lookahead() / 3;
  DomainRunner::instance().run_ahead({&pair.near, &pair.far}, {window, 1});
  pair.run_and_compare();
  CHECK(DomainRunner::instance().windows() > 1000);
}

TEST_CASE("a long link's halves on two threads are exact") {
  Pair pair;
  const Tick window = DomainRunner::instance().lookahead();
  DomainRunner::instance().run_ahead({&pair.near, &pair.far}, {window, 2});
  pair.run_and_compare();
}

}  // namespace tessera::long_link_test
