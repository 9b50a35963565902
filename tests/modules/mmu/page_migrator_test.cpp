// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_migrator.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "modules/kernel/domain.h"
#include "modules/kernel/sc_time.h"
#include "modules/protocol/memory_request.h"
#include "tests/support/policy_settings.h"

namespace tessera::page_migrator_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::uint64_t kPage = 4096;

MemoryGeometry geometry() {
  MemoryGeometry g;
  g.channels = 4;
  g.channel_bytes = 64 * kPage;
  return g;
}

PageMigratorConfig config(const char* policy) {
  PageMigratorConfig c;
  c.clock_hz = 1'000'000'000;
  c.policy = policy;
  c.interval_cycles = 1000;
  c.shootdown_ns = 200;
  c.transfer_gb_per_s = 4.096;  // a page a microsecond
  return c;
}

/// Four homes with an SM each: channels of one GPU, or four GPUs. SM i belongs to home i.
struct Rig {
  std::unique_ptr<AddressMap> map = make_address_map("fixed-channel", geometry());
  PageTable table{*map};
  Tick settled_at = 0;
  std::vector<Tick> stops;
  std::vector<std::vector<ChannelId>> stopped;
  std::uint64_t busy = 0;  ///< the physical page that is in flight until `settled_at`
  Tick busy_from = 0;
  std::vector<Tick> forgets;
  std::vector<std::pair<std::vector<ChannelId>, std::vector<std::uint64_t>>> forgotten;
  std::vector<Tick> resumes;
  std::vector<std::vector<ChannelId>> resumed;
  std::vector<std::uint64_t> dropped;  ///< from the slice of GPU 0
  std::vector<Tick> drops;             ///< the same, times
  std::vector<std::uint64_t> dropped_elsewhere;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> copies;
  std::vector<Tick> flushed_l1s;

  struct Sm final : QuiesceIf, FlushIf {
    Rig* rig = nullptr;
    ChannelId home;
    std::function<void()> drained;
    void quiesce(std::function<void()> d) override {
      if (rig->stops.empty() || rig->stops.back() != now()) {
        rig->stops.push_back(now());
        rig->stopped.emplace_back();
      }
      rig->stopped.back().push_back(home);
      drained = std::move(d);
    }
    void resume() override {
      if (rig->resumes.empty() || rig->resumes.back() != now()) {
        rig->resumes.push_back(now());
        rig->resumed.emplace_back();
      }
      rig->resumed.back().push_back(home);
    }
    void flush() override { rig->flushed_l1s.push_back(now()); }
  };
  struct Tlb final : TranslationsIf {
    Rig* rig = nullptr;
    std::uint32_t gpu = 0;
    void invalidate_all() override { forgotten().first.emplace_back(gpu); }
    void invalidate_page(std::uint64_t virtual_page) override {
      std::vector<std::uint64_t>& pages = forgotten().second;
      if (std::find(pages.begin(), pages.end(), virtual_page) == pages.end()) {
        pages.push_back(virtual_page);
      }
    }
    std::pair<std::vector<ChannelId>, std::vector<std::uint64_t>>& forgotten() const {
      if (rig->forgets.empty() || rig->forgets.back() != now()) {
        rig->forgets.push_back(now());
        rig->forgotten.emplace_back();
      }
      return rig->forgotten.back();
    }
  };
  struct Slice final : PageDropIf, Block {
    Rig* rig = nullptr;
    std::uint32_t gpu = 0;
    void drop_page(std::uint64_t page, std::uint64_t bytes) override {
      CHECK(bytes == kPage);
      (gpu == 0 ? rig->dropped : rig->dropped_elsewhere).push_back(page);
      if (gpu == 0) rig->drops.push_back(now());
    }
    bool page_in_flight(std::uint64_t page, std::uint64_t) const override {
      return page == rig->busy && now() >= rig->busy_from && now() < rig->settled_at;
    }
    bool idle() const override { return now() >= rig->settled_at; }
    void describe_waiting(std::vector<Waiting>&) const override {}
    void reset() override {}
    void register_statistics(StatisticsRegistry&) const override {}
  };

  std::array<Sm, 4> sms;
  std::array<Tlb, 4> tlbs;
  std::array<Slice, 4> slices;
  PageMigrator migrator;

  explicit Rig(const PageMigratorConfig& c, double griffin_alpha = 0.25)
      : Rig(c, griffin_alpha, c.stop == MoveStop::kUsers ? 4 : 1) {}
  Rig(const PageMigratorConfig& c, double griffin_alpha, std::uint32_t gpus)
      : migrator("page_migrator", c,
                 make_policy<PageMigrationPolicy>(
                     c.policy, {},
                     policy_settings<PageMigrationPolicy>({{"access-counter.threshold", 10},
                                                           {"replication.threshold", 10},
                                                           {"griffin.alpha", griffin_alpha}})),
                 table, platform(), {gpus, 1, {}}) {
    table.channel_of_sm = [](SmId sm) { return ChannelId(sm.value); };
    for (std::uint32_t g = 0; g < gpus; ++g) migrator.set_targets(GpuId(g), targets(g, gpus));
  }
  PageMigratorPlatform platform() {
    PageMigratorPlatform p;
    p.channel_of = [](SmId sm) { return ChannelId(sm.value); };
    p.copy = [this](std::uint64_t from, std::uint64_t to) { copies.emplace_back(from, to); };
    return p;
  }
  MigrationTargets targets(std::uint32_t gpu, std::uint32_t gpus) {
    MigrationTargets t;
    for (std::uint32_t i = gpu * 4 / gpus; i < (gpu + 1) * 4 / gpus; ++i) {
      sms[i].rig = this;
      sms[i].home = ChannelId(i);
      t.sms.push_back({ChannelId(i), &sms[i], &sms[i]});
    }
    tlbs[gpu].rig = this;
    tlbs[gpu].gpu = gpu;
    t.tlbs.push_back(&tlbs[gpu]);
    slices[gpu].rig = this;
    slices[gpu].gpu = gpu;
    t.slices.push_back({&slices[gpu], &slices[gpu]});
    return t;
  }
  /// All SMs that have been stopped have drained.
  void drained() {
    for (Sm& sm : sms) {
      if (sm.drained) std::exchange(sm.drained, nullptr)();
    }
  }
  void use(std::uint64_t virtual_page, unsigned sm, unsigned times, bool read_only) {
    MemoryRequest request;
    request.requester = SmId(sm);
    request.read_only = read_only;
    const std::uint64_t address = *table.translate(virtual_page * kPage);
    const std::uint32_t home = migrator.gpus() == 1 ? 0 : table.channel_of(address).value;
    GpuMigrator& counters = migrator.part(GpuId(home));
    for (unsigned i = 0; i < times; ++i) {
      counters.on_access({AccessOrigin::kLocal, address, request});
      // On its way to its home, an access is seen a first time; it does not count.
      counters.on_access({AccessOrigin::kRemoteLeaving, address, request});
    }
  }
};

Tick ns(std::uint64_t n) { return n * 1'000'000; }
/// Up to and including t.
void run_to(Tick t) { sc_core::sc_start(to_sc_time(t + 1 - now())); }

}  // namespace

TEST_CASE(
    "page migrator: an interval's end moves a page, after the drain, shootdown and transfer") {
  Rig rig(config("access-counter"));
  const std::uint64_t old = rig.table.map(5, ChannelId(0));
  const std::uint64_t other = rig.table.map(6, ChannelId(1));
  rig.use(5, 2, 10, false);
  rig.use(6, 2, 9, false);
  CHECK(rig.migrator.idle());
  // The first access, at 0, begins the interval at the next edge.
  run_to(ns(1001));
  CHECK(rig.stops == std::vector<Tick>{ns(1001)});
  CHECK_FALSE(rig.migrator.idle());
  run_to(ns(1500));
  rig.drained();
  // Acted on at 1501; 200 ns of shootdown, one page at a page a microsecond.
  run_to(ns(1501 + 200 + 1000) - 1);
  CHECK(rig.resumes.empty());
  CHECK(*rig.table.translate(5 * kPage) == old);
  run_to(ns(1501 + 200 + 1000));
  CHECK(rig.resumes == std::vector<Tick>{ns(2701)});
  const std::uint64_t moved = *rig.table.translate(5 * kPage);
  CHECK(rig.map->locate(moved).channel == ChannelId(2));
  CHECK(rig.copies == std::vector<std::pair<std::uint64_t, std::uint64_t>>{{old, moved}});
  CHECK(rig.dropped == std::vector<std::uint64_t>{old});
  CHECK(*rig.table.translate(6 * kPage) == other);
  CHECK(rig.table.pages_per_channel() == std::vector<std::uint64_t>{0, 1, 1, 0});
  CHECK(rig.migrator.stats().stopped_cycles == 1700);
  CHECK(rig.migrator.idle());
  // The page's old memory is free again.
  CHECK(rig.table.map(7, ChannelId(0)) == old);
}

TEST_CASE("page migrator: pages wait for write-backs that are still under way") {
  Rig rig(config("access-counter"));
  rig.settled_at = ns(2720);
  rig.table.map(5, ChannelId(0));
  rig.use(5, 2, 10, false);
  run_to(ns(1500));
  rig.drained();
  // The transfer ends at 2701; looked at every 16 cycles from there.
  run_to(ns(2701 + 32) - 1);
  CHECK(rig.copies.empty());
  run_to(ns(2701 + 32));
  CHECK(rig.copies.size() == 1);
  CHECK(rig.resumes == std::vector<Tick>{ns(2733)});
}

TEST_CASE(
    "page migrator: without a move nobody is stopped, and the next access begins an interval") {
  Rig rig(config("access-counter"));
  rig.table.map(5, ChannelId(0));
  rig.use(5, 2, 9, false);
  run_to(ns(5000));
  CHECK(rig.stops.empty());
  CHECK(rig.migrator.stats().intervals == 1);
  // Counts do not add up over intervals.
  rig.use(5, 2, 9, false);
  run_to(ns(10000));
  CHECK(rig.stops.empty());
  CHECK(rig.migrator.stats().intervals == 2);
}

TEST_CASE("page migrator: copies serve their partition's walks until the kernel's end") {
  Rig rig(config("replication"));
  const std::uint64_t home = rig.table.map(5, ChannelId(0));
  rig.use(5, 2, 10, true);
  rig.use(5, 3, 9, true);
  run_to(ns(1001));
  rig.drained();
  run_to(ns(5000));
  CHECK(rig.migrator.stats().copies == 1);
  CHECK(*rig.table.walk(5 * kPage + 16, SmId(0)) == home + 16);
  CHECK(*rig.table.walk(5 * kPage + 16, SmId(3)) == home + 16);
  const std::uint64_t copy = *rig.table.walk(5 * kPage + 16, SmId(2));
  CHECK(rig.map->locate(copy).channel == ChannelId(2));
  CHECK(copy % kPage == 16);
  // The host's view is the page itself.
  CHECK(*rig.table.translate(5 * kPage) == home);
  bool done = false;
  rig.migrator.flush({}, [&] { done = true; });
  run_to(ns(5000 + 200));
  CHECK_FALSE(done);  // begins at the next edge: 5001
  run_to(ns(5001 + 200));
  CHECK(done);
  CHECK(*rig.table.walk(5 * kPage, SmId(2)) == home);
  CHECK(rig.table.pages_per_channel() == std::vector<std::uint64_t>{1, 0, 0, 0});
}

TEST_CASE("page migrator: a kernel's end without copies costs an edge") {
  Rig rig(config("replication"));
  bool done = false;
  rig.migrator.flush({}, [&] { done = true; });
  run_to(ns(1));
  CHECK(done);
  CHECK(rig.migrator.stats().shootdowns == 0);
}

TEST_CASE("page migrator: what one kernel only read is not copied in the next") {
  Rig rig(config("replication"));
  rig.table.map(5, ChannelId(0));
  rig.use(5, 2, 10, true);
  rig.migrator.flush({}, [] {});
  run_to(ns(5000));
  CHECK(rig.migrator.stats().intervals == 1);
  CHECK(rig.stops.empty());
}

TEST_CASE("page migrator: a full channel refuses, and the page stays") {
  Rig rig(config("access-counter"));
  for (std::uint64_t p = 0; p < 64; ++p) rig.table.map(100 + p, ChannelId(2));
  const std::uint64_t old = rig.table.map(5, ChannelId(0));
  rig.use(5, 2, 10, false);
  run_to(ns(1001));
  rig.drained();
  run_to(ns(5000));
  CHECK(rig.migrator.stats().refused == 1);
  CHECK(*rig.table.translate(5 * kPage) == old);
  CHECK(rig.copies.empty());
  CHECK(rig.resumes.size() == 1);
}

TEST_CASE("page migrator: no more moves than allowed, the lowest pages first") {
  PageMigratorConfig c = config("access-counter");
  c.max_moves = 2;
  Rig rig(c);
  for (std::uint64_t p : {9, 3, 7}) rig.table.map(p, ChannelId(0));
  for (std::uint64_t p : {9, 3, 7}) rig.use(p, 1, 10, false);
  run_to(ns(1001));
  rig.drained();
  run_to(ns(9000));
  CHECK(rig.migrator.stats().migrations == 2);
  CHECK(rig.map->locate(*rig.table.translate(9 * kPage)).channel == ChannelId(0));
}

TEST_CASE("page migrator: reset forgets counts and what was under way") {
  Rig rig(config("access-counter"));
  rig.table.map(5, ChannelId(0));
  rig.use(5, 2, 10, false);
  run_to(ns(1001));
  REQUIRE_FALSE(rig.migrator.idle());
  rig.migrator.reset();
  CHECK(rig.migrator.idle());
  run_to(ns(9000));
  CHECK(rig.resumes.empty());
}

namespace {

std::vector<ChannelId> gpus(std::initializer_list<std::uint32_t> of) {
  std::vector<ChannelId> out;
  for (const std::uint32_t g : of) out.emplace_back(g);
  return out;
}

PageMigratorConfig on_demand() {
  PageMigratorConfig c = config("first-touch-migration");
  c.trigger = MoveTrigger::kOnDemand;
  c.batch_cycles = 100;
  return c;
}

}  // namespace

TEST_CASE("page migrator: every cost of a stop is waited for, with all stopped") {
  PageMigratorConfig c = config("access-counter");
  c.pipeline_flush_ns = 30;
  c.cache_flush_ns = 400;
  Rig rig(c);
  rig.table.map(5, ChannelId(0));
  rig.table.map(6, ChannelId(1));
  rig.use(5, 2, 10, false);
  rig.use(6, 2, 10, false);
  run_to(ns(1100));
  rig.drained();
  // 1101 + 30 + 400 + 200 + two pages of 1000.
  run_to(ns(3731) - 1);
  CHECK(rig.resumes.empty());
  run_to(ns(3731));
  CHECK(rig.resumes == std::vector<Tick>{ns(3731)});
  CHECK(rig.forgets == rig.resumes);
  CHECK(rig.resumed[0] == gpus({0, 1, 2, 3}));
  CHECK(rig.migrator.stats().bytes_moved == 2 * kPage);
}

TEST_CASE(
    "page migrator: an owner goes on after its flush, others at once, walks wait for their page") {
  PageMigratorConfig c = config("access-counter");
  c.drain = MoveDrain::kOwner;
  c.cache_flush_ns = 400;
  Rig rig(c);
  rig.settled_at = ns(1110);
  const std::uint64_t old5 = rig.table.map(5, ChannelId(3));
  const std::uint64_t old6 = rig.table.map(6, ChannelId(1));
  rig.use(5, 2, 10, false);
  rig.use(6, 0, 10, false);
  run_to(ns(1100));
  rig.drained();
  // Slices still write back at 1101; looked at again 16 cycles later.
  run_to(ns(1117) - 1);
  CHECK(rig.copies.empty());
  CHECK(rig.forgets.empty());
  run_to(ns(1117));
  CHECK(rig.forgets == std::vector<Tick>{ns(1117)});
  CHECK(rig.resumes == std::vector<Tick>{ns(1117)});
  CHECK(rig.resumed[0] == gpus({0, 2}));
  CHECK(rig.dropped == std::vector<std::uint64_t>{old5, old6});
  CHECK(rig.map->locate(*rig.table.translate(5 * kPage)).channel == ChannelId(2));
  // The flush and the shootdown: 600 ns. Then a page a microsecond.
  CHECK(rig.table.arrival(5 * kPage + 8) == ns(1117 + 600 + 1000));
  CHECK(rig.table.arrival(6 * kPage) == ns(1117 + 600 + 2000));
  CHECK(rig.table.arrival(7 * kPage) == 0);
  run_to(ns(1717) - 1);
  CHECK(rig.resumes.size() == 1);
  run_to(ns(1717));
  CHECK(rig.resumes.size() == 2);
  CHECK(rig.resumed[1] == gpus({1, 3}));
  CHECK(rig.migrator.moving());
  run_to(ns(3717) - 1);
  CHECK_FALSE(rig.migrator.idle());
  run_to(ns(3717));
  CHECK(rig.migrator.idle());
  CHECK(rig.table.arrival(6 * kPage) == 0);
  CHECK(rig.forgets.size() == 1);
  // Stopped at 1001.
  CHECK(rig.migrator.stats().stopped_cycles == 716);
  CHECK(rig.migrator.stats().others_stopped_cycles == 116);
}

TEST_CASE("page migrator: a kernel's end waits for pages on their way") {
  PageMigratorConfig c = config("access-counter");
  c.drain = MoveDrain::kOwner;
  Rig rig(c);
  rig.table.map(5, ChannelId(0));
  rig.use(5, 2, 10, false);
  run_to(ns(1001));
  rig.drained();
  run_to(ns(1100));
  bool done = false;
  rig.migrator.flush({}, [&] { done = true; });
  run_to(ns(1002 + 200 + 1000) - 1);
  CHECK_FALSE(done);
  run_to(ns(1002 + 200 + 1000));
  CHECK(done);
}

TEST_CASE("page migrator: on demand, the first access from elsewhere begins a batch") {
  Rig rig(on_demand());
  rig.table.map(5, ChannelId(0));
  rig.use(5, 0, 10, false);
  run_to(ns(2000));
  CHECK(rig.migrator.stats().intervals == 0);
  rig.use(5, 2, 1, false);
  run_to(ns(2101) - 1);
  CHECK(rig.stops.empty());
  run_to(ns(2101));
  CHECK(rig.stops == std::vector<Tick>{ns(2101)});
}

TEST_CASE("page migrator: a page that has moved once is pinned, and its accesses stop nobody") {
  Rig rig(on_demand());
  rig.table.map(5, ChannelId(0));
  rig.use(5, 2, 1, false);
  run_to(ns(101));
  rig.drained();
  run_to(ns(5000));
  CHECK(rig.migrator.stats().migrations == 1);
  // Two GPUs that take turns do not send it to and fro.
  for (std::uint64_t turn = 0; turn < 4; ++turn) {
    rig.use(5, turn % 2 == 0 ? 0 : 1, 50, false);
    run_to(ns(10000 + turn * 5000));
  }
  CHECK(rig.migrator.stats().migrations == 1);
  CHECK(rig.migrator.stats().intervals == 1);
  CHECK(rig.map->locate(*rig.table.translate(5 * kPage)).channel == ChannelId(2));
}

TEST_CASE("page migrator: a refused first touch is not tried again") {
  Rig rig(on_demand());
  for (std::uint64_t p = 0; p < 64; ++p) rig.table.map(100 + p, ChannelId(2));
  rig.table.map(5, ChannelId(0));
  rig.use(5, 2, 1, false);
  run_to(ns(101));
  rig.drained();
  run_to(ns(5000));
  rig.use(5, 2, 1, false);
  run_to(ns(9000));
  CHECK(rig.migrator.stats().refused == 1);
  CHECK(rig.stops.size() == 1);
}

TEST_CASE("page migrator: a batch of one source takes the home that would lose most") {
  PageMigratorConfig c = config("access-counter");
  c.one_source = true;
  c.max_moves = 2;
  Rig rig(c);
  rig.table.map(1, ChannelId(0));
  for (std::uint64_t p : {4, 5, 6}) rig.table.map(p, ChannelId(1));
  for (std::uint64_t p : {1, 4, 5, 6}) rig.use(p, 3, 10, false);
  run_to(ns(1001));
  rig.drained();
  run_to(ns(5000));
  CHECK(rig.table.pages_per_channel() == std::vector<std::uint64_t>{1, 1, 0, 2});
  CHECK(rig.migrator.stats().deferred == 2);
  // What was left out is decided afresh; homes that lose as many: the lowest.
  for (std::uint64_t p : {1, 6}) rig.use(p, 3, 10, false);
  run_to(ns(6001));
  rig.drained();
  run_to(ns(9000));
  CHECK(rig.table.pages_per_channel() == std::vector<std::uint64_t>{0, 1, 0, 3});
  CHECK(rig.migrator.stats().deferred == 3);
}

TEST_CASE("page migrator: griffin decides once a period, and its classes are statistics") {
  PageMigratorConfig c = config("griffin");
  c.drain = MoveDrain::kOwner;
  Rig rig(c, 0.5);
  rig.table.map(5, ChannelId(0));
  rig.use(5, 0, 8, false);
  run_to(ns(1001));
  CHECK(rig.stops.empty());
  CHECK(rig.migrator.stats().intervals == 1);
  run_to(ns(2000));
  rig.use(5, 1, 8, false);
  run_to(ns(3001) - 1);
  CHECK(rig.stops.empty());
  run_to(ns(3001));
  CHECK(rig.stops.size() == 1);
  rig.drained();
  run_to(ns(9000));
  CHECK(rig.map->locate(*rig.table.translate(5 * kPage)).channel == ChannelId(1));
  StatisticsRegistry registry;
  rig.migrator.register_statistics(registry);
  CHECK(registry.sum("page_migrator", "class_dedicated") == 1);
  CHECK(registry.sum("page_migrator", "class_owner_shifting") == 1);
  CHECK(registry.sum("page_migrator", "class_shared") == 0);
  CHECK(registry.sum("page_migrator", "others_stopped_cycles") == 1);
}

TEST_CASE("page migrator: settings that do not go together are refused") {
  PageMigratorConfig c = on_demand();
  CHECK(c.validate().empty());
  c.policy = "griffin";
  c.batch_cycles = 0;
  CHECK(c.validate().size() == 2);
  c = config("replication");
  c.drain = MoveDrain::kOwner;
  CHECK(c.validate().size() == 1);
}

// Stop `users`.

namespace {

PageMigratorConfig users() {
  PageMigratorConfig c = config("access-counter");
  c.stop = MoveStop::kUsers;
  return c;
}

/// Maps a page to `home`. The SMs of these homes have its translation; the last uses it.
std::uint64_t map_used(Rig& rig, std::uint64_t page, unsigned home,
                       std::initializer_list<unsigned> sms) {
  const std::uint64_t physical = rig.table.map(page, ChannelId(home));
  for (const unsigned sm : sms) rig.table.walk(page * kPage, SmId(sm));
  rig.use(page, *(sms.end() - 1), 10, false);
  return physical;
}

}  // namespace

TEST_CASE("page migrator: only the SMs of homes whose TLBs can hold the page stop") {
  Rig rig(users());
  const std::uint64_t old = map_used(rig, 5, 0, {0, 2});
  rig.table.walk(5 * kPage, RequesterId(RequesterKind::kCpuCore, 0));
  rig.table.map(6, ChannelId(1));
  rig.table.walk(6 * kPage, SmId(1));
  run_to(ns(1002));
  // After all walks that end at the instant of the decision.
  CHECK(rig.stops == std::vector<Tick>{ns(1001) + 1});
  CHECK(rig.stopped == std::vector<std::vector<ChannelId>>{gpus({0, 2})});
  TlbDirectory& tlbs = rig.table.tlb_directory;
  CHECK_FALSE(tlbs.held(5, SmId(1), ns(1001)));
  CHECK(tlbs.held(5, SmId(1), ns(1001) + 1));
  CHECK_FALSE(tlbs.held(5, SmId(2), ns(1001) + 1));
  CHECK_FALSE(tlbs.held(6, SmId(1), ns(1001) + 1));
  run_to(ns(1500));
  rig.drained();
  // Acted on at 1501; 200 ns of shootdown, a page of 1000. The page is remapped 1 fs before.
  run_to(ns(2701) - 2);
  CHECK(*rig.table.translate(5 * kPage) == old);
  CHECK(rig.forgets.empty());
  run_to(ns(2701) - 1);
  CHECK(rig.map->locate(*rig.table.translate(5 * kPage)).channel == ChannelId(2));
  CHECK(rig.copies.size() == 1);
  CHECK(rig.dropped == std::vector<std::uint64_t>{old});
  CHECK(rig.forgets == std::vector<Tick>{ns(2701) - 1});
  CHECK(rig.forgotten[0].first == gpus({0, 2}));
  CHECK(rig.forgotten[0].second == std::vector<std::uint64_t>{5});
  CHECK_FALSE(tlbs.holds(ChannelId(0), 5));
  CHECK_FALSE(tlbs.holds(ChannelId(2), 5));
  CHECK(tlbs.holds(ChannelId(1), 6));
  CHECK(rig.resumes.empty());
  run_to(ns(2701));
  CHECK(rig.resumes == std::vector<Tick>{ns(2701)});
  CHECK(rig.resumed[0] == gpus({0, 2}));
  CHECK(tlbs.held(5, SmId(1), ns(2701)));
  CHECK_FALSE(tlbs.held(5, SmId(1), ns(2701) + 1));
  CHECK(rig.migrator.idle());
  CHECK(rig.migrator.stats().stopped_cycles == 1700);
  CHECK(rig.migrator.stats().home_stopped_cycles == 2 * 1700);
}

TEST_CASE("page migrator: the next batch stops those that have walked for its page since") {
  Rig rig(users());
  map_used(rig, 5, 0, {0, 2});
  run_to(ns(1002));
  rig.drained();
  run_to(ns(5000));
  // The page is at 2. SM 3 alone has its translation; SM 2 that of another page.
  rig.table.walk(5 * kPage, SmId(3));
  rig.table.map(6, ChannelId(2));
  rig.table.walk(6 * kPage, SmId(2));
  rig.use(5, 3, 10, false);
  run_to(ns(6002));
  REQUIRE(rig.stopped.size() == 2);
  CHECK(rig.stopped[1] == gpus({3}));
}

TEST_CASE("page migrator: a page that no TLB holds moves without a stop") {
  Rig rig(users());
  const std::uint64_t old = map_used(rig, 5, 0, {2});
  rig.table.tlb_directory.forget(ChannelId(2));
  run_to(ns(1002 + 200 + 1000) - 2);
  CHECK(*rig.table.translate(5 * kPage) == old);
  run_to(ns(1002 + 200 + 1000));
  CHECK(*rig.table.translate(5 * kPage) != old);
  CHECK(rig.stops.empty());
  CHECK(rig.migrator.stats().stopped_cycles == 0);
  CHECK(rig.migrator.idle());
}

TEST_CASE("page migrator: a page waits for its own lines in flight, and for no other's") {
  Rig rig(users());
  rig.settled_at = ns(2720);
  rig.busy = map_used(rig, 5, 0, {0, 2});
  run_to(ns(1500));
  rig.drained();
  // As with all stopped: looked at every 16 cycles from 2701.
  run_to(ns(2733) - 2);
  CHECK(rig.copies.empty());
  run_to(ns(2733));
  CHECK(rig.copies.size() == 1);
  CHECK(rig.resumes == std::vector<Tick>{ns(2733)});
  rig.settled_at = ns(1'000'000);
  map_used(rig, 6, 1, {0, 2});  // not in the frame that page 5 has left
  run_to(ns(4000));
  rig.drained();
  run_to(ns(4001 + 1200));
  CHECK(rig.resumes.back() == ns(4001 + 1200));
}

TEST_CASE("page migrator: users that lose no page resume when drained, owners after the flush") {
  PageMigratorConfig c = users();
  c.drain = MoveDrain::kOwner;
  c.cache_flush_ns = 400;
  Rig rig(c);
  map_used(rig, 5, 3, {3, 2});  // 3 to 2
  map_used(rig, 6, 1, {0});     // 1 to 0; no SM of 1 uses it
  run_to(ns(1100));
  CHECK(rig.stopped == std::vector<std::vector<ChannelId>>{gpus({0, 2, 3})});
  rig.drained();
  run_to(ns(1101) - 1);
  CHECK(rig.copies.size() == 2);
  run_to(ns(1101));
  CHECK(rig.resumes == std::vector<Tick>{ns(1101)});
  CHECK(rig.resumed[0] == gpus({0, 2}));
  CHECK_FALSE(rig.table.tlb_directory.held(5, SmId(1), ns(1101) + 1));
  CHECK(rig.table.arrival(5 * kPage) == ns(1101 + 600 + 1000));
  CHECK(rig.table.arrival(6 * kPage) == ns(1101 + 600 + 2000));
  run_to(ns(1701));
  CHECK(rig.resumes == std::vector<Tick>{ns(1101), ns(1701)});
  CHECK(rig.resumed[1] == gpus({3}));
  run_to(ns(3701));
  CHECK(rig.migrator.idle());
  CHECK(rig.migrator.stats().others_stopped_cycles == 100);
  CHECK(rig.migrator.stats().stopped_cycles == 700);
  CHECK(rig.migrator.stats().home_stopped_cycles == 2 * 100 + 700);
}

TEST_CASE("page migrator: reset ends the hold of a batch") {
  Rig rig(users());
  map_used(rig, 5, 0, {0, 2});
  run_to(ns(1002));
  REQUIRE(rig.table.tlb_directory.held(5, SmId(1), ns(1003)));
  rig.migrator.reset();
  CHECK_FALSE(rig.table.tlb_directory.held(5, SmId(1), ns(1003)));
  CHECK(rig.migrator.idle());
}

// Batches.

namespace {

struct Move {
  unsigned from;
  unsigned to;
};

/// Time from the end of the drain to the resumption, for a batch of pages in this order.
Tick transfer_time(const std::vector<Move>& moves, bool overlap, MoveStop stop = MoveStop::kAll) {
  PageMigratorConfig c = config("access-counter");
  c.overlap_transfers = overlap;
  c.stop = stop;
  Rig rig(c);
  for (std::size_t i = 0; i < moves.size(); ++i) map_used(rig, 5 + i, moves[i].from, {moves[i].to});
  run_to(ns(1500));
  rig.drained();
  run_to(ns(20'000));
  CHECK(rig.stops.size() == 1);
  CHECK(rig.forgets.size() == 1);
  CHECK(rig.migrator.stats().shootdowns == 1);
  CHECK(rig.migrator.stats().migrations == moves.size());
  REQUIRE(rig.resumes.size() == 1);
  return rig.resumes[0] - ns(1501);
}

const std::vector<Move> kFour = {{0, 2}, {1, 3}, {0, 3}, {2, 0}};

}  // namespace

// A shootdown of 200 ns, and a page a microsecond.
TEST_CASE("page migrator: a batch of one page") {
  CHECK(transfer_time({{0, 2}}, false) == ns(1200));
}
TEST_CASE("page migrator: a batch of one page has nothing to overlap with") {
  CHECK(transfer_time({{0, 2}}, true) == ns(1200));
}
TEST_CASE("page migrator: two pages of a batch are transferred one after the other") {
  CHECK(transfer_time({{0, 2}, {1, 3}}, false) == ns(2200));
}
TEST_CASE("page migrator: two pages without a common home are transferred at once") {
  CHECK(transfer_time({{0, 2}, {1, 3}}, true) == ns(1200));
}
TEST_CASE("page migrator: a page waits for its source") {
  CHECK(transfer_time({{0, 2}, {0, 3}}, true) == ns(2200));
}
TEST_CASE("page migrator: a page waits for its target") {
  CHECK(transfer_time({{0, 2}, {1, 2}}, true) == ns(2200));
}
TEST_CASE("page migrator: a home sends one page while it receives another") {
  CHECK(transfer_time({{0, 2}, {2, 0}}, true) == ns(1200));
}
TEST_CASE("page migrator: four pages one after the other") {
  CHECK(transfer_time(kFour, false) == ns(4200));
}
TEST_CASE("page migrator: four pages over two homes' links") {
  CHECK(transfer_time(kFour, true) == ns(2200));
}
TEST_CASE("page migrator: a batch that stops its users takes as long") {
  CHECK(transfer_time(kFour, true, MoveStop::kUsers) == ns(2200));
}

TEST_CASE("page migrator: overlapped pages arrive one by one while SMs run") {
  PageMigratorConfig c = config("access-counter");
  c.drain = MoveDrain::kOwner;
  c.overlap_transfers = true;
  Rig rig(c);
  map_used(rig, 5, 0, {2});
  map_used(rig, 6, 1, {3});
  map_used(rig, 7, 0, {3});
  run_to(ns(1100));
  rig.drained();
  run_to(ns(1101));
  CHECK(rig.table.arrival(5 * kPage) == ns(1101 + 200 + 1000));
  CHECK(rig.table.arrival(6 * kPage) == ns(1101 + 200 + 1000));
  CHECK(rig.table.arrival(7 * kPage) == ns(1101 + 200 + 2000));
  run_to(ns(3301) - 1);
  CHECK_FALSE(rig.migrator.idle());
  run_to(ns(3301));
  CHECK(rig.migrator.idle());
}

// Messages to and from the GPUs.

namespace {

/// Four GPUs, 30 ns from the migrator.
PageMigratorConfig with_latency(PageMigratorConfig c) {
  c.gpu_latency_ns = 30;
  return c;
}

}  // namespace

TEST_CASE("page migrator: orders and reports of users take their latency") {
  Rig rig(with_latency(users()));
  const std::uint64_t old = map_used(rig, 5, 0, {0, 2});
  // The access is reported at 30, the interval ends at 1031, orders to report counts arrive at
  // 1061, and the counts at 1091.
  run_to(ns(1500));
  CHECK(rig.stops == std::vector<Tick>{ns(1122)});
  CHECK(rig.stopped == std::vector<std::vector<ChannelId>>{gpus({0, 2})});
  rig.drained();
  // Reported at 1531, acted on at 1532; 200 ns of shootdown, a page of 1000.
  run_to(ns(2732) - 2);
  CHECK(rig.copies.empty());
  run_to(ns(2732) - 1);
  CHECK(rig.copies.size() == 1);
  CHECK(rig.forgets.empty());
  CHECK(rig.map->locate(*rig.table.translate(5 * kPage)).channel == ChannelId(2));
  run_to(ns(2762));
  CHECK(rig.forgets == std::vector<Tick>{ns(2762) - 1});
  CHECK(rig.forgotten[0].first == gpus({0, 2}));
  CHECK(rig.forgotten[0].second == std::vector<std::uint64_t>{5});
  CHECK(rig.flushed_l1s == std::vector<Tick>(2, ns(2762) - 1));
  CHECK(rig.drops == rig.forgets);
  CHECK(rig.dropped == std::vector<std::uint64_t>{old});
  CHECK(rig.dropped_elsewhere == std::vector<std::uint64_t>(3, old));
  CHECK(rig.resumes == std::vector<Tick>{ns(2762)});
  CHECK(rig.resumed[0] == gpus({0, 2}));
  // The frame is free when all GPUs have reported the shootdown.
  run_to(ns(2792) - 1);
  CHECK_FALSE(rig.migrator.idle());
  CHECK(rig.table.pages_per_channel() == std::vector<std::uint64_t>{1, 0, 1, 0});
  run_to(ns(2792));
  CHECK(rig.migrator.idle());
  CHECK(rig.table.pages_per_channel() == std::vector<std::uint64_t>{0, 0, 1, 0});
  CHECK(rig.migrator.stats().stopped_cycles == 2732 - 1091);
}

TEST_CASE("page migrator: lines evicted while a shootdown is on its way keep the old frame") {
  Rig rig(with_latency(users()));
  rig.busy = map_used(rig, 5, 0, {0, 2});
  rig.busy_from = ns(2740);
  rig.settled_at = ns(2770);
  run_to(ns(1500));
  rig.drained();
  // Looked at when the order arrives, and 16 cycles later.
  run_to(ns(2778) - 2);
  CHECK(rig.resumes == std::vector<Tick>{ns(2762)});
  CHECK(rig.dropped.empty());
  run_to(ns(2808) - 1);
  CHECK(rig.drops == std::vector<Tick>{ns(2778) - 1});
  CHECK_FALSE(rig.migrator.idle());
  run_to(ns(2808));
  CHECK(rig.migrator.idle());
  CHECK(rig.table.pages_per_channel() == std::vector<std::uint64_t>{0, 0, 1, 0});
}

TEST_CASE("page migrator: the next batch can begin when the messages of a batch have arrived") {
  Rig rig(with_latency(users()));
  map_used(rig, 5, 0, {2});
  run_to(ns(1500));
  rig.drained();
  run_to(ns(3000));
  REQUIRE(rig.migrator.stats().migrations == 1);
  rig.table.walk(5 * kPage, SmId(3));
  rig.use(5, 3, 10, false);
  // 1 fs after an edge: reported at 3031; the interval ends at 4032, the counts come at 4092.
  run_to(ns(4200));
  CHECK(rig.stops == std::vector<Tick>{ns(1122), ns(4123)});
}

TEST_CASE("page migrator: with all stopped, orders and reports take their latency") {
  Rig rig(with_latency(config("access-counter")), 0.25, 4);
  rig.table.map(5, ChannelId(0));
  rig.use(5, 2, 10, false);
  run_to(ns(1500));
  CHECK(rig.stops == std::vector<Tick>{ns(1121)});
  CHECK(rig.stopped[0].size() == 4);
  rig.drained();
  run_to(ns(5000));
  CHECK(rig.resumes == std::vector<Tick>{ns(2762)});
  CHECK(rig.drops == rig.resumes);
  CHECK(rig.forgotten[0].first.size() == 4);
  CHECK(rig.migrator.idle());
}

TEST_CASE("page migrator: on demand, an access from elsewhere is reported with the latency") {
  Rig rig(with_latency(on_demand()), 0.25, 4);
  rig.table.map(5, ChannelId(0));
  rig.use(5, 0, 10, false);
  run_to(ns(2000));
  rig.use(5, 2, 1, false);
  // 1 fs after an edge: reported at 2031, gathered from 2032 to 2132, counted at 2192.
  run_to(ns(3000));
  CHECK(rig.stops == std::vector<Tick>{ns(2222)});
}

TEST_CASE("page migrator: a kernel's end waits for the shootdown of all GPUs") {
  PageMigratorConfig c = with_latency(config("replication"));
  c.shootdown_ns = 10;
  Rig rig(c, 0.25, 4);
  rig.table.map(5, ChannelId(0));
  rig.use(5, 2, 10, true);
  run_to(ns(1200));
  rig.drained();
  run_to(ns(5000));
  REQUIRE(rig.migrator.stats().copies == 1);
  bool done = false;
  rig.migrator.flush({}, [&] { done = true; });
  // Orders at 5001 arrive at 5031, the reports at 5061; the cost of the shootdown ends at 5011.
  run_to(ns(5061) - 1);
  CHECK(rig.forgets.back() == ns(5031));
  CHECK_FALSE(done);
  run_to(ns(5061));
  CHECK(done);
  CHECK(rig.migrator.idle());
}

TEST_CASE("page migrator: reset drops messages on their way") {
  Rig rig(with_latency(users()));
  map_used(rig, 5, 0, {0, 2});
  run_to(ns(1100));
  REQUIRE_FALSE(rig.migrator.idle());
  rig.migrator.reset();
  CHECK(rig.migrator.idle());
  run_to(ns(9000));
  CHECK(rig.stops.empty());
}

namespace {

/// Four GPUs without latency act at the same instants as one, in either order of the processes.
void check_four_gpus(bool reverse) {
  Rig rig(config("access-counter"), 0.25, 4);
  DomainRunner::instance().run_in_reverse(reverse);
  const std::uint64_t old = rig.table.map(5, ChannelId(0));
  rig.table.map(6, ChannelId(1));
  rig.use(5, 2, 9, false);
  rig.use(6, 2, 9, false);
  // Accesses at the instant at which the interval ends count for the next one, and begin it.
  sc_core::sc_start(to_sc_time(ns(1001) - now()));
  rig.use(5, 2, 10, false);
  run_to(ns(1001));
  CHECK(rig.migrator.stats().intervals == 1);
  CHECK(rig.stops.empty());
  run_to(ns(2002));
  CHECK(rig.stops == std::vector<Tick>{ns(2002)});
  CHECK(rig.stopped[0].size() == 4);
  run_to(ns(2500));
  rig.drained();
  run_to(ns(2501 + 200 + 1000) - 1);
  CHECK(rig.resumes.empty());
  run_to(ns(2501 + 200 + 1000));
  CHECK(rig.resumes == std::vector<Tick>{ns(3701)});
  CHECK(rig.dropped == std::vector<std::uint64_t>{old});
  CHECK(rig.drops == rig.resumes);
  CHECK(rig.table.pages_per_channel() == std::vector<std::uint64_t>{0, 1, 1, 0});
  CHECK(rig.migrator.idle());
}

}  // namespace

TEST_CASE("page migrator: four GPUs without latency act as one") { check_four_gpus(false); }
TEST_CASE("page migrator: the order of the parts' processes does not matter") {
  check_four_gpus(true);
}

}  // namespace tessera::page_migrator_test
