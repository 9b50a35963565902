// SPDX-License-Identifier: Apache-2.0
// First come, first served; and a scheduler of one's own.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "modules/memory/dram_timing.h"
#include "tests/modules/memory/scheduler_bench.h"

namespace tessera::fcfs_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

DramConfig scheduled_by(const char* name) {
  DramConfig c;
  c.scheduler.name = name;
  return c;
}

/// One access after another: the next begins when the data of the one before has been moved. Row
/// and column of the bank are opened and closed for each.
class OneByOne final : public DramScheduler {
 public:
  explicit OneByOne(const Context& c)
      : config_(*c.config),
        counts_(*c.counts),
        line_bytes_(c.line_bytes),
        timing_(config_, config_.columns(c.line_bytes)) {}

  void enqueue(Slot slot, const Request& r, MemoryCycle cycle) override {
    waiting_list_.push_back({slot, r, cycle});
    ++waiting_[r.write];
  }
  Issued tick(MemoryCycle cycle) override {
    from_ = cycle + 1;
    if (waiting_list_.empty() || next() > cycle) return {};
    const Waiting w = waiting_list_.front();
    if (!timing_.open(w.request.bank)) {
      timing_.activate(w.request.bank, w.request.row, cycle);
      notify(DramCommand::Kind::kActivate, w.request.bank, w.request.row, cycle);
      ++counts_.activates;
      return {};
    }
    waiting_list_.erase(waiting_list_.begin());
    --waiting_[w.request.write];
    timing_.column(w.request.bank, w.request.write, cycle);
    for (std::uint32_t i = 0; i < config_.columns(line_bytes_); ++i) {
      notify(w.request.write ? DramCommand::Kind::kWrite : DramCommand::Kind::kRead, w.request.bank,
             w.request.row, cycle + i * config_.t_ccd_l);
    }
    const MemoryCycle closes = timing_.precharge_at(w.request.bank);
    timing_.precharge(w.request.bank, closes);
    notify(DramCommand::Kind::kAutoPrecharge, w.request.bank, w.request.row, closes);
    ++(w.request.write ? counts_.writes : counts_.reads);
    ++counts_.row_misses;
    ++alone_;
    free_at_ = cycle + (w.request.write ? config_.write_latency(line_bytes_)
                                        : config_.read_latency(line_bytes_));
    return {w.slot, w.request.write, w.arrived, free_at_};
  }
  MemoryCycle next_cycle() const override {
    return waiting_list_.empty() ? kNoCycle : std::max(from_, next());
  }
  Slot next_slot() const override {
    return waiting_list_.empty() ? kNoSlot : waiting_list_[0].slot;
  }
  void reset() override {}
  std::vector<PolicyCounter> counters() const override {
    return {{"served_alone", "access", "accesses with the channel to themselves", &alone_}};
  }

 private:
  struct Waiting {
    Slot slot;
    Request request;
    MemoryCycle arrived;
  };
  MemoryCycle next() const {
    const std::uint32_t bank = waiting_list_[0].request.bank;
    if (timing_.open(bank)) return timing_.column_at(bank, waiting_list_[0].request.write);
    return std::max({free_at_, timing_.activate_at(), timing_.bank_activate_at(bank)});
  }

  const DramConfig& config_;
  DramCommandCounts& counts_;
  const std::uint32_t line_bytes_;
  DramTiming timing_;
  std::vector<Waiting> waiting_list_;
  MemoryCycle free_at_ = 0;
  MemoryCycle from_ = 0;
  std::uint64_t alone_ = 0;
};

std::unique_ptr<DramScheduler> make(const DramSchedulerContext& c) {
  return std::make_unique<OneByOne>(c);
}

const PolicyRegistration<DramScheduler> kRegistered("test-one-by-one", "one access at a time",
                                                    make);

}  // namespace

TEST_CASE("fcfs: a lone read takes what it takes with fr-fcfs") {
  Bench b(scheduled_by("fcfs"));
  b.read(10, 3, 5);
  b.read(100, 3, 5);
  b.read(200, 3, 6);
  b.run();
  CHECK(b.cycles(Kind::kActivate) == Cycles{10, 207});
  CHECK(b.cycles(Kind::kPrecharge) == Cycles{200});
  CHECK(b.data_end[0] == 10 + 7 + 1 + 7 + 2);
  CHECK(b.data_end[1] == 100 + 1 + 7 + 2);
  CHECK(b.data_end[2] == 200 + 7 + 7 + 1 + 7 + 2);
  CHECK(b.counts.row_misses == 1);
  CHECK(b.counts.row_hits == 1);
  CHECK(b.counts.row_conflicts == 1);
}

TEST_CASE("fcfs: a row hit does not overtake an older request for another row") {
  const auto run = [](const char* scheduler) {
    Bench b(scheduled_by(scheduler));
    b.read(0, 0, 1);
    b.read(20, 0, 2);
    b.read(20, 0, 1);
    b.run();
    return std::make_pair(b.order, b.data_end[2]);
  };
  CHECK(run("fr-fcfs").first == std::vector<std::size_t>{0, 2, 1});
  // PRE at 20, ACT at 27, RD at 34; PRE at 27 + RAS 17, ACT after RP 7 (and RC 24), RD after RCD 7,
  // and 10 until its last data.
  const auto [order, end] = run("fcfs");
  CHECK(order == std::vector<std::size_t>{0, 1, 2});
  CHECK(end == 27 + 17 + 7 + 7 + 1 + 7 + 2);
}

TEST_CASE("fcfs: a read waits for an older write") {
  Bench b(scheduled_by("fcfs"));
  b.write(0, 0, 1);
  b.read(0, 1, 1);
  b.run();
  CHECK(b.order == std::vector<std::size_t>{0, 1});
  // The row of the read is opened when the write's command has gone, in the same clock.
  CHECK(b.cycles(Kind::kActivate) == Cycles{0, 7});
}

TEST_CASE("fcfs: every access is served in order and legally, whatever comes") {
  std::mt19937 random(7);
  for (const bool refresh : {false, true}) {
    for (const RowPolicy rows : {RowPolicy::kOpen, RowPolicy::kClosed}) {
      DramConfig c = scheduled_by("fcfs");
      c.refresh = refresh;
      c.row_policy = rows;
      Bench b(c);
      MemoryCycle at = 0;
      for (unsigned i = 0; i < 2000; ++i) {
        at += random() % 30;
        b.add(at, random() % 16, random() % 3, random() % 3 == 0);
      }
      b.run();
      CHECK(std::is_sorted(b.order.begin(), b.order.end()));
      CHECK((b.counts.refreshes > 0) == refresh);
      if (rows == RowPolicy::kClosed) CHECK(b.counts.row_hits == 0);
    }
  }
}

TEST_CASE("a DRAM scheduler of one's own is registered with its file and chosen by name") {
  Bench b(scheduled_by("test-one-by-one"));
  b.read(0, 0, 1);
  b.read(0, 1, 1);
  b.run();
  CHECK(b.cycles(Kind::kActivate) == Cycles{0, 17});
  CHECK(b.data_end[1] == 2 * 17);
  const DramConfig config;
  DramCommandCounts counts;
  const auto counters =
      make_policy<DramScheduler>("test-one-by-one", {&config, 128, &counts})->counters();
  REQUIRE(counters.size() == 1);
  CHECK(counters[0].name == "served_alone");
}

TEST_CASE("an unknown DRAM scheduler is refused with the nearest name") {
  CHECK_THROWS_WITH(make_policy<DramScheduler>("frfcfs"),
                    Catch::Contains("did you mean 'fr-fcfs'"));
}

}  // namespace tessera::fcfs_test
