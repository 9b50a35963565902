// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_walker.h"

#include <catch2/catch.hpp>

#include "modules/kernel/parameters.h"
#include "modules/kernel/sc_time.h"
#include "tests/modules/mmu/mmu_rig.h"

namespace tessera::page_walker_test {

using namespace tessera::test;

namespace {

/// A TLB, the walkers, and a driver that knows every page as page + 1000.
struct Rig {
  static constexpr std::uint64_t kDriver = 70;

  TransactionPool pool;
  std::unique_ptr<AddressMap> map = make_address_map("fixed-channel", MemoryGeometry{});
  PageTable table{*map};
  ScriptedInitiator tlb{"tlb", pool};
  ProtocolChecker in{"in"};
  PageWalker walker;
  ProtocolChecker out{"out"};
  ScriptedTarget driver;

  explicit Rig(const PageWalkerConfig& config = {}, const ScriptedTargetConfig& d = driver_config())
      : walker("walker", config, table), driver("driver", d) {
    tlb.socket().bind(in.target);
    in.initiator.bind(walker.in);
    walker.driver.bind(out.target);
    out.initiator.bind(driver.socket());
    driver.access = [](tlm::tlm_generic_payload& payload) {
      answer_translation(payload, PageEntry(payload.get_address() + 1000 * kPage));
    };
  }
  static ScriptedTargetConfig driver_config() {
    ScriptedTargetConfig c;
    c.latency = target_latency(500, kDriver);
    c.capacity = 1024;
    return c;
  }
  void run(std::uint64_t cycles = 100'000) { sc_core::sc_start(to_sc_time(edge(cycles))); }
  const ScriptedResult& result(std::size_t i) const { return tlb.result(i); }
  /// Each SM is a home of its own.
  TlbDirectory& directory() {
    table.tlb_directory.enable(2, [](SmId sm) { return ChannelId(sm.value); });
    return table.tlb_directory;
  }
  void check_clean() {
    CHECK(tlb.done());
    CHECK(walker.idle());
    CHECK(pool.live() == 0);
  }
};

}  // namespace

TEST_CASE("walker: a walk takes levels times the latency of a level") {
  Rig rig;
  const std::uint64_t physical = rig.table.map(5, ChannelId(9));
  const auto i = ask(rig.tlb, 100, 5 * kPage + 24);
  rig.run();
  CHECK(rig.result(i).begin_resp == edge(500));
  CHECK(response(rig.result(i)) == physical);
  CHECK(rig.walker.stats().walks == 1);
  CHECK(rig.walker.stats().faults == 0);
  CHECK(rig.driver.arrivals().empty());
  rig.check_clean();
}

TEST_CASE("walker: a walk of one cycle takes one") {
  PageWalkerConfig c;
  c.levels = 1;
  c.level_latency_cycles = 1;
  Rig rig(c);
  rig.table.map(5, ChannelId(9));
  const auto i = ask(rig.tlb, 100, 5 * kPage);
  rig.run();
  CHECK(rig.result(i).begin_resp == edge(101));
}

TEST_CASE("walker: 64 walks at a time, the 65th waits for the first to end") {
  PageWalkerConfig c;
  c.queue_depth = 128;
  Rig rig(c);
  std::vector<std::size_t> asked;
  for (std::uint64_t page = 0; page < 65; ++page) {
    rig.table.map(page, ChannelId(0));
    asked.push_back(rig.tlb.add(translation(edge(100) - 1000, page * kPage)));
  }
  rig.run();
  // All are there at cycle 100; responses leave one a cycle.
  for (unsigned i = 0; i < 64; ++i) CHECK(rig.result(asked[i]).begin_resp == edge(500 + i));
  CHECK(rig.result(asked[64]).begin_resp == edge(900));
  CHECK(rig.walker.stats().active.max() == 64);
  CHECK(rig.walker.stats().queue_wait.max() == 400);
  rig.check_clean();
}

TEST_CASE("walker: a fault goes to the driver, and its walker is free for another walk") {
  PageWalkerConfig c;
  c.concurrent_walks = 1;
  Rig rig(c);
  const std::uint64_t physical = rig.table.map(6, ChannelId(0));
  const auto fault = ask(rig.tlb, 100, 5 * kPage);
  const auto walk = ask(rig.tlb, 101, 6 * kPage);
  rig.run();
  REQUIRE(rig.driver.arrivals().size() == 1);
  CHECK(rig.driver.arrivals()[0].at == edge(500));
  CHECK(rig.driver.arrivals()[0].address == 5 * kPage);
  CHECK(rig.result(fault).begin_resp == edge(500 + Rig::kDriver + 1));
  CHECK(response(rig.result(fault)) == 1005 * kPage);
  CHECK(rig.result(walk).begin_resp == edge(900));
  CHECK(response(rig.result(walk)) == physical);
  CHECK(rig.walker.stats().faults == 1);
  rig.check_clean();
}

TEST_CASE("walker: a driver that is full keeps the walkers") {
  PageWalkerConfig c;
  c.concurrent_walks = 1;
  ScriptedTargetConfig d = Rig::driver_config();
  d.capacity = 1;
  Rig rig(c, d);
  rig.table.map(7, ChannelId(0));
  ask(rig.tlb, 100, 5 * kPage);
  ask(rig.tlb, 101, 6 * kPage);
  const auto walk = ask(rig.tlb, 102, 7 * kPage);
  rig.run();
  REQUIRE(rig.driver.arrivals().size() == 2);
  CHECK(rig.driver.arrivals()[0].at == edge(500));
  // The first holds the driver's only place until its response at 570; the second, walked from
  // 500 to 900, finds it free.
  CHECK(rig.driver.arrivals()[1].at == edge(900));
  CHECK(rig.result(walk).begin_resp == edge(1300));
  rig.check_clean();
}

TEST_CASE("walker: a result that cannot leave holds its walker") {
  PageWalkerConfig c;
  c.concurrent_walks = 1;
  Rig rig(c);
  for (std::uint64_t page = 0; page < 3; ++page) rig.table.map(page, ChannelId(0));
  rig.tlb.stall_responses_until(edge(1999));
  std::vector<std::size_t> asked;
  for (std::uint64_t page = 0; page < 3; ++page) asked.push_back(ask(rig.tlb, 100, page * kPage));
  rig.run();
  CHECK(rig.result(asked[0]).begin_resp == edge(500));
  // Walked by 900, but its response may arrive when the first one's END_RESP takes effect.
  CHECK(rig.result(asked[1]).begin_resp >= edge(1999));
  CHECK(rig.result(asked[1]).begin_resp <= edge(2001));
  CHECK(rig.result(asked[2]).begin_resp == rig.result(asked[1]).begin_resp + edge(400));
  rig.check_clean();
}

TEST_CASE("walker: conformance, with a reset in flight") {
  PageWalkerConfig c;
  c.concurrent_walks = 3;
  c.level_latency_cycles = 5;
  c.queue_depth = 2;
  ScriptedTargetConfig d = Rig::driver_config();
  d.style = RequestStyle::kRandom;
  d.random_latency = ns(100);
  d.capacity = 2;
  Rig rig(c, d);
  for (std::uint64_t page = 0; page < 32; ++page) rig.table.map(2 * page, ChannelId(0));
  ConformanceRig all;
  all.block = &rig.walker;
  all.pool = &rig.pool;
  all.initiators = {&rig.tlb};
  all.targets = {&rig.driver};
  all.checkers = {&rig.in, &rig.out};
  ConformanceTraffic traffic;
  traffic.requests_per_port = 1000;
  traffic.line_bytes = kPage;
  traffic.stores = 0;
  traffic.masked = 0;
  traffic.adjust = [](ScriptedRequest& r, std::mt19937_64&) {
    r = translation(r.at, r.address, r.port);
  };
  run_conformance(all, traffic);
}

TEST_CASE("walker: a configuration's faults are all named") {
  CHECK(PageWalkerConfig{}.validate().empty());
  PageWalkerConfig c;
  c.levels = 0;
  c.queue_depth = 0;
  CHECK(c.validate().size() == 2);
  ParameterLister lister;
  c = {};
  describe(lister, c);
  CHECK(lister.parameters().size() == 5);
}

TEST_CASE("walker: a walk for a page on its way ends when the page has arrived") {
  Rig rig;
  const std::uint64_t physical = rig.table.map(5, ChannelId(9));
  rig.table.map(6, ChannelId(9));
  rig.table.map(7, ChannelId(9));
  rig.table.arrives(5, edge(900) - 1000);  // between edges: there at 900
  rig.table.arrives(6, edge(500));         // as early as the walk's own end
  const auto late = ask(rig.tlb, 100, 5 * kPage);
  const auto in_time = ask(rig.tlb, 100, 6 * kPage);
  const auto other = ask(rig.tlb, 100, 7 * kPage);
  rig.run();
  CHECK(rig.result(late).begin_resp == edge(900));
  CHECK(response(rig.result(late)) == physical);
  CHECK(rig.result(in_time).begin_resp == edge(500));
  CHECK(rig.result(other).begin_resp == edge(501));
  rig.check_clean();
}

TEST_CASE("walker: a held walk frees its walker and ends at the edge after the end of the hold") {
  PageWalkerConfig c;
  c.concurrent_walks = 1;
  Rig rig(c);
  TlbDirectory& tlbs = rig.directory();
  const std::uint64_t five = rig.table.map(5, ChannelId(0));
  rig.table.map(6, ChannelId(0));
  tlbs.record(5, SmId(1));
  tlbs.hold({5}, 0);
  const auto held = ask(rig.tlb, 100, 5 * kPage);
  const auto other = ask(rig.tlb, 101, 6 * kPage);
  sc_core::sc_start(to_sc_time(edge(2000)));
  // 400 cycles each. The second walk has the only walker as soon as the first is held.
  CHECK(rig.result(other).begin_resp == edge(500 + 400));
  CHECK(rig.result(held).begin_resp == kNever);
  CHECK_FALSE(rig.walker.idle());
  std::vector<Waiting> waiting;
  rig.walker.describe_waiting(waiting);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].queue == "walker.held");
  CHECK_FALSE(tlbs.holds(ChannelId(0), 5));
  tlbs.release(now());
  rig.run();
  // The result leaves at the first edge after the end of the hold.
  CHECK(rig.result(held).begin_resp == edge(2002));
  CHECK(response(rig.result(held)) == five);
  CHECK(tlbs.holds(ChannelId(0), 5));
  rig.check_clean();
}

TEST_CASE("walker: a walk of an SM that stops for the page is not held") {
  Rig rig;
  TlbDirectory& tlbs = rig.directory();
  rig.table.map(5, ChannelId(0));
  tlbs.record(5, SmId(0));
  tlbs.hold({5}, 0);
  const auto i = ask(rig.tlb, 100, 5 * kPage);
  rig.run();
  CHECK(rig.result(i).begin_resp == edge(500));
  rig.check_clean();
}

TEST_CASE("walker: after the hold, a walk waits for the arrival of its page") {
  Rig rig;
  TlbDirectory& tlbs = rig.directory();
  rig.table.map(5, ChannelId(0));
  tlbs.hold({5}, 0);
  const auto i = ask(rig.tlb, 100, 5 * kPage);
  sc_core::sc_start(to_sc_time(edge(1000)));
  rig.table.arrives(5, edge(1500) - 3);
  tlbs.release(now());
  rig.run();
  CHECK(rig.result(i).begin_resp == edge(1500));
  rig.check_clean();
}

}  // namespace tessera::page_walker_test
