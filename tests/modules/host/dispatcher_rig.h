// SPDX-License-Identifier: Apache-2.0
#pragma once

// A CtaDispatcher with SMs and L1 caches that are not there.

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "modules/host/cta_dispatcher.h"
#include "modules/kernel/domain.h"
#include "modules/kernel/sc_time.h"

namespace tessera {

inline const ClockDomain kClock(1'000'000'000);

class FakeKernel final : public KernelProgram {
 public:
  /// `cycles`: of each CTA; 0: the SM decides.
  explicit FakeKernel(std::uint32_t ctas, std::uint32_t threads = 32, bool cooperative = false,
                      std::uint64_t cycles = 0)
      : takes(cycles), ctas_(ctas), threads_(threads), cooperative_(cooperative) {}
  const std::string& name() const override { return name_; }
  Dim3 grid() const override { return {ctas_, 1, 1}; }
  Dim3 block() const override { return {threads_, 1, 1}; }
  CtaResources resources() const override { return {threads_, 8, 0}; }
  unsigned register_names() const override { return 1; }
  bool cooperative() const override { return cooperative_; }
  std::unique_ptr<CtaProgram> start_cta(CtaId) override { return nullptr; }

  const std::uint64_t takes;

 private:
  std::string name_ = "fake";
  std::uint32_t ctas_;
  std::uint32_t threads_;
  bool cooperative_;
};

struct FakeCache final : public sc_core::sc_module, public FlushIf {
  explicit FakeCache(const sc_core::sc_module_name& n) : sc_module(n) {}
  void flush() override { flushed.push_back(now()); }
  std::vector<Tick> flushed;
};

/// Ends each CTA after a random time, and says that a launch has drained a while after its last.
struct FakeSm final : public sc_core::sc_module, public CtaSinkIf {
  FakeSm(const sc_core::sc_module_name& n, std::uint32_t index, unsigned residents)
      : sc_module(n), id(index), resident(residents), random(index) {
    wake.bind<&FakeSm::work>(*this);
  }
  struct End {
    Tick at = 0;
    LaunchedCta cta;
  };
  /// Of a launch on this SM.
  struct Launch {
    unsigned running = 0;
    Tick drain_at = kNever;
  };
  void start_cta(KernelProgram& kernel, LaunchedCta cta, Tick at) override {
    CHECK(at > now());
    CHECK(kClock.is_edge(at));
    started.push_back(cta.id.value);
    launched.push_back(cta.launch.value);
    starts.push_back(at);
    Launch& launch = launches[cta.launch.value];
    launch.drain_at = kNever;
    ++launch.running;
    most = std::max(most, ++running);
    std::uint64_t cycles = static_cast<FakeKernel&>(kernel).takes;
    if (cycles == 0) cycles = takes == 0 ? 1 + random() % 50 : takes;
    ends.push_back({at + kClock.time_of(cycles), cta});
    wake.at(ends.back().at);
  }
  void adopt_cta(KernelProgram&, std::unique_ptr<CtaProgram>, LaunchedCta, Tick) override {
    FAIL("no CTA moves here");
  }
  void release_cta(LaunchedCta, CtaReleased) override { FAIL("no CTA moves here"); }
  SmResources capacity() const override { return {resident, 64, 2048, 1 << 16, 1 << 16}; }
  void work() {
    std::stable_sort(ends.begin(), ends.end(),
                     [](const End& a, const End& b) { return a.at < b.at; });
    while (!ends.empty() && ends.front().at <= now()) {
      const LaunchedCta cta = ends.front().cta;
      ends.pop_front();
      --running;
      last_end = now();
      events->cta_finished(SmId(id), cta);
      Launch& launch = launches[cta.launch.value];
      if (--launch.running == 0) launch.drain_at = now() + drain;
    }
    for (auto& [slot, launch] : launches) {
      if (launch.drain_at <= now()) {
        launch.drain_at = kNever;
        drained = now();
        events->sm_drained(SmId(id), LaunchSlot(slot));
      }
      wake.at(launch.drain_at);
    }
    if (!ends.empty()) wake.at(ends.front().at);
  }

  std::uint32_t id;
  unsigned resident;
  std::mt19937_64 random;
  DispatchEventsIf* events = nullptr;
  std::uint64_t takes = 0;  ///< cycles of each CTA; 0: random
  Tick drain = 0;
  Tick drained = 0;
  Tick last_end = 0;
  unsigned running = 0;
  unsigned most = 0;
  std::deque<End> ends;
  std::map<unsigned, Launch> launches;
  std::vector<std::uint32_t> started;
  std::vector<unsigned> launched;  ///< launch of each started CTA
  std::vector<Tick> starts;
  ProcessTimer wake;
};

struct Rig {
  /// One kernel's, in the order of launch().
  struct Launched {
    LaunchSlot slot;
    Tick turn = kNever;  ///< when on_turn was called
    Tick ended_at = kNever;
    Tick first_cta_at = kNever;
    std::exception_ptr error;
    std::vector<bool> alone;  ///< of each on_begin
  };

  std::vector<std::unique_ptr<FakeSm>> sms;
  std::vector<std::unique_ptr<FakeCache>> caches;  ///< flushed after kernels that end alone
  FakeCache beside{"beside"};                      ///< flushed after kernels beside others
  CtaDispatcher dispatcher;
  std::deque<Launched> launches;
  // Of the last kernel that has ended.
  unsigned ended = 0;
  Tick ended_at = 0;
  std::exception_ptr error;

  explicit Rig(unsigned n, const std::string& scheduler = "distributed", unsigned residents = 3,
               std::uint64_t launch_cycles = 0, const std::string& kernels = "leftover")
      : dispatcher(
            "dispatcher", config(launch_cycles),
            [scheduler](std::uint32_t) { return make_policy<CtaScheduler>(scheduler); },
            place(n, kernels)) {
    for (unsigned i = 0; i < n; ++i) {
      const std::string number = std::to_string(i);
      sms.push_back(std::make_unique<FakeSm>(("sm" + number).c_str(), i, residents));
      caches.push_back(std::make_unique<FakeCache>(("l1_" + number).c_str()));
      sms[i]->events = &dispatcher;
      dispatcher.sms[i].bind(*sms[i]);
    }
    FlushStage alone{"l1", {}, {}, {}, {}};
    for (auto& cache : caches) alone.drop.push_back(cache.get());
    dispatcher.set_flush_stages(GpuId(0), {{{alone}, {{"beside", {&beside}, {}, {}, {}}}}});
  }
  Launched& launch(KernelProgram& kernel, std::int32_t priority = 0) {
    Launched& here = launches.emplace_back();
    KernelLaunch l(kernel, [this, &here](const KernelEnd& e) {
      ++ended;
      ended_at = here.ended_at = now();
      error = here.error = e.error;
      here.first_cta_at = e.first_cta_at;
    });
    l.priority = priority;
    l.on_turn = [&here] { here.turn = now(); };
    l.on_begin = [&here](GpuId, bool alone) { here.alone.push_back(alone); };
    here.slot = dispatcher.launch(std::move(l));
    return here;
  }
  void run(std::uint64_t cycles) { sc_core::sc_start(to_sc_time(kClock.time_of(cycles))); }
  void check_each_cta_once(std::uint32_t ctas) const {
    std::vector<std::uint32_t> all;
    for (const auto& sm : sms) all.insert(all.end(), sm->started.begin(), sm->started.end());
    std::sort(all.begin(), all.end());
    REQUIRE(all.size() == ctas);
    for (std::uint32_t i = 0; i < ctas; ++i) CHECK(all[i] == i);
  }

 private:
  static CtaDispatcherSite place(unsigned sms, const std::string& kernels) {
    PolicyContext context;
    context.tree.sms = sms;
    CtaDispatcherSite p;
    p.sms = sms;
    p.kernels = make_policy<KernelScheduler>(kernels, context);
    return p;
  }
  static DispatchConfig config(std::uint64_t launch_cycles) {
    DispatchConfig c;
    c.clock_hz = kClock.hertz();
    c.launch_cycles = launch_cycles;
    return c;
  }
};

}  // namespace tessera
