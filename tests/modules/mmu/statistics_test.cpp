// SPDX-License-Identifier: Apache-2.0
// Which counter each statistic of the blocks of address translation shows.
#include <catch2/catch.hpp>

#include "modules/mmu/l2_tlb.h"
#include "modules/mmu/page_migrator.h"
#include "modules/mmu/page_walker.h"
#include "modules/mmu/uvm_driver.h"
#include "tests/support/statistics_table.h"

namespace tessera::statistics_test {

using namespace tessera::test;

namespace {

constexpr std::uint64_t kPage = 4096;

struct Memory {
  std::unique_ptr<AddressMap> map = make_address_map("fixed-channel", geometry());
  PageTable table{*map};

  static MemoryGeometry geometry() {
    MemoryGeometry g;
    g.channels = 4;
    g.channel_bytes = 64 * kPage;
    return g;
  }
};

}  // namespace

TEST_CASE("the L2 TLB's statistics show its counters, and pages by the SMs that touched them",
          "[statistics]") {
  TransactionPool pool;
  const L2Tlb tlb("tlb", L2TlbConfig{}, kPage, pool, 1);
  StatisticsTable table;
  // The pages are no counters of the TLB's own: nothing is covered byte by byte.
  auto& sharing = const_cast<PageSharing&>(tlb.sharing());
  L2TlbStats& s = table.fields_of(tlb.stats());
  table.counter("hits", s.hits);
  table.counter("misses", s.misses);
  table.counter("merges", s.merges);
  table.counter("evictions", s.evictions);
  table.counter("errors", s.errors);
  table.counter("stalls_mshr", s.stalls_mshr);
  table.counter("stalls_output", s.stalls_output);
  table.histogram("miss_latency", s.miss_latency);
  table.occupancy("mshrs", s.mshrs);
  // Both ends of each band, as often as tells the bands apart.
  std::uint64_t page = 0;
  const auto touch = [&](unsigned pages, unsigned sms) {
    for (const std::uint64_t last = page + pages; page < last; ++page) {
      for (unsigned sm = 0; sm < sms; ++sm) sharing.touch(page, SmId(sm));
    }
  };
  touch(2, 1);
  touch(1, 2);
  touch(2, 10);
  touch(2, 11);
  touch(3, 25);
  touch(3, 26);
  touch(4, 60);
  table.value("pages_of_1_sm", 2);
  table.value("pages_of_2_to_10_sms", 3);
  table.value("pages_of_11_to_25_sms", 5);
  table.value("pages_of_26_or_more_sms", 7);
  table.check(tlb);
}

TEST_CASE("the walkers' statistics show their counters", "[statistics]") {
  Memory memory;
  const PageWalker walker("walker", PageWalkerConfig{}, memory.table);
  StatisticsTable table;
  PageWalkerStats& s = table.fields_of(walker.stats());
  table.counter("walks", s.walks);
  table.counter("faults", s.faults);
  table.counter("errors", s.errors);
  table.histogram("queue_wait", s.queue_wait);
  table.occupancy("active", s.active);
  table.check(walker);
}

TEST_CASE("the UVM driver's statistics show its counters and the page table's", "[statistics]") {
  Memory memory;
  const auto placement = make_policy<PagePlacement>("first-touch");
  const UvmDriver driver("driver", UvmDriverConfig{}, memory.table, *placement, {});
  StatisticsTable table;
  UvmDriverStats& s = table.fields_of(driver.stats());
  table.counter("requests", s.requests);
  table.counter("faults", s.faults);
  table.counter("merges", s.merges);
  table.counter("pages_mapped", s.pages_mapped);
  table.counter("errors", s.errors);
  table.histogram("fault_latency", s.fault_latency);
  table.occupancy("pending", s.pending);
  // 64 pages fill channel 2; the two for which it has no room go to the emptiest one, 3.
  std::uint64_t page = 16;
  const auto place = [&](unsigned pages, unsigned channel) {
    for (unsigned i = 0; i < pages; ++i) memory.table.map(page++, ChannelId(channel));
  };
  place(7, 0);
  place(5, 1);
  place(66, 2);
  place(1, 3);
  table.value("pages_spilled", 2);
  table.value("page_balance", (7 + 5 + 64 + 3) / 4.0 / 64);
  table.value("pages_channel0", 7);
  table.value("pages_channel1", 5);
  table.value("pages_channel2", 64);
  table.value("pages_channel3", 3);
  table.check(driver);
}

namespace {

/// Numbers of pages of its own.
class CountingMoves final : public PageMigrationPolicy {
 public:
  void decide(const PageUse& /*use*/, std::vector<PageMigration>& /*moves*/) override {}
  std::vector<PolicyCounter> counters() const override {
    return {{"class_even", "page", "pages of even numbers", &even_},
            {"class_odd", "page", "pages of odd numbers", &odd_}};
  }

 private:
  std::uint64_t even_ = 24;
  std::uint64_t odd_ = 35;
};

/// What every migrator registers.
void fill(StatisticsTable& table, PageMigratorStats& s) {
  table.counter("intervals", s.intervals);
  table.counter("migrations", s.migrations);
  table.counter("copies", s.copies);
  table.counter("refused", s.refused);
  table.counter("drains", s.drains);
  table.counter("shootdowns", s.shootdowns);
  table.counter("bytes_moved", s.bytes_moved);
  table.counter("stopped_cycles", s.stopped_cycles);
  table.value("class_even", 24);
  table.value("class_odd", 35);
}

}  // namespace

TEST_CASE("the migrator's statistics show its counters and its policy's", "[statistics]") {
  Memory memory;
  const PageMigrator migrator("page_migrator", PageMigratorConfig{},
                              std::make_unique<CountingMoves>(), memory.table, {}, {});
  StatisticsTable table;
  PageMigratorStats& s = table.fields_of(migrator.stats());
  fill(table, s);
  // Where all SMs stop and a batch has any source, these count nothing.
  table.unregistered(s.others_stopped_cycles);
  table.unregistered(s.home_stopped_cycles);
  table.unregistered(s.deferred);
  table.check(migrator);
}

TEST_CASE("a migrator that stops owners alone, and takes one source, shows these counters, too",
          "[statistics]") {
  Memory memory;
  PageMigratorConfig config;
  config.stop = MoveStop::kUsers;
  config.drain = MoveDrain::kOwner;
  config.one_source = true;
  const PageMigrator migrator("page_migrator", config, std::make_unique<CountingMoves>(),
                              memory.table, {}, {});
  StatisticsTable table;
  PageMigratorStats& s = table.fields_of(migrator.stats());
  fill(table, s);
  table.counter("others_stopped_cycles", s.others_stopped_cycles);
  table.counter("home_stopped_cycles", s.home_stopped_cycles);
  table.counter("deferred", s.deferred);
  table.check(migrator);
}

}  // namespace tessera::statistics_test
