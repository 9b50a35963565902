// SPDX-License-Identifier: Apache-2.0
#include "modules/host/cta_dispatcher.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "modules/kernel/sc_time.h"
#include "tests/modules/host/dispatcher_rig.h"

namespace tessera::cta_dispatcher_test {

namespace {

void run_all(const std::string& scheduler) {
  Rig rig(4, scheduler);
  for (auto& sm : rig.sms) sm->drain = kClock.time_of(7);
  FakeKernel kernel(97);
  rig.launch(kernel);
  CHECK_FALSE(rig.dispatcher.idle());
  sc_core::sc_start(to_sc_time(kClock.time_of(10'000)));
  CHECK(rig.ended == 1);
  CHECK_FALSE(rig.error);
  CHECK(rig.dispatcher.idle());
  rig.check_each_cta_once(97);
  CHECK(rig.dispatcher.ctas_done() == 97);
  CHECK(rig.dispatcher.ctas_total() == 97);
  CHECK(rig.dispatcher.stats().ctas == 97);
  CHECK(rig.dispatcher.stats().kernels == 1);
  Tick drained = 0;
  for (const auto& sm : rig.sms) {
    CHECK(sm->most == 3);
    drained = std::max(drained, sm->drained);
    // One CTA a cycle.
    CHECK(std::adjacent_find(sm->starts.begin(), sm->starts.end()) == sm->starts.end());
  }
  // The news is acted on at the next edge, where the caches are flushed; they are empty at theirs.
  for (const auto& cache : rig.caches) {
    CHECK(cache->flushed == std::vector<Tick>{drained + kClock.time_of(1)});
  }
  CHECK(rig.ended_at == drained + kClock.time_of(3));
}

}  // namespace

TEST_CASE("each CTA runs once, distributed, and the kernel ends when all is drained and flushed") {
  run_all("distributed");
}
TEST_CASE("each CTA runs once, round-robin, and the kernel ends when all is drained and flushed") {
  run_all("round-robin");
}

TEST_CASE("the first CTA starts a cycle after the launch has taken its cycles") {
  Rig rig(1, "distributed", 2, 10);
  FakeKernel kernel(3);
  rig.launch(kernel);
  sc_core::sc_start(to_sc_time(kClock.time_of(1'000)));
  // The launch counts from the next edge; a CTA starts the edge after it is dealt.
  CHECK(rig.sms[0]->starts.at(0) == kClock.time_of(1 + 10 + 1));
  CHECK(rig.sms[0]->starts.at(1) == kClock.time_of(1 + 10 + 2));
  CHECK(rig.ended == 1);
}

TEST_CASE("a kernel does not end while stores of an SM are not acknowledged") {
  Rig rig(2);
  rig.sms[1]->drain = kClock.time_of(5'000);
  FakeKernel kernel(8);
  rig.launch(kernel);
  sc_core::sc_start(to_sc_time(kClock.time_of(4'000)));
  CHECK(rig.dispatcher.ctas_done() == 8);
  CHECK(rig.ended == 0);
  CHECK(rig.caches[0]->flushed.empty());
  std::vector<Waiting> waiting;
  rig.dispatcher.describe_waiting(waiting);
  CHECK(waiting.size() == 1);
  sc_core::sc_start(to_sc_time(kClock.time_of(4'000)));
  CHECK(rig.ended == 1);
}

TEST_CASE("a second kernel runs after the first, every CTA once again") {
  Rig rig(3);
  FakeKernel first(10);
  FakeKernel second(20);
  rig.launch(first);
  sc_core::sc_start(to_sc_time(kClock.time_of(2'000)));
  REQUIRE(rig.ended == 1);
  for (auto& sm : rig.sms) sm->started.clear();
  rig.launch(second);
  sc_core::sc_start(to_sc_time(kClock.time_of(2'000)));
  CHECK(rig.ended == 2);
  rig.check_each_cta_once(20);
  CHECK(rig.caches[0]->flushed.size() == 2);
}

TEST_CASE("a flush that is due before the next kernel precedes its first CTA, exact") {
  Rig rig(3);
  rig.dispatcher.flush_before_kernels();
  for (auto& sm : rig.sms) sm->drain = kClock.time_of(7);
  FakeKernel first(10);
  FakeKernel second(20);
  rig.launch(first);
  sc_core::sc_start(to_sc_time(kClock.time_of(2'000)));
  REQUIRE(rig.ended == 1);
  Tick drained = 0;
  for (const auto& sm : rig.sms) drained = std::max(drained, sm->drained);
  CHECK(rig.ended_at == drained + kClock.time_of(1));
  CHECK(rig.dispatcher.drained_at() == rig.ended_at);
  CHECK(rig.caches[0]->flushed.empty());
  for (auto& sm : rig.sms) {
    sm->started.clear();
    sm->starts.clear();
  }
  const Tick launched = now();
  rig.launch(second);
  sc_core::sc_start(to_sc_time(kClock.time_of(2)));
  std::vector<Waiting> waiting;
  rig.dispatcher.describe_waiting(waiting);
  for (const Waiting& w : waiting) CHECK(w.queue.find("pending_ctas") == std::string::npos);
  sc_core::sc_start(to_sc_time(kClock.time_of(2'000)));
  CHECK(rig.ended == 2);
  rig.check_each_cta_once(20);
  // The launch counts from the next edge. The L1s take two cycles, and a CTA starts one later.
  for (const auto& cache : rig.caches) {
    CHECK(cache->flushed == std::vector<Tick>{launched + kClock.time_of(1)});
  }
  for (const auto& sm : rig.sms) {
    CHECK(sm->starts.at(0) == launched + kClock.time_of(1 + 2 + 1));
  }
}

TEST_CASE("a kernel that does not fit is refused also if a flush is due before it") {
  Rig rig(2);
  rig.dispatcher.flush_before_kernels();
  FakeKernel first(4);
  rig.launch(first);
  sc_core::sc_start(to_sc_time(kClock.time_of(2'000)));
  REQUIRE(rig.ended == 1);
  for (auto& sm : rig.sms) sm->resident = 0;
  FakeKernel second(4);
  rig.launch(second);
  sc_core::sc_start(to_sc_time(kClock.time_of(2'000)));
  CHECK(rig.ended == 2);
  CHECK(rig.error);
  CHECK(rig.dispatcher.idle());
}

TEST_CASE("news of one instant has one effect, whichever SM speaks first") {
  // Two kernels of two CTAs; the SMs' news comes by hand in either order.
  std::array<Tick, 2> took{};
  Rig rig(2, "distributed", 1);
  for (unsigned round = 0; round < 2; ++round) {
    const Tick begun = now();
    FakeKernel kernel(2);
    rig.launch(kernel);
    // Longer than any CTA of the fake SMs: they have ended; what they said was the same news.
    sc_core::sc_start(to_sc_time(kClock.time_of(3)));
    for (auto& sm : rig.sms) {
      REQUIRE(sm->running == 1);
      sm->ends.clear();
      sm->wake.cancel();
    }
    for (unsigned i = 0; i < 2; ++i) {
      const std::uint32_t sm = round == 0 ? i : 1 - i;
      rig.sms[sm]->running = 0;
      const LaunchSlot launch(rig.sms[sm]->launched.back());
      rig.dispatcher.cta_finished(SmId(sm), {CtaId(rig.sms[sm]->started.back()), launch});
      rig.dispatcher.sm_drained(SmId(sm), launch);
    }
    sc_core::sc_start(to_sc_time(kClock.time_of(100)));
    REQUIRE(rig.ended == round + 1);
    took[round] = rig.ended_at - begun;
  }
  CHECK(took[0] == took[1]);
}

TEST_CASE("a failed kernel ends with its first error") {
  Rig rig(2);
  FakeKernel kernel(100);
  rig.launch(kernel);
  sc_core::sc_start(to_sc_time(kClock.time_of(20)));
  // Of one instant, the lower SM's, whichever process ran first; none that comes later.
  const auto fail = [&rig](std::uint32_t sm, const char* text) {
    rig.dispatcher.kernel_failed(SmId(sm), std::make_exception_ptr(RunError(text)));
  };
  fail(1, "second");
  fail(0, "first");
  fail(1, "second again");
  sc_core::sc_start(sc_core::sc_time::from_value(1));
  fail(0, "later");
  CHECK(rig.ended == 0);
  sc_core::sc_start(to_sc_time(kClock.time_of(1'000)));
  CHECK(rig.ended == 1);
  REQUIRE(rig.error);
  CHECK_THROWS_WITH(std::rethrow_exception(rig.error), "first");
  CHECK(rig.dispatcher.idle());
  CHECK(rig.caches[0]->flushed.empty());
}

namespace {

/// Two GPUs of two SMs, in domains of their own; the dispatcher is 50 cycles away.
struct TwoGpus {
  static constexpr std::uint64_t kAway = 50;
  Domain first{"gpu0"};
  Domain second{"gpu1"};
  std::vector<std::unique_ptr<FakeSm>> sms;
  std::vector<std::unique_ptr<FakeCache>> caches;
  CtaDispatcher dispatcher;
  Tick ended_at = 0;
  std::exception_ptr error;

  explicit TwoGpus(const CtaSchedulerFactory& make)
      : dispatcher("dispatcher", config(), make, {4, 0, {&first, &second}, nullptr}) {
    for (unsigned i = 0; i < 4; ++i) {
      const Domain::Construction in(i < 2 ? first : second);
      const std::string number = std::to_string(i);
      sms.push_back(std::make_unique<FakeSm>(("sm" + number).c_str(), i, 1));
      caches.push_back(std::make_unique<FakeCache>(("l1_" + number).c_str()));
      sms[i]->events = &dispatcher;
      dispatcher.sms[i].bind(*sms[i]);
    }
    for (unsigned g = 0; g < 2; ++g) {
      const FlushStage l1s{"l1", {caches[2 * g].get(), caches[2 * g + 1].get()}, {}, {}, {}};
      dispatcher.set_flush_stages(GpuId(g), {{{l1s}, {l1s}}});
    }
  }
  void run(std::uint32_t ctas) {
    FakeKernel kernel(ctas);
    dispatcher.launch({kernel, [this](const KernelEnd& e) {
                         ended_at = now();
                         error = e.error;
                       }});
    sc_core::sc_start(to_sc_time(kClock.time_of(5'000)));
  }
  /// The time at which an SM's notification that it has drained takes effect.
  Tick drained(unsigned gpu) const {
    return std::max(sms[2 * gpu]->drained, sms[2 * gpu + 1]->drained) + kClock.time_of(1);
  }

 private:
  static DispatchConfig config() {
    DispatchConfig c;
    c.clock_hz = kClock.hertz();
    c.gpu_latency_ns = kAway;
    return c;
  }
};

void check_times(const TwoGpus& rig) {
  // The launch counts from the next edge; the order arrives 50 cycles later; a CTA starts the edge
  // after it is dealt.
  for (const auto& sm : rig.sms) CHECK(sm->starts.at(0) == kClock.time_of(1 + 50 + 1));
  // The later report, then the order to flush.
  const Tick ended = std::max(rig.drained(0), rig.drained(1)) + kClock.time_of(50);
  for (const auto& cache : rig.caches) {
    CHECK(cache->flushed == std::vector<Tick>{ended + kClock.time_of(50)});
  }
  // Two cycles of the L1s, and their GPUs' reports.
  CHECK(rig.ended_at == ended + kClock.time_of(50 + 2 + 50));
}

CtaSchedulerFactory distributed() {
  return [](std::uint32_t) { return make_policy<CtaScheduler>("distributed"); };
}

/// Returns the even CTAs only.
class Halves final : public CtaScheduler {
 public:
  void begin(const CtaGrid& grid, unsigned) override { end_ = grid.x; }
  std::optional<CtaId> next(SmId) override {
    if (next_ >= end_) return std::nullopt;
    return CtaId(std::exchange(next_, next_ + 2));
  }
  bool has_more(SmId) const override { return next_ < end_; }

 private:
  std::uint32_t next_ = 0;
  std::uint32_t end_ = 0;
};

}  // namespace

TEST_CASE("orders to several GPUs and their reports take the latency between them") {
  TwoGpus rig(distributed());
  rig.run(10);
  REQUIRE_FALSE(rig.error);
  CHECK(rig.dispatcher.ctas_done() == 10);
  CHECK(rig.dispatcher.stats().ctas == 10);
  check_times(rig);
}

TEST_CASE("the times of several GPUs depend on no window") {
  TwoGpus rig(distributed());
  DomainRunner::instance().run_ahead({&rig.first, &rig.second}, {0, 1});
  CHECK(DomainRunner::instance().lookahead() == kClock.time_of(TwoGpus::kAway));
  rig.run(10);
  REQUIRE_FALSE(rig.error);
  CHECK(rig.dispatcher.ctas_done() == 10);
  check_times(rig);
}

TEST_CASE("a kernel that fails on two GPUs ends with the earlier failure") {
  TwoGpus rig(distributed());
  for (auto& sm : rig.sms) sm->wake.cancel();
  FakeKernel kernel(4);
  rig.dispatcher.launch({kernel, [&rig](const KernelEnd& e) {
                           rig.ended_at = now();
                           rig.error = e.error;
                         }});
  sc_core::sc_start(to_sc_time(kClock.time_of(60)) + sc_core::sc_time::from_value(1));
  rig.dispatcher.kernel_failed(SmId(3), std::make_exception_ptr(RunError("first")));
  sc_core::sc_start(sc_core::sc_time::from_value(1));
  rig.dispatcher.kernel_failed(SmId(0), std::make_exception_ptr(RunError("second")));
  sc_core::sc_start(to_sc_time(kClock.time_of(1'000)));
  REQUIRE(rig.error);
  CHECK_THROWS_WITH(std::rethrow_exception(rig.error), "first");
  CHECK(rig.ended_at == kClock.time_of(61 + 50));
}

TEST_CASE("a kernel of which not each CTA is returned once fails") {
  // Each GPU has a scheduler of its own, which returns the same five CTAs: as many as the kernel
  // has.
  TwoGpus rig([](std::uint32_t) { return std::make_unique<Halves>(); });
  rig.run(10);
  REQUIRE(rig.error);
  CHECK_THROWS_WITH(std::rethrow_exception(rig.error),
                    "kernel 'fake': the CTA schedulers have not returned each of 10 CTAs once, but "
                    "10 in all");
  CHECK(rig.dispatcher.idle());
  CHECK(rig.caches[0]->flushed.empty());
}

TEST_CASE("a CTA that fits no SM is an input error and no CTA starts") {
  Rig rig(1, "distributed", 0);
  FakeKernel kernel(1);
  // At the launch, or through the kernel's end.
  try {
    rig.launch(kernel);
    sc_core::sc_start(to_sc_time(kClock.time_of(100)));
    CHECK(rig.ended == 1);
  } catch (const InputError&) {
    rig.error = std::current_exception();
  }
  REQUIRE(rig.error);
  CHECK_THROWS_AS(std::rethrow_exception(rig.error), InputError);
  CHECK(rig.dispatcher.idle());
  CHECK(rig.sms[0]->started.empty());
}

}  // namespace tessera::cta_dispatcher_test
