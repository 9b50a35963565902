// SPDX-License-Identifier: Apache-2.0
#include "modules/memory/dram_scheduler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <random>

#include "tests/modules/memory/scheduler_bench.h"
#include "tests/support/policy_settings.h"

namespace tessera::dram_scheduler_test {

using namespace tessera::test;

namespace {

/// Everything at its minimum, so that one constraint at a time can be made to bind.
DramConfig loose() {
  DramConfig c;
  c.t_rc = c.t_rcd = c.t_rp = c.t_ras = c.t_rrd_l = c.t_rrd_s = c.t_faw = c.t_rtp = 1;
  c.t_wtr_l = c.t_wtr_s = c.t_wr = c.t_rtw = 0;
  return c;
}

}  // namespace

TEST_CASE("a lone read of a closed bank takes RCD, CL, burst and the command clock") {
  Bench b;
  b.read(10, 3, 5);
  b.run();
  CHECK(b.cycles(Kind::kActivate) == Cycles{10});
  CHECK(b.cycles(Kind::kRead) == Cycles{17, 18});
  CHECK(b.data_end[0] == 10 + 7 + 1 + 7 + 2);
  CHECK(b.counts.row_misses == 1);
  CHECK(b.wakes == 2);
}

TEST_CASE("a lone read of an open row takes CL, burst and the command clock") {
  Bench b;
  b.read(0, 3, 5);
  b.read(100, 3, 5);
  b.run();
  CHECK(b.data_end[1] == 100 + 1 + 7 + 2);
  CHECK(b.counts.row_hits == 1);
}

TEST_CASE("a lone read of another row takes RP more than of a closed bank") {
  Bench b;
  b.read(0, 3, 5);
  b.read(100, 3, 6);
  b.run();
  CHECK(b.cycles(Kind::kPrecharge) == Cycles{100});
  CHECK(b.cycles(Kind::kActivate) == Cycles{0, 107});
  CHECK(b.data_end[1] == 100 + 7 + 7 + 1 + 7 + 2);
  CHECK(b.counts.row_conflicts == 1);
}

TEST_CASE("a lone write takes RCD, WL, burst and the command clock") {
  Bench b;
  b.write(10, 3, 5);
  b.run();
  CHECK(b.cycles(Kind::kWrite) == Cycles{17, 18});
  CHECK(b.data_end[0] == 10 + 7 + 1 + 2 + 2);
}

TEST_CASE("kept closed, a row is precharged with its last column") {
  DramConfig c;
  c.row_policy = RowPolicy::kClosed;
  Bench b(c);
  b.read(0, 3, 5);
  b.read(100, 3, 6);
  b.run();
  CHECK(b.cycles(Kind::kAutoPrecharge) == Cycles{17, 117});
  CHECK(b.data_end[1] == 100 + 7 + 1 + 7 + 2);
  CHECK(b.counts.row_misses == 2);
}

TEST_CASE("ACTs of one bank group are tRRD_l apart, of two groups tRRD_s") {
  Bench same;
  same.read(0, 0, 1);
  same.read(0, 1, 1);
  same.run();
  CHECK(same.cycles(Kind::kActivate) == Cycles{0, 5});
}

TEST_CASE("ACTs of two bank groups are tRRD_s apart, and the earlier legal one goes first") {
  Bench b;
  b.read(0, 0, 1);
  b.read(0, 1, 1);  // legal at 5, then at 8
  b.read(0, 4, 1);  // legal at 4
  b.run();
  CHECK(b.cycles(Kind::kActivate, 4) == Cycles{4});
  CHECK(b.cycles(Kind::kActivate, 1) == Cycles{8});
}

TEST_CASE("a fifth ACT waits for tFAW") {
  DramConfig c;
  c.t_faw = 37;
  Bench b(c);
  for (const std::uint32_t bank : {0, 4, 8, 12, 1, 5}) b.read(0, bank, 1);
  b.run();
  CHECK(b.cycles(Kind::kActivate) == Cycles{0, 4, 8, 12, 37, 41});
}

TEST_CASE("columns of one bank group are tCCD_l apart, of two groups tCCD_s") {
  DramConfig c;
  c.t_ccd_l = 5;
  c.t_ccd_s = 3;
  Bench b(c);
  b.read(0, 0, 1);
  b.read(0, 1, 1);
  b.read(0, 4, 1);
  b.read(100, 0, 1);
  b.read(100, 1, 1);
  b.run();
  CHECK(b.cycles(Kind::kRead, 0) == Cycles{7, 12, 100, 105});
  CHECK(b.cycles(Kind::kRead, 1).back() == 115);
  CHECK(b.cycles(Kind::kRead, 1)[2] == 110);
  CHECK(b.data_end[3] == 100 + 1 + 7 + 5 + 1);

  Bench other(c);
  other.read(0, 0, 1);
  other.read(0, 4, 1);
  other.read(100, 0, 1);
  other.read(100, 4, 1);
  other.run();
  CHECK(other.cycles(Kind::kRead, 4)[2] == 108);
}

TEST_CASE("columns of several data clocks keep the data bus to themselves") {
  DramConfig c;
  c.bus_bytes_per_clock = 16;
  c.burst_clocks = 4;
  c.t_ccd_l = 4;
  c.t_ccd_s = 2;  // shorter than the data
  Bench b(c);
  b.read(0, 0, 1);
  b.read(0, 4, 1);
  b.read(100, 0, 1);
  b.read(100, 4, 1);
  b.run();
  CHECK(b.cycles(Kind::kRead, 0)[2] == 100);
  CHECK(b.cycles(Kind::kRead, 0)[3] == 104);
  CHECK(b.cycles(Kind::kRead, 4)[2] == 108);
  CHECK(b.data_end[2] == 100 + 1 + 7 + 8);
}

TEST_CASE("tRTP keeps a precharge from the last read") {
  DramConfig c;
  c.t_rtp = 30;
  Bench b(c);
  b.read(0, 0, 1);
  b.read(0, 0, 2);
  b.run();
  CHECK(b.cycles(Kind::kAutoPrecharge) == Cycles{8 + 30});
  CHECK(b.cycles(Kind::kActivate) == Cycles{0, 8 + 30 + 7});
}

TEST_CASE("tWR keeps a precharge from the last write data") {
  Bench b;
  b.write(0, 0, 1);
  b.write(0, 0, 2);
  b.run();
  const MemoryCycle data_end = 8 + 2 + 1;
  CHECK(b.cycles(Kind::kAutoPrecharge) == Cycles{data_end + 8});
  CHECK(b.cycles(Kind::kActivate) == Cycles{0, data_end + 8 + 7});
}

TEST_CASE("tRAS keeps a precharge from its ACT") {
  DramConfig c = loose();
  c.t_ras = c.t_rc = 40;
  Bench b(c);
  b.read(0, 0, 1);
  b.read(20, 0, 2);
  b.run();
  CHECK(b.cycles(Kind::kPrecharge) == Cycles{40});
  CHECK(b.cycles(Kind::kActivate) == Cycles{0, 41});
}

TEST_CASE("tRC keeps a bank's ACTs apart") {
  DramConfig c = loose();
  c.t_rc = 60;
  Bench b(c);
  b.read(0, 0, 1);
  b.read(20, 0, 2);
  b.run();
  CHECK(b.cycles(Kind::kPrecharge) == Cycles{20});
  CHECK(b.cycles(Kind::kActivate) == Cycles{0, 60});
}

TEST_CASE("tWTR keeps reads from write data: _l in the group, _s elsewhere") {
  for (const bool same_group : {true, false}) {
    const std::uint32_t other = same_group ? 1 : 4;
    Bench b;
    b.read(0, 0, 1);
    b.read(0, other, 1);
    b.write(100, 0, 1);
    b.read(101, other, 1);
    b.run();
    CHECK(b.cycles(Kind::kWrite) == Cycles{100, 101});
    const MemoryCycle data_end = 101 + 2 + 1;
    CHECK(b.cycles(Kind::kRead, static_cast<int>(other))[2] == data_end + (same_group ? 4 : 2));
  }
}

TEST_CASE("the data bus rests for tRTW when it turns from read to write") {
  Bench b;
  b.read(0, 0, 1);
  b.read(100, 0, 1);
  b.write(101, 0, 1);
  b.run();
  const MemoryCycle read_data_end = 101 + 7 + 1;
  CHECK(b.cycles(Kind::kWrite) == Cycles{read_data_end + 1 - 2, read_data_end + 2 - 2});
}

TEST_CASE("row hits go before older requests, the oldest hit first") {
  Bench b;
  b.read(0, 0, 1);
  b.read(0, 4, 1);
  b.read(100, 0, 2);  // 2: conflict, the oldest
  b.read(100, 4, 1);  // 3
  b.read(100, 0, 1);  // 4
  b.read(100, 4, 1);  // 5
  b.run();
  CHECK(b.order == std::vector<std::size_t>{0, 1, 3, 4, 5, 2});
}

TEST_CASE("reads go before writes until the high watermark, then writes until the low one") {
  DramConfig c;
  c.scheduler.settings = policy_settings<DramScheduler>(
      {{"fr-fcfs.write_drain_high", 4}, {"fr-fcfs.write_drain_low", 2}});
  Bench b(c);
  b.read(0, 0, 1);                                 // opens the row
  for (int i = 0; i < 3; ++i) b.write(100, 0, 1);  // 1 2 3
  for (int i = 0; i < 4; ++i) b.read(100, 0, 1);   // 4 5 6 7
  b.write(103, 0, 1);                              // 8, the fourth
  b.run();
  // Two reads go (100, 102); the fourth write starts a drain of two; then reads, then the rest.
  CHECK(b.order == std::vector<std::size_t>{0, 4, 5, 1, 2, 6, 7, 3, 8});
  CHECK(b.counts.drains == 1);
}

TEST_CASE("a request as old as the starvation bound goes before row hits") {
  DramConfig c;
  c.scheduler.settings = policy_settings<DramScheduler>({{"fr-fcfs.starvation_clocks", 60}});
  Bench b(c);
  b.read(0, 0, 1);
  b.read(100, 0, 2);  // 1: its bank has hits all the time
  for (unsigned i = 0; i < 60; ++i) b.read(100 + i / 3, 0, 1);
  b.run();
  // The hits stop at 160; the last one before was issued at 158.
  CHECK(b.cycles(Kind::kPrecharge) == Cycles{159 + 7});
  CHECK(b.cycles(Kind::kActivate)[1] == 159 + 7 + 7);
  CHECK(b.data_end[1] == 159 + 7 + 7 + 7 + 1 + 7 + 2);
}

TEST_CASE("a starving write turns the direction") {
  DramConfig c;
  c.scheduler.settings = policy_settings<DramScheduler>({{"fr-fcfs.starvation_clocks", 60}});
  Bench b(c);
  b.read(0, 0, 1);
  b.write(100, 4, 1);  // 1
  for (unsigned i = 0; i < 60; ++i) b.read(100 + i / 3, 0, 1);
  b.run();
  CHECK(b.cycles(Kind::kActivate, 4) == Cycles{160});
  CHECK(b.cycles(Kind::kWrite) == Cycles{167, 168});
}

TEST_CASE("a refresh closes all banks and holds them for tRFC") {
  DramConfig c;
  c.refresh = true;
  c.t_refi = 200;
  c.t_rfc = 50;
  Bench b(c);
  b.read(195, 0, 1);
  b.read(199, 4, 1);
  b.run();
  CHECK(b.cycles(Kind::kActivate, 0) == Cycles{195, 223 + 50});
  CHECK(b.cycles(Kind::kActivate, 4)[0] == 199);
  CHECK(b.cycles(Kind::kPrechargeAll) == Cycles{199 + 17});
  CHECK(b.cycles(Kind::kRefresh) == Cycles{199 + 17 + 7});
  CHECK(b.data_end[0] == 223 + 50 + 7 + 1 + 7 + 2);
}

TEST_CASE("refreshes that fall into idle time are done at their time") {
  DramConfig c;
  c.refresh = true;
  c.t_refi = 200;
  c.t_rfc = 50;
  Bench b(c);
  b.read(10, 0, 1);
  b.read(1010, 0, 1);  // refreshed at 200, 400, 600, 800 and 1000
  b.run();
  CHECK(b.cycles(Kind::kPrechargeAll) == Cycles{200});
  CHECK(b.cycles(Kind::kRefresh) == Cycles{207, 400, 600, 800, 1000});
  CHECK(b.cycles(Kind::kActivate) == Cycles{10, 1050});
  CHECK(b.counts.refreshes == 5);
}

TEST_CASE("sequential reads fill the data bus") {
  Bench b;
  constexpr unsigned kReads = 20000;
  for (unsigned i = 0; i < kReads; ++i) b.read(0, i / 16 % 16, i / 256);
  b.run();
  const double share = 2.0 * kReads / static_cast<double>(b.last_data_end);
  CHECK(share <= 1.0);
  CHECK(share > 0.995);
}

TEST_CASE("random reads run at the tFAW bound: four lines every 20 clocks") {
  Bench b;
  std::mt19937_64 random(1);
  constexpr unsigned kReads = 20000;
  for (unsigned i = 0; i < kReads; ++i) {
    b.read(0, static_cast<std::uint32_t>(random() % 16),
           static_cast<std::uint32_t>(random() % 4096));
  }
  b.run();
  const double share = 2.0 * kReads / static_cast<double>(b.last_data_end);
  CHECK(share == Approx(0.40).epsilon(0.01));
}

TEST_CASE("row conflicts in one bank run at the tRC bound") {
  Bench b;
  constexpr unsigned kReads = 2000;
  for (unsigned i = 0; i < kReads; ++i) b.read(0, 5, i);
  b.run();
  const double share = 2.0 * kReads / static_cast<double>(b.last_data_end);
  CHECK(share == Approx(2.0 / 24).epsilon(0.002));
}

namespace {

void random_traffic(const DramConfig& c, std::uint64_t seed) {
  Bench b(c);
  std::mt19937_64 random(seed);
  MemoryCycle at = 0;
  for (unsigned i = 0; i < 6000; ++i) {
    // Phases of different density, locality and share of writes.
    const unsigned phase = i / 500;
    if (phase % 3 != 0) at += random() % (phase % 3 == 1 ? 6 : 60);
    const unsigned rows = phase % 2 == 0 ? 3 : 200;
    b.add(at, static_cast<std::uint32_t>(random() % c.banks),
          static_cast<std::uint32_t>(random() % rows), random() % 10 < phase % 8);
  }
  b.run();
}

}  // namespace

TEST_CASE("random traffic breaks no timing of NUBA's HBM") { random_traffic({}, 1); }

TEST_CASE("random traffic breaks no timing with rows kept closed and refresh") {
  DramConfig c;
  c.row_policy = RowPolicy::kClosed;
  c.refresh = true;
  c.t_refi = 500;
  random_traffic(c, 2);
}

TEST_CASE("random traffic breaks no timing under starvation, drains and refresh") {
  DramConfig c;
  c.scheduler.settings = policy_settings<DramScheduler>({{"fr-fcfs.starvation_clocks", 40},
                                                         {"fr-fcfs.write_drain_high", 6},
                                                         {"fr-fcfs.write_drain_low", 1}});
  c.refresh = true;
  c.t_refi = 300;
  random_traffic(c, 3);
}

TEST_CASE("random traffic breaks no timing of a DDR4-like channel") {
  DramConfig c;
  c.clock_hz = 1'200'000'000;
  c.bus_bytes_per_clock = 16;
  c.burst_clocks = 4;
  c.row_bytes = 8192;
  c.t_rc = 55;
  c.t_rcd = c.t_rp = c.t_cl = 16;
  c.t_wl = 12;
  c.t_ras = 39;
  c.t_rrd_l = 6;
  c.t_rrd_s = 4;
  c.t_faw = 26;
  c.t_rtp = 9;
  c.t_ccd_l = 6;
  c.t_ccd_s = 4;
  c.t_wtr_l = 9;
  c.t_wtr_s = 3;
  c.t_wr = 18;
  c.t_rtw = 2;
  random_traffic(c, 4);
}

TEST_CASE("the configuration lists every fault") {
  DramConfig c;
  c.banks = 12;
  c.t_ccd_l = 0;
  CHECK(c.validate().size() == 2);
  CHECK(DramConfig{}.validate().empty());
}

TEST_CASE("fr-fcfs refuses a drain that could not begin or end") {
  const auto made = [](double high, double low) {
    DramConfig c;
    c.scheduler.settings = policy_settings<DramScheduler>(
        {{"fr-fcfs.write_drain_high", high}, {"fr-fcfs.write_drain_low", low}});
    DramCommandCounts counts;
    return c.scheduler.make({&c, 128, &counts}) != nullptr;
  };
  CHECK(made(64, 63));
  CHECK_THROWS_WITH(made(65, 1), Catch::Contains("must not exceed dram.queue_entries (64)"));
  CHECK_THROWS_WITH(made(8, 8), Catch::Contains("must be less than write_drain_high (8)"));
}

TEST_CASE("a row that was opened is used before it is closed for the other direction") {
  DramConfig c;
  c.scheduler.settings = policy_settings<DramScheduler>(
      {{"fr-fcfs.write_drain_high", 2}, {"fr-fcfs.write_drain_low", 1}});
  Bench b(c);
  b.write(0, 0, 1);
  b.write(0, 4, 1);  // of another group: t_rrd_s after the first
  b.read(0, 4, 2);
  b.run();
  // Writes first. With the first one's column at 7 the drain is over, and the row that was opened
  // at 4 for the second is still in t_rcd: it is used at 11, and closed for the read t_wl + data +
  // t_wr after its last column command.
  CHECK(b.order == std::vector<std::size_t>{0, 1, 2});
  CHECK(b.cycles(Kind::kActivate) == Cycles{0, 4, 23 + 7});
  CHECK(b.cycles(Kind::kWrite) == Cycles{7, 8, 11, 12});
  CHECK(b.cycles(Kind::kPrecharge) == Cycles{12 + 2 + 1 + 8});
  CHECK(b.data_end[2] == 30 + 7 + 1 + 7 + 2);
}

TEST_CASE("the column bus waits for rows that were opened, and for nothing that comes later") {
  DramConfig c;
  c.scheduler.settings = policy_settings<DramScheduler>(
      {{"fr-fcfs.write_drain_high", 2}, {"fr-fcfs.write_drain_low", 1}});
  Bench b(c);
  b.write(0, 0, 1);
  b.write(0, 4, 1);
  b.read(0, 8, 2);
  // Writes to the open row of bank 0, without end: they go with the reads' next pause.
  for (MemoryCycle at = 9; at < 200; at += 4) b.write(at, 0, 1);
  b.run();
  const auto read = std::find(b.order.begin(), b.order.end(), std::size_t{2});
  // The second write at 11 ends the old direction, but for the hit of 9.
  CHECK(read - b.order.begin() <= 3);
  CHECK(b.data_end[2] <= 11 + 2 + 7 + 24);
}

TEST_CASE("random reads and writes of rows run at the activates' bound, whatever their mix") {
  for (const unsigned writes : {1U, 2U, 3U}) {  // of 6
    Bench b;
    std::mt19937_64 random(writes);
    constexpr unsigned kAccesses = 6000;
    for (unsigned i = 0; i < kAccesses; ++i) {
      b.add(0, static_cast<std::uint32_t>(random() % 16),
            static_cast<std::uint32_t>(random() % 16384), random() % 6 < writes);
    }
    b.run();
    INFO(writes << " of 6 accesses write");
    // Four activates in t_faw = 20 clocks, one an access: none is done twice. Two accesses of a row
    // that wait together share one.
    CHECK(b.counts.activates <= kAccesses);
    CHECK(static_cast<double>(b.last_data_end) / kAccesses == Approx(5.0).epsilon(0.005));
  }
}

}  // namespace tessera::dram_scheduler_test
