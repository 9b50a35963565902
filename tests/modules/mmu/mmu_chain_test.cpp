// SPDX-License-Identifier: Apache-2.0
// SM -> L2 TLB -> walkers -> UVM driver, wired as a platform wires them.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "modules/kernel/sc_time.h"
#include "modules/mmu/l2_tlb.h"
#include "modules/mmu/page_walker.h"
#include "modules/mmu/uvm_driver.h"
#include "tests/modules/mmu/mmu_rig.h"

namespace tessera::mmu_chain_test {

using namespace tessera::test;

namespace {

constexpr std::uint64_t kBase = std::uint64_t{1} << 32;
constexpr std::uint64_t kAllocatedPages = 400;

struct ChainConfig {
  L2TlbConfig tlb;
  PageWalkerConfig walker;
  UvmDriverConfig driver;
  std::string placement = "first-touch";
};

struct Chain {
  TransactionPool pool;
  std::unique_ptr<AddressMap> map = make_address_map("fixed-channel", MemoryGeometry{});
  PageTable table{*map};
  std::unique_ptr<PagePlacement> placement;
  ScriptedInitiator sms;
  Checkers checkers;
  L2Tlb tlb;
  ProtocolChecker to_walker{"to_walker"};
  PageWalker walker;
  ProtocolChecker to_driver{"to_driver"};
  UvmDriver driver;

  Chain(const ChainConfig& c, const ScriptedInitiatorConfig& i)
      : placement(make_policy<PagePlacement>(c.placement)),
        sms("sms", pool, i),
        checkers("checker", i.ports),
        tlb("tlb", c.tlb, kPage, pool, i.ports),
        walker("walker", c.walker, table),
        driver(
            "driver", c.driver, table, *placement,
            {[](SmId sm) { return ChannelId(sm.value); },
             [](std::uint64_t a) { return a >= kBase && a < kBase + kAllocatedPages * kPage; }}) {
    for (unsigned p = 0; p < i.ports; ++p) {
      sms.socket(p).bind(checkers[p].target);
      checkers[p].initiator.bind(tlb.in[p]);
    }
    tlb.walker.bind(to_walker.target);
    to_walker.initiator.bind(walker.in);
    walker.driver.bind(to_driver.target);
    to_driver.initiator.bind(driver.in);
  }
  bool idle() const { return tlb.idle() && walker.idle() && driver.idle(); }
};

ScriptedInitiatorConfig sms_of(unsigned ports) {
  ScriptedInitiatorConfig c;
  c.ports = ports;
  return c;
}

}  // namespace

TEST_CASE("MMU: a first touch takes TLB + walk + fault and a cycle for each response on its way") {
  Chain mmu({}, sms_of(3));
  const auto first = ask(mmu.sms, 100, kBase + 8 * kPage, 2);
  const auto again = ask(mmu.sms, 40'000, kBase + 8 * kPage, 0);
  sc_core::sc_start(to_sc_time(us(100)));
  CHECK(mmu.sms.result(first).begin_resp == edge(100 + 10 + 400 + 28'000 + 1 + 1));
  CHECK(mmu.sms.result(again).begin_resp == edge(40'010));
  CHECK(mmu.map->locate(response(mmu.sms.result(first))).channel == ChannelId(2));
  CHECK(response(mmu.sms.result(again)) == response(mmu.sms.result(first)));
  CHECK(mmu.idle());
  CHECK(mmu.pool.live() == 0);
}

TEST_CASE("MMU: a prefaulted first touch takes TLB + walk") {
  ChainConfig c;
  c.driver.mode = FaultMode::kPrefaulted;
  Chain mmu(c, sms_of(3));
  const auto first = ask(mmu.sms, 100, kBase + 8 * kPage, 2);
  const auto wild = ask(mmu.sms, 2000, kBase - kPage, 1);
  sc_core::sc_start(to_sc_time(us(100)));
  CHECK(mmu.sms.result(first).begin_resp == edge(100 + 10 + 400 + 1));
  CHECK(mmu.map->locate(response(mmu.sms.result(first))).channel == ChannelId(2));
  CHECK(mmu.walker.stats().faults == 1);  // the wild one
  CHECK(mmu.sms.result(wild).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(mmu.sms.result(wild).begin_resp == edge(2000 + 10 + 400 + 1 + 1 + 1));
}

TEST_CASE("MMU: b_transport through the chain adds up to the same time") {
  Chain mmu({}, sms_of(3));
  sc_core::sc_start(to_sc_time(ns(1)));
  Transaction& t = mmu.pool.acquire();
  t.set_line(tlm::TLM_READ_COMMAND, kBase, kTranslationBytes);
  t.request().kind = RequestKind::kTranslation;
  t.request().requester = SmId(1);
  CHECK(mmu.sms.socket(1)->transport_dbg(t) == 0);
  t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  mmu.sms.socket(1)->b_transport(t, delay);
  // Each part is rounded to a femtosecond of its own.
  CHECK(delay.value() + 5 > edge(10 + 400 + 28'000 + 1 + 1));
  CHECK(delay.value() < edge(10 + 400 + 28'000 + 1 + 1) + 5);
  CHECK(mmu.sms.socket(1)->transport_dbg(t) == kTranslationBytes);
  t.release();
}

TEST_CASE("MMU: random SMs, pages and stalls get consistent translations") {
  ChainConfig c;
  c.tlb.entries = 64;
  c.tlb.ways = 4;
  c.tlb.mshr_entries = 6;
  c.walker.concurrent_walks = 4;
  c.walker.queue_depth = 2;
  c.driver.fault_latency_ns = 500;
  c.driver.concurrent_faults = 2;
  c.driver.fault_entries = 3;
  ScriptedInitiatorConfig i = sms_of(8);
  i.style = ResponseStyle::kRandom;
  i.random_stall = ns(20);
  Chain mmu(c, i);
  std::map<std::uint64_t, std::uint64_t> mapped;
  mmu.driver.on_page_mapped = [&](std::uint64_t page, std::uint64_t physical) {
    CHECK(mapped.emplace(page, physical).second);
  };
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> pages;
  std::vector<unsigned> ports;
  for (unsigned port = 0; port < 8; ++port) {
    Tick at = 0;
    for (unsigned n = 0; n < 800; ++n) {
      at += random() % ns(30);
      // Some lie just outside.
      const std::uint64_t page = kBase / kPage + random() % (kAllocatedPages + 4);
      pages.push_back(page);
      ports.push_back(port);
      mmu.sms.add(translation(at, page * kPage, port));
    }
  }
  sc_core::sc_start(to_sc_time(us(2000)));
  REQUIRE(mmu.sms.done());
  REQUIRE(mmu.idle());
  REQUIRE(mmu.pool.live() == 0);
  std::map<std::uint64_t, std::set<unsigned>> touchers;
  for (std::size_t n = 0; n < pages.size(); ++n) touchers[pages[n]].insert(ports[n]);
  std::set<std::uint64_t> physical;
  for (std::size_t n = 0; n < pages.size(); ++n) {
    const ScriptedResult& r = mmu.sms.result(n);
    REQUIRE(r.responses == 1);
    if (pages[n] >= kBase / kPage + kAllocatedPages) {
      REQUIRE(r.status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
      continue;
    }
    REQUIRE(r.status == tlm::TLM_OK_RESPONSE);
    REQUIRE(response(r) == mapped.at(pages[n]));
    REQUIRE(mmu.table.translate(pages[n] * kPage) == response(r));
    REQUIRE(touchers[pages[n]].count(mmu.map->locate(response(r)).channel.value) == 1);
    physical.insert(response(r));
  }
  CHECK(physical.size() == mapped.size());
  CHECK(mmu.table.mapped_pages() == mapped.size());
  const L2TlbStats& s = mmu.tlb.stats();
  CHECK(s.hits + s.misses + s.merges == pages.size());
  CHECK(mmu.walker.stats().walks == s.misses);
  CHECK(mmu.driver.stats().requests == mmu.walker.stats().faults);
  CHECK(mmu.driver.stats().pages_mapped == mapped.size());
}

TEST_CASE("MMU: everything is reset together, and a second run is the first one again") {
  ChainConfig c;
  c.placement = "first-touch";
  Chain mmu(c, sms_of(4));
  const auto play = [&](std::uint64_t start) {
    std::vector<std::size_t> asked;
    for (unsigned n = 0; n < 100; ++n) {
      asked.push_back(ask(mmu.sms, start + 5 * n, kBase + n * 7 % 50 * kPage, n % 4));
    }
    return asked;
  };
  play(70'000);
  sc_core::sc_start(to_sc_time(edge(70'000 + 1000)));  // faults are pending
  CHECK_FALSE(mmu.idle());
  mmu.sms.reset();
  mmu.tlb.reset();
  mmu.walker.reset();
  mmu.driver.reset();
  for (unsigned p = 0; p < 4; ++p) mmu.checkers[p].reset();
  mmu.to_walker.reset();
  mmu.to_driver.reset();
  CHECK(mmu.pool.live() == 0);
  CHECK(mmu.idle());
  CHECK(mmu.table.mapped_pages() == 0);
  std::vector<std::vector<std::uint64_t>> seen;
  for (const std::uint64_t start : {140'000, 280'000}) {
    const auto asked = play(start);
    sc_core::sc_start(to_sc_time(edge(start + 70'000) - now()));
    REQUIRE(mmu.sms.done());
    seen.emplace_back();
    for (const auto i : asked) {
      seen.back().push_back(kCore.cycle_at(mmu.sms.result(i).begin_resp) - start);
      seen.back().push_back(response(mmu.sms.result(i)));
    }
    mmu.sms.reset();
    mmu.tlb.reset();
    mmu.walker.reset();
    mmu.driver.reset();
  }
  CHECK(seen[0] == seen[1]);
}

}  // namespace tessera::mmu_chain_test
