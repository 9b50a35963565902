// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/uvm_driver.h"

#include <catch2/catch.hpp>
#include <map>

#include "common/json.h"
#include "modules/kernel/parameters.h"
#include "modules/kernel/sc_time.h"
#include "tests/modules/mmu/mmu_rig.h"

namespace tessera::uvm_driver_test {

using namespace tessera::test;

namespace {

constexpr std::uint64_t kFault = 28'000;  // 20 us at 1.4 GHz

/// A walker, and the driver; pages 16 to 1023 are allocated.
struct Rig {
  TransactionPool pool;
  std::unique_ptr<AddressMap> map;
  PageTable table;
  std::unique_ptr<PagePlacement> placement;
  ScriptedInitiator walker{"walker", pool};
  ProtocolChecker in{"in"};
  UvmDriver driver;

  explicit Rig(const UvmDriverConfig& config = {}, const std::string& policy = "first-touch",
               const MemoryGeometry& geometry = {},
               const std::string& address_map = "fixed-channel")
      : map(make_address_map(address_map, geometry)),
        table(*map),
        placement(make_policy<PagePlacement>(policy)),
        driver("driver", config, table, *placement,
               {[](SmId sm) { return ChannelId(sm.value / 2); },
                [](std::uint64_t address) {
                  return address >= 16 * kPage && address < 1024 * kPage;
                }}) {
    walker.socket().bind(in.target);
    in.initiator.bind(driver.in);
  }
  std::size_t ask_as(unsigned sm, std::uint64_t cycle, std::uint64_t page) {
    ScriptedRequest r = translation(edge(cycle) - 1, page * kPage);
    r.prepare = [sm](Transaction& t) {
      t.request().kind = RequestKind::kTranslation;
      t.request().requester = SmId(sm);
    };
    return walker.add(std::move(r));
  }
  void run(std::uint64_t cycles = 200'000) { sc_core::sc_start(to_sc_time(edge(cycles))); }
  const ScriptedResult& result(std::size_t i) const { return walker.result(i); }
  void check_clean() {
    CHECK(walker.done());
    CHECK(driver.idle());
    CHECK(pool.live() == 0);
  }
};

UvmDriverConfig prefaulted() {
  UvmDriverConfig c;
  c.mode = FaultMode::kPrefaulted;
  return c;
}

void place_by_software(const UvmDriverConfig& config) {
  Rig rig(config);
  std::vector<PageFault> faults;
  rig.driver.hand_faults_to([&](const PageFault& f) { faults.push_back(f); });
  const auto i = rig.ask_as(9, 100, 20);
  const auto merged = rig.ask_as(2, 200, 20);
  sc_core::sc_start(to_sc_time(edge(1000) + 7));
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].page == 20);
  CHECK(faults[0].toucher == RequesterId(SmId(9)));
  CHECK(faults[0].local == ChannelId(4));
  CHECK_FALSE(rig.driver.idle());
  std::vector<Waiting> waiting;
  rig.driver.describe_waiting(waiting);
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].queue == "driver.software");
  CHECK(rig.result(i).begin_resp == kNever);
  rig.driver.place(20, ChannelId(1));
  rig.run();
  CHECK(rig.result(i).begin_resp == edge(1002));
  CHECK(rig.result(merged).begin_resp == edge(1003));
  CHECK(rig.map->locate(response(rig.result(i))).channel == ChannelId(1));
  CHECK(rig.driver.stats().faults == 1);
  rig.check_clean();
}

}  // namespace

TEST_CASE("UVM driver: a fault takes 20 us and places the page with its toucher") {
  Rig rig;
  std::vector<std::uint64_t> mapped;
  rig.driver.on_page_mapped = [&](std::uint64_t page, std::uint64_t physical) {
    mapped.push_back(page);
    CHECK(rig.table.translate(page * kPage) == physical);
    CHECK(now() == edge(100 + kFault - 1));
  };
  const auto i = rig.ask_as(9, 100, 20);
  rig.run();
  CHECK(rig.result(i).begin_resp == edge(100 + kFault));
  CHECK(rig.map->locate(response(rig.result(i))).channel == ChannelId(4));
  CHECK(mapped == std::vector<std::uint64_t>{20});
  CHECK(rig.driver.translate(20 * kPage + 5) == response(rig.result(i)) + 5);
  CHECK(rig.driver.stats().faults == 1);
  CHECK(rig.driver.stats().pages_mapped == 1);
  CHECK(rig.driver.stats().fault_latency.sum() == 20'000);
  rig.check_clean();
}

TEST_CASE("UVM driver: faults on one page merge, the first toucher decides") {
  Rig rig;
  const auto a = rig.ask_as(6, 100, 20);
  const auto b = rig.ask_as(8, 300, 20);
  const auto later = rig.ask_as(8, 60'000, 20);
  rig.run();
  CHECK(rig.result(a).begin_resp == edge(100 + kFault));
  CHECK(rig.result(b).begin_resp == edge(100 + kFault + 1));  // one response a cycle
  CHECK(rig.result(later).begin_resp == edge(60'001));
  CHECK(response(rig.result(a)) == response(rig.result(b)));
  CHECK(response(rig.result(a)) == response(rig.result(later)));
  CHECK(rig.map->locate(response(rig.result(a))).channel == ChannelId(3));
  CHECK(rig.driver.stats().faults == 1);
  CHECK(rig.driver.stats().merges == 1);
  rig.check_clean();
}

TEST_CASE("UVM driver: faults are handled side by side unless that is limited") {
  UvmDriverConfig c;
  c.concurrent_faults = 2;
  Rig rig(c);
  std::vector<std::size_t> i;
  for (std::uint64_t page = 0; page < 5; ++page) i.push_back(rig.ask_as(0, 100 + page, 20 + page));
  rig.run();
  CHECK(rig.result(i[0]).begin_resp == edge(100 + kFault));
  CHECK(rig.result(i[1]).begin_resp == edge(101 + kFault));
  CHECK(rig.result(i[2]).begin_resp == edge(100 + 2 * kFault));
  CHECK(rig.result(i[3]).begin_resp == edge(101 + 2 * kFault));
  CHECK(rig.result(i[4]).begin_resp == edge(100 + 3 * kFault));
  CHECK(rig.driver.stats().pending.max() == 5);
  rig.check_clean();
}

TEST_CASE("UVM driver: without a limit no fault waits for another") {
  Rig rig;
  std::vector<std::size_t> i;
  for (std::uint64_t page = 0; page < 50; ++page) i.push_back(rig.ask_as(0, 100 + page, 20 + page));
  rig.run();
  for (std::uint64_t n = 0; n < 50; ++n)
    CHECK(rig.result(i[n]).begin_resp == edge(100 + n + kFault));
}

TEST_CASE("UVM driver: with one fault entry the next page waits, in the queue") {
  UvmDriverConfig c;
  c.fault_entries = 1;
  Rig rig(c);
  const auto a = rig.ask_as(0, 100, 20);
  const auto b = rig.ask_as(0, 101, 21);
  rig.run();
  CHECK(rig.result(a).begin_resp == edge(100 + kFault));
  CHECK(rig.result(b).begin_resp == edge(100 + kFault - 1 + kFault));  // entry free a cycle before
  rig.check_clean();
}

TEST_CASE("UVM driver: a fault latency that is no whole number of cycles ends at the next edge") {
  UvmDriverConfig c;
  c.fault_latency_ns = 1;  // 1.4 cycles
  Rig rig(c);
  const auto a = rig.ask_as(0, 100, 20);
  rig.run();
  CHECK(rig.result(a).begin_resp == edge(102));
}

TEST_CASE("UVM driver: prefaulted pages cost a cycle and ask the placement all the same") {
  Rig rig(prefaulted());
  const auto a = rig.ask_as(9, 100, 20);
  rig.run();
  CHECK(rig.result(a).begin_resp == edge(101));
  CHECK(rig.map->locate(response(rig.result(a))).channel == ChannelId(4));
  CHECK(rig.driver.stats().faults == 0);
  CHECK(rig.driver.stats().pages_mapped == 1);
  // A walk finds its page mapped.
  CHECK_FALSE(rig.table.translate(30 * kPage));
  const auto walked = rig.table.walk(30 * kPage, SmId(20));
  REQUIRE(walked);
  CHECK(rig.map->locate(*walked).channel == ChannelId(10));
  CHECK_FALSE(rig.table.walk(5 * kPage, SmId(20)));
}

TEST_CASE("UVM driver: software places a page") { place_by_software({}); }

TEST_CASE("UVM driver: software places a page, mode prefaulted") {
  place_by_software(prefaulted());
}

TEST_CASE("UVM driver: without software the policy handles what waited for it") {
  Rig rig;
  unsigned faults = 0;
  rig.driver.hand_faults_to([&](const PageFault&) { ++faults; });
  const auto i = rig.ask_as(9, 100, 20);
  sc_core::sc_start(to_sc_time(edge(1000)));
  rig.driver.hand_faults_to(nullptr);
  rig.run();
  CHECK(faults == 1);
  CHECK(rig.result(i).begin_resp == edge(1000 + kFault));
  CHECK(rig.map->locate(response(rig.result(i))).channel == ChannelId(4));
  rig.check_clean();
}

TEST_CASE("UVM driver: an address in no allocation is an address error") {
  Rig rig;
  const auto below = rig.ask_as(0, 100, 15);
  const auto above = rig.ask_as(0, 200, 1024);
  rig.run();
  CHECK(rig.result(below).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.result(above).status == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(rig.result(below).begin_resp == edge(101));
  CHECK(rig.driver.stats().errors == 2);
  CHECK(rig.driver.stats().pages_mapped == 0);
}

TEST_CASE("UVM driver: round-robin spreads pages evenly and the statistics say so") {
  Rig rig(prefaulted(), "round-robin");
  for (std::uint64_t page = 0; page < 64; ++page) rig.ask_as(0, 100 + page, 20 + page);
  rig.run();
  for (const auto pages : rig.table.pages_per_channel()) CHECK(pages == 2);
  StatisticsRegistry registry;
  rig.driver.register_statistics(registry);
  const auto json = registry.to_json();
  CHECK(json["driver"]["page_balance"] == 1.0);
  CHECK(json["driver"]["pages_channel31"] == 2.0);
  CHECK(json["driver"]["pages_mapped"] == 64);
}

TEST_CASE("UVM driver: a page placed before its first access costs no fault and stays") {
  Rig rig;
  rig.driver.place(20, ChannelId(7));
  rig.driver.place(20, ChannelId(5));
  CHECK_THROWS_WITH(rig.driver.place(8, ChannelId(0)),
                    "page 8 cannot be placed: it is in no allocation");
  CHECK_THROWS_WITH(rig.driver.place(21, ChannelId(32)),
                    "page 21 cannot be placed in memory 32: the platform has 32");
  const auto i = rig.ask_as(9, 100, 20);
  rig.run();
  CHECK(rig.result(i).begin_resp == edge(101));
  CHECK(rig.map->locate(response(rig.result(i))).channel == ChannelId(7));
  CHECK(rig.driver.stats().faults == 0);
  CHECK(rig.driver.stats().pages_mapped == 1);
  rig.check_clean();
}

TEST_CASE("UVM driver: under pae pages come in turn") {
  Rig rig(prefaulted(), "first-touch", {}, "pae");
  std::vector<std::size_t> i;
  for (std::uint64_t page = 0; page < 20; ++page)
    i.push_back(rig.ask_as(3, 100 + page, 500 - page));
  rig.run();
  for (std::uint64_t n = 0; n < 20; ++n) CHECK(response(rig.result(i[n])) == n * kPage);
  CHECK(rig.table.mapped_pages() == 20);
}

TEST_CASE("UVM driver: full memory ends the run with a remedy") {
  MemoryGeometry g;
  g.channels = 1;
  g.banks_per_channel = 2;
  g.channel_bytes = 2 * kPage;
  Rig rig(prefaulted(), "round-robin", g);
  CHECK(rig.driver.touch(20 * kPage, SmId(0)));
  CHECK(rig.driver.touch(21 * kPage, SmId(0)));
  CHECK(rig.driver.touch(20 * kPage, SmId(0)));
  CHECK_THROWS_WITH(
      rig.driver.touch(22 * kPage, SmId(0)),
      Catch::Contains("/tessera/mmu/out_of_memory") && Catch::Contains("Enlarge the memory"));
}

TEST_CASE("UVM driver: b_transport takes the fault's time, transport_dbg places nothing") {
  Rig rig;
  rig.run(10);
  Transaction& t = rig.pool.acquire();
  const auto call = [&](bool debug) {
    t.set_line(tlm::TLM_READ_COMMAND, 20 * kPage + 16, kTranslationBytes);
    t.request().kind = RequestKind::kTranslation;
    t.request().requester = SmId(4);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (debug) return Tick{rig.walker.socket()->transport_dbg(t)};
    rig.walker.socket()->b_transport(t, delay);
    return Tick{delay.value()};
  };
  CHECK(call(true) == 0);
  CHECK(rig.table.mapped_pages() == 0);
  CHECK(call(false) == us(20));
  CHECK(rig.map->locate(translation_of(t).physical()).channel == ChannelId(2));
  CHECK(translation_of(t).physical() % kPage == 0);
  CHECK(call(false) == edge(1));
  CHECK(call(true) == kTranslationBytes);
  t.release();
}

TEST_CASE("UVM driver: conformance, with a reset in flight") {
  UvmDriverConfig c;
  c.fault_latency_ns = 300;
  c.concurrent_faults = 3;
  c.fault_entries = 4;
  c.queue_depth = 2;
  Rig rig(c);
  ConformanceRig all;
  all.block = &rig.driver;
  all.pool = &rig.pool;
  all.initiators = {&rig.walker};
  all.checkers = {&rig.in};
  ConformanceTraffic traffic;
  traffic.requests_per_port = 1000;
  traffic.base = 16 * kPage;
  traffic.lines = 500;
  traffic.line_bytes = kPage;
  traffic.stores = 0;
  traffic.masked = 0;
  traffic.adjust = [](ScriptedRequest& r, std::mt19937_64&) {
    r = translation(r.at, r.address, r.port);
  };
  run_conformance(all, traffic);
  CHECK(rig.table.mapped_pages() == rig.driver.stats().pages_mapped);
}

TEST_CASE("UVM driver: a configuration's faults are all named") {
  CHECK(UvmDriverConfig{}.validate().empty());
  UvmDriverConfig c;
  c.fault_entries = 0;
  c.queue_depth = 0;
  CHECK(c.validate().size() == 2);
  ParameterReader reader({{"mode", "prefaulted", "--set"}, {"fault_latency_ns", 5, "--set"}});
  c = {};
  describe(reader, c);
  reader.throw_if_failed();
  CHECK(c.mode == FaultMode::kPrefaulted);
  CHECK(c.fault_latency_ns == 5);
}

}  // namespace tessera::uvm_driver_test
