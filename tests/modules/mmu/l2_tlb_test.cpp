// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/l2_tlb.h"

#include <catch2/catch.hpp>
#include <list>
#include <map>
#include <random>

#include "modules/kernel/parameters.h"
#include "modules/kernel/report.h"
#include "modules/kernel/sc_time.h"
#include "tests/modules/mmu/mmu_rig.h"
#include "tests/support/expect_report.h"

namespace tessera::l2_tlb_test {

using namespace tessera::test;

namespace {

constexpr std::uint64_t physical_of(std::uint64_t address) {
  return (address / kPage * 7919 + 3) * kPage;
}

/// SMs, the TLB, and a walker that knows every page.
struct Rig {
  static constexpr std::uint64_t kWalk = 50;

  TransactionPool pool;
  ScriptedInitiator sms;
  Checkers in;
  L2Tlb tlb;
  ProtocolChecker out{"out"};
  ScriptedTarget walker;

  explicit Rig(const L2TlbConfig& config = {}, unsigned ports = 1,
               const ScriptedTargetConfig& w = walker_config())
      : sms("sms", pool, initiator_config(ports)),
        in("in", ports),
        tlb("tlb", config, kPage, pool, ports),
        walker("walker", w) {
    for (unsigned i = 0; i < ports; ++i) {
      sms.socket(i).bind(in[i].target);
      in[i].initiator.bind(tlb.in[i]);
    }
    tlb.walker.bind(out.target);
    out.initiator.bind(walker.socket());
    walker.access = [](tlm::tlm_generic_payload& payload) {
      answer_translation(payload, PageEntry(physical_of(payload.get_address())));
    };
  }
  static ScriptedInitiatorConfig initiator_config(unsigned ports) {
    ScriptedInitiatorConfig c;
    c.ports = ports;
    return c;
  }
  static ScriptedTargetConfig walker_config() {
    ScriptedTargetConfig c;
    c.latency = target_latency(110, kWalk);
    c.capacity = 1024;
    return c;
  }
  void run(std::uint64_t cycles = 100'000) { sc_core::sc_start(to_sc_time(edge(cycles))); }
  const ScriptedResult& result(std::size_t i) const { return sms.result(i); }
};

void check_clean(Rig& rig) {
  CHECK(rig.sms.done());
  CHECK(rig.tlb.idle());
  CHECK(rig.pool.live() == 0);
}

}  // namespace

TEST_CASE("L2 TLB: a miss and then a hit take the configured cycles") {
  Rig rig;
  const auto miss = ask(rig.sms, 100, 0x5000);
  const auto hit = ask(rig.sms, 300, 0x5000);
  rig.run();
  REQUIRE(rig.walker.arrivals().size() == 1);
  CHECK(rig.walker.arrivals()[0].at == edge(110));
  CHECK(rig.walker.arrivals()[0].address == 0x5000);
  CHECK(rig.walker.arrivals()[0].request.kind == RequestKind::kTranslation);
  CHECK(rig.result(miss).begin_resp == edge(110 + Rig::kWalk + 1));
  CHECK(rig.result(hit).begin_resp == edge(310));
  CHECK(response(rig.result(miss)) == physical_of(0x5000));
  CHECK(response(rig.result(hit)) == physical_of(0x5000));
  CHECK(rig.result(hit).status == tlm::TLM_OK_RESPONSE);
  CHECK(rig.tlb.stats().hits == 1);
  CHECK(rig.tlb.stats().misses == 1);
  CHECK(rig.tlb.stats().miss_latency.sum() == Rig::kWalk + 1);
  check_clean(rig);
}

TEST_CASE("L2 TLB: latency follows its parameter, down to one cycle") {
  L2TlbConfig c;
  c.latency_cycles = 1;
  Rig rig(c);
  ask(rig.sms, 100, 0x5000);
  const auto hit = ask(rig.sms, 300, 0x5000);
  rig.run();
  CHECK(rig.walker.arrivals()[0].at == edge(101));
  CHECK(rig.result(hit).begin_resp == edge(301));
}

TEST_CASE("L2 TLB: a request between two edges is looked up from the later one") {
  Rig rig;
  ask(rig.sms, 100, 0x5000);
  const auto hit = rig.sms.add(translation(edge(300), 0x5000));  // arrives 1 fs after the edge
  rig.run();
  CHECK(rig.result(hit).begin_resp == edge(311));
}

TEST_CASE("L2 TLB: two lookups a cycle, the lowest port first") {
  Rig rig({}, 7);
  ask(rig.sms, 100, 0x5000, 6);
  std::vector<std::size_t> hits;
  for (unsigned port = 0; port < 6; ++port) {
    hits.push_back(ask(rig.sms, 300, 0x5000 + 8 * port, port));
  }
  rig.run();
  for (unsigned port = 0; port < 6; ++port) {
    CHECK(rig.result(hits[port]).begin_resp == edge(310 + port / 2));
    CHECK(response(rig.result(hits[port])) == physical_of(0x5000));
  }
}

TEST_CASE("L2 TLB: lookups of one SM are pipelined, and its responses leave one a cycle") {
  Rig rig;
  ask(rig.sms, 100, 0x5000);
  std::vector<std::size_t> stream;
  for (unsigned i = 0; i < 5; ++i) stream.push_back(ask(rig.sms, 300 + i, 0x5000));
  // Four that arrive within one cycle.
  std::vector<std::size_t> burst;
  for (unsigned i = 0; i < 4; ++i) burst.push_back(rig.sms.add(translation(edge(400) - 9, 0x5000)));
  rig.run();
  for (unsigned i = 0; i < 5; ++i) CHECK(rig.result(stream[i]).begin_resp == edge(310 + i));
  for (unsigned i = 0; i < 4; ++i) CHECK(rig.result(burst[i]).begin_resp == edge(410 + i));
}

TEST_CASE("L2 TLB: misses to one page share a walk") {
  Rig rig({}, 3);
  const auto a = ask(rig.sms, 100, 0x5000, 0);
  const auto b = ask(rig.sms, 100, 0x5000, 1);
  const auto c = ask(rig.sms, 120, 0x5000, 2);
  const auto other = ask(rig.sms, 121, 0x6000, 2);
  rig.run();
  REQUIRE(rig.walker.arrivals().size() == 2);
  CHECK(rig.walker.arrivals()[0].request.requester == SmId(0));
  for (const auto i : {a, b, c}) {
    CHECK(rig.result(i).begin_resp == edge(161));
    CHECK(response(rig.result(i)) == physical_of(0x5000));
  }
  CHECK(response(rig.result(other)) == physical_of(0x6000));
  CHECK(rig.tlb.stats().merges == 2);
  CHECK(rig.tlb.stats().misses == 2);
  CHECK(rig.tlb.stats().mshrs.max() == 2);
  check_clean(rig);
}

TEST_CASE("L2 TLB: the least recently used way is replaced") {
  L2TlbConfig c;
  c.entries = 4;
  c.ways = 2;  // two sets: even and odd pages
  Rig rig(c);
  unsigned cycle = 100;
  const auto touch = [&](std::uint64_t page) {
    ask(rig.sms, cycle, page * kPage);
    cycle += 100;
  };
  touch(0);
  touch(2);
  touch(1);  // the other set
  touch(0);  // hit
  touch(4);  // replaces 2
  touch(0);  // hit
  touch(1);  // hit
  touch(2);  // miss, replaces 4
  touch(4);  // miss
  rig.run();
  std::vector<std::uint64_t> walked;
  for (const auto& a : rig.walker.arrivals()) walked.push_back(a.address / kPage);
  CHECK(walked == std::vector<std::uint64_t>{0, 2, 1, 4, 2, 4});
  CHECK(rig.tlb.stats().hits == 3);
  CHECK(rig.tlb.stats().evictions == 3);
}

TEST_CASE("L2 TLB: a miss without a free MSHR waits for a fill") {
  L2TlbConfig c;
  c.mshr_entries = 1;
  Rig rig(c, 2);
  const auto first = ask(rig.sms, 100, 0x5000, 0);
  const auto second = ask(rig.sms, 101, 0x6000, 1);
  rig.run();
  REQUIRE(rig.walker.arrivals().size() == 2);
  // The fill at 160 frees the MSHR; the lookup happens in the same cycle.
  CHECK(rig.result(first).begin_resp == edge(161));
  CHECK(rig.walker.arrivals()[1].at == edge(161));
  CHECK(rig.result(second).responded_at());
  CHECK(rig.tlb.stats().stalls_mshr == 1);
  check_clean(rig);
}

TEST_CASE("L2 TLB: an error reaches everyone who waits and is not kept") {
  Rig rig({}, 2);
  unsigned asked = 0;
  rig.walker.status_of = [&asked](std::uint64_t) {
    return ++asked == 1 ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
  };
  const auto a = ask(rig.sms, 100, 0x5000, 0);
  const auto b = ask(rig.sms, 100, 0x5000, 1);
  const auto again = ask(rig.sms, 300, 0x5000, 1);
  rig.run();
  CHECK(rig.result(a).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.result(b).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.result(again).status == tlm::TLM_OK_RESPONSE);
  CHECK(rig.walker.arrivals().size() == 2);
  CHECK(rig.tlb.stats().errors == 2);
}

TEST_CASE("L2 TLB: what is no translation request is refused") {
  Rig rig;
  ScriptedRequest write = translation(edge(100), 0x5000);
  write.command = tlm::TLM_WRITE_COMMAND;
  ScriptedRequest narrow = translation(edge(200), 0x5000);
  narrow.bytes = 4;
  narrow.mask = ByteMask::first(4);
  const auto w = rig.sms.add(write);
  const auto n = rig.sms.add(narrow);
  const ExpectReport refused(report::kBadPayload, 2);
  rig.run();
  CHECK(rig.result(w).status == tlm::TLM_COMMAND_ERROR_RESPONSE);
  CHECK(rig.result(n).status == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(rig.walker.arrivals().empty());
}

TEST_CASE("L2 TLB: an SM that takes no responses holds up lookups, and nothing is lost") {
  L2TlbConfig c;
  c.response_queue_depth = 2;
  c.queue_depth = 1;
  Rig rig(c);
  ask(rig.sms, 100, 0x5000);
  rig.run(250);
  rig.sms.stall_responses_until(edge(1000));
  for (unsigned i = 0; i < 40; ++i) ask(rig.sms, 300 + i, 0x5000);
  sc_core::sc_start(to_sc_time(edge(700) - now()));
  // One response is on the wire, two wait; the pipeline and the queue hold the rest they can.
  CHECK(rig.tlb.stats().hits == 3);
  std::vector<Waiting> waiting;
  rig.tlb.describe_waiting(waiting);
  REQUIRE(waiting.size() == 2);
  CHECK(waiting[0].queue == "tlb.queue");
  CHECK(waiting[0].items == 11);
  CHECK(waiting[1].items == 2);
  rig.run(2000);
  CHECK(rig.tlb.stats().hits == 40);
  // The others: more than one a cycle could be looked up, and one response leaves.
  CHECK(rig.tlb.stats().stalls_output == 37);
  check_clean(rig);
}

TEST_CASE("L2 TLB: an invalidated page is walked for again") {
  Rig rig;
  ask(rig.sms, 100, 0x5000);
  rig.run(300);
  rig.tlb.invalidate_all();
  ask(rig.sms, 400, 0x5000);
  rig.run(600);
  CHECK(rig.walker.arrivals().size() == 2);
}

TEST_CASE("L2 TLB: a page is invalidated for all groups of SMs, and no other page is") {
  L2TlbConfig c;
  c.sms_per_view = 1;
  Rig rig(c, 2);
  ask(rig.sms, 100, 0x5000, 0);
  ask(rig.sms, 110, 0x5000, 1);
  ask(rig.sms, 120, 0x6000, 1);
  rig.run(300);
  REQUIRE(rig.walker.arrivals().size() == 3);
  rig.tlb.invalidate_page(5);
  ask(rig.sms, 400, 0x6000, 1);
  rig.run(200);
  CHECK(rig.walker.arrivals().size() == 3);
  ask(rig.sms, 600, 0x5000, 0);
  ask(rig.sms, 610, 0x5000, 1);
  rig.run(300);
  CHECK(rig.walker.arrivals().size() == 5);
}

TEST_CASE("L2 TLB: hits and misses are those of an LRU model over random pages") {
  L2TlbConfig c;
  c.entries = 32;
  c.ways = 4;
  ScriptedTargetConfig w = Rig::walker_config();
  w.random_latency = ns(100);
  Rig rig(c, 1, w);
  rig.sms.config().max_outstanding = 1;
  std::mt19937_64 random(11);
  std::map<std::uint64_t, std::list<std::uint64_t>> sets;
  std::uint64_t hits = 0;
  std::vector<std::uint64_t> walked;
  std::vector<std::uint64_t> addresses;
  for (unsigned i = 0; i < 3000; ++i) {
    const std::uint64_t page = random() % 3 == 0 ? random() % 200 : random() % 24;
    addresses.push_back(page * kPage);
    rig.sms.add(translation(0, page * kPage));
    auto& set = sets[page % 8];
    const auto it = std::find(set.begin(), set.end(), page);
    if (it != set.end()) {
      ++hits;
      set.erase(it);
    } else {
      walked.push_back(page);
      if (set.size() == 4) set.pop_back();
    }
    set.push_front(page);
  }
  rig.run(1'000'000);
  std::vector<std::uint64_t> arrived;
  for (const auto& a : rig.walker.arrivals()) arrived.push_back(a.address / kPage);
  CHECK(arrived == walked);
  CHECK(rig.tlb.stats().hits == hits);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    REQUIRE(response(rig.result(i)) == physical_of(addresses[i]));
  }
  check_clean(rig);
}

TEST_CASE("L2 TLB: b_transport adds the latencies, transport_dbg changes nothing") {
  Rig rig;
  rig.run(10);
  Transaction& t = rig.pool.acquire();
  const auto prepare = [&t] {
    t.set_line(tlm::TLM_READ_COMMAND, 0x7000, kTranslationBytes);
    t.request().kind = RequestKind::kTranslation;
  };
  prepare();
  CHECK(rig.tlb.stats().misses == 0);
  rig.sms.socket()->transport_dbg(t);
  prepare();
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  rig.sms.socket()->b_transport(t, delay);
  CHECK(t.is_response_ok());
  CHECK(translation_of(t).bits() == physical_of(0x7000));
  CHECK(delay.value() >= edge(11));
  prepare();
  delay = sc_core::SC_ZERO_TIME;
  rig.sms.socket()->b_transport(t, delay);
  CHECK(delay.value() == edge(10));
  t.release();
}

TEST_CASE("L2 TLB: conformance, with a reset in flight") {
  L2TlbConfig c;
  c.entries = 16;
  c.ways = 4;
  c.mshr_entries = 4;
  c.queue_depth = 1;
  c.response_queue_depth = 1;
  ScriptedTargetConfig w = Rig::walker_config();
  w.style = RequestStyle::kRandom;
  w.random_latency = ns(200);
  w.capacity = 2;
  Rig rig(c, 4, w);
  ConformanceRig all;
  all.block = &rig.tlb;
  all.pool = &rig.pool;
  all.initiators = {&rig.sms};
  all.targets = {&rig.walker};
  rig.in.add_to(all.checkers);
  all.checkers.push_back(&rig.out);
  ConformanceTraffic traffic;
  traffic.line_bytes = kPage;
  traffic.stores = 0;
  traffic.masked = 0;
  traffic.adjust = [](ScriptedRequest& r, std::mt19937_64&) {
    r = translation(r.at, r.address, r.port);
  };
  run_conformance(all, traffic);
}

TEST_CASE("L2 TLB: a configuration's faults are all named") {
  CHECK(L2TlbConfig{}.validate().empty());
  L2TlbConfig c;
  c.ways = 3;
  c.latency_cycles = 0;
  c.ports = 0;
  CHECK(c.validate().size() == 3);
  ParameterLister lister;
  c = {};
  describe(lister, c);
  CHECK(lister.parameters().size() == 8);
}

}  // namespace tessera::l2_tlb_test
