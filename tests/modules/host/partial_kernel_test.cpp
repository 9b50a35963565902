// SPDX-License-Identifier: Apache-2.0
// Kernels of which SMs run a part: what is skipped before, and what is left when they are stopped.
#include "modules/host/partial_kernel.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/host/cta_dispatcher.h"
#include "modules/kernel/sc_time.h"

namespace tessera::partial_kernel_test {

namespace {

const ClockDomain kClock(1'000'000'000);

/// A CTA of one warp that only ends.
class FakeCta final : public CtaProgram {
 public:
  explicit FakeCta(CtaId cta) : id(cta) {}
  unsigned warp_count() const override { return 1; }
  WarpProgram& warp(unsigned) override { throw std::logic_error("this CTA has no instructions"); }
  unsigned warp_threads(unsigned) const override { return 32; }
  const CtaId id;
};

class FakeKernel final : public KernelProgram {
 public:
  explicit FakeKernel(std::uint32_t ctas, bool cooperative = false)
      : ctas_(ctas), cooperative_(cooperative) {}
  const std::string& name() const override { return name_; }
  Dim3 grid() const override { return {ctas_, 1, 1}; }
  Dim3 block() const override { return {32, 1, 1}; }
  CtaResources resources() const override { return {32, 8, 0}; }
  unsigned register_names() const override { return 1; }
  bool cooperative() const override { return cooperative_; }
  std::unique_ptr<CtaProgram> start_cta(CtaId cta) override {
    started.push_back(cta.value);
    return std::make_unique<FakeCta>(cta);
  }
  std::vector<std::uint32_t> started;

 private:
  std::string name_ = "fake";
  std::uint32_t ctas_;
  bool cooperative_;
};

std::uint32_t number(const CtaProgram* cta) { return static_cast<const FakeCta*>(cta)->id.value; }

/// Schedulers of GPUs with two SMs each, for a kernel that has begun.
struct Schedulers {
  std::vector<std::unique_ptr<CtaScheduler>> own;
  LaunchSchedulers launch;
  Schedulers(unsigned gpus, std::uint32_t ctas) {
    launch.sms_per_gpu = 2;
    for (unsigned g = 0; g < gpus; ++g) {
      own.push_back(make_policy<CtaScheduler>("distributed"));
      own.back()->begin(CtaGrid{ctas, 1, 1}, 2 * gpus);
      launch.of_gpu.push_back(own.back().get());
    }
  }
  std::vector<std::uint32_t> left() const {
    std::vector<std::uint32_t> all;
    const auto next = ctas_left(launch);
    while (const auto cta = next()) all.push_back(cta->value);
    CHECK_FALSE(next());
    return all;
  }
};

/// An SM whose CTAs end when the test says so.
struct HeldSm final : public sc_core::sc_module, public CtaSinkIf {
  HeldSm(const sc_core::sc_module_name& n, std::uint32_t index) : sc_module(n), id(index) {
    wake.bind<&HeldSm::work>(*this);
  }
  void start_cta(KernelProgram& kernel, LaunchedCta cta, Tick at) override {
    launch = cta.launch;
    running.emplace_back(cta.id, kernel.start_cta(cta.id));
    starts.push_back(at);
  }
  void adopt_cta(KernelProgram&, std::unique_ptr<CtaProgram> program, LaunchedCta cta,
                 Tick at) override {
    launch = cta.launch;
    adopted.push_back(cta.id.value);
    running.emplace_back(cta.id, std::move(program));
    starts.push_back(at);
  }
  void release_cta(LaunchedCta cta, CtaReleased released) override {
    releases.emplace_back(cta.id, std::move(released));
    wake.at(kClock.after(now() + 1, 2));  // two edges for what is outstanding
  }
  SmResources capacity() const override { return {2, 64, 2048, 1 << 16, 1 << 16}; }
  void work() {
    for (auto& [cta, released] : releases) {
      const auto found = std::find_if(running.begin(), running.end(),
                                      [c = cta](const auto& r) { return r.first == c; });
      if (found == running.end()) {
        released(nullptr);
        continue;
      }
      released(std::move(found->second));
      running.erase(found);
    }
    releases.clear();
    events->sm_drained(SmId(id), launch);
  }
  void end(CtaId cta) {
    running.erase(std::find_if(running.begin(), running.end(),
                               [cta](const auto& r) { return r.first == cta; }));
    events->cta_finished(SmId(id), {cta, launch});
    if (running.empty()) events->sm_drained(SmId(id), launch);
  }

  const std::uint32_t id;
  LaunchSlot launch;
  DispatchEventsIf* events = nullptr;
  std::vector<std::pair<CtaId, std::unique_ptr<CtaProgram>>> running;
  std::vector<std::pair<CtaId, CtaReleased>> releases;
  std::vector<std::uint32_t> adopted;
  std::vector<Tick> starts;
  ProcessTimer wake;
};

/// Two SMs that hold two CTAs each, and a dispatcher.
struct Rig {
  std::vector<std::unique_ptr<HeldSm>> sms;
  CtaDispatcher dispatcher;
  bool ended = false;
  Tick ended_at = 0;

  Rig()
      : dispatcher("dispatcher", config(),
                   [](std::uint32_t) { return make_policy<CtaScheduler>("distributed"); }, {2}) {
    for (unsigned i = 0; i < 2; ++i) {
      sms.push_back(std::make_unique<HeldSm>(("sm" + std::to_string(i)).c_str(), i));
      sms[i]->events = &dispatcher;
      dispatcher.sms[i].bind(*sms[i]);
    }
  }
  void launch(KernelProgram& kernel) {
    ended = false;
    dispatcher.launch({kernel, [this](const KernelEnd& e) {
                         CHECK_FALSE(e.error);
                         ended = true;
                         ended_at = now();
                       }});
  }
  static DispatchConfig config() {
    DispatchConfig c;
    c.clock_hz = kClock.hertz();
    return c;
  }
};

void run(std::uint64_t cycles) { sc_core::sc_start(to_sc_time(kClock.time_of(cycles))); }

}  // namespace

TEST_CASE("CTAs are skipped in the turn of the SMs of all GPUs, and the last one can be held") {
  Schedulers s(2, 8);  // two CTAs for each SM
  FakeKernel kernel(8);
  std::vector<std::uint32_t> skipped;
  const SkipResult r =
      skip_ctas(kernel, s.launch, [&](KernelProgram&, const std::vector<CtaProgram*>& ctas) {
        REQUIRE(ctas.size() == 1);
        skipped.push_back(number(ctas[0]));
        if (skipped.size() == 6) return false;
        ctas[0]->end_warp(0);
        return true;
      });
  // SM 0 of GPU 0 has 0 and 1, SM 1 2 and 3; GPU 1's SMs have 4 to 7.
  CHECK(skipped == std::vector<std::uint32_t>{0, 4, 2, 6, 1, 5});
  CHECK_FALSE(r.more);
  REQUIRE(r.of_gpu.size() == 2);
  CHECK(r.of_gpu[0]->ended == 3);
  CHECK(r.of_gpu[0]->ended_numbers == 0 + 2 + 1);
  CHECK(r.of_gpu[0]->held.empty());
  CHECK(r.of_gpu[1]->ended == 2);
  CHECK(r.of_gpu[1]->ended_numbers == 4 + 6);
  REQUIRE(r.of_gpu[1]->held.size() == 1);
  CHECK(r.of_gpu[1]->held[0].id == CtaId(5));
  CHECK(r.of_gpu[1]->held[0].sm == SmId(2));
  CHECK(s.left() == std::vector<std::uint32_t>{3, 7});
}

TEST_CASE("a kernel can be skipped to its end") {
  Schedulers s(1, 5);
  FakeKernel kernel(5);
  const SkipResult r =
      skip_ctas(kernel, s.launch, [](KernelProgram&, const std::vector<CtaProgram*>& ctas) {
        ctas[0]->end_warp(0);
        return true;
      });
  CHECK(r.more);
  CHECK(r.of_gpu[0]->ended == 5);
  CHECK(r.of_gpu[0]->ended_numbers == 10);
  CHECK(r.of_gpu[0]->held.empty());
  CHECK(s.left().empty());
}

TEST_CASE("the CTAs of a cooperative kernel are skipped together") {
  Schedulers s(2, 6);
  FakeKernel kernel(6, true);
  unsigned calls = 0;
  const SkipResult r =
      skip_ctas(kernel, s.launch, [&](KernelProgram&, const std::vector<CtaProgram*>& ctas) {
        ++calls;
        REQUIRE(ctas.size() == 6);
        for (CtaProgram* cta : ctas) {
          if (number(cta) != 4) cta->end_warp(0);
        }
        return false;
      });
  CHECK(calls == 1);
  CHECK(r.of_gpu[0]->ended + r.of_gpu[1]->ended == 5);
  CHECK(r.of_gpu[0]->held.size() + r.of_gpu[1]->held.size() == 1);
  CHECK(s.left().empty());
}

TEST_CASE("SMs adopt CTAs that were skipped in part, and the others are dealt at the same time") {
  Rig rig;
  FakeKernel kernel(4);
  unsigned calls = 0;
  Tick begun = kNever;
  rig.dispatcher.skip_first(
      [&](KernelProgram&, const std::vector<CtaProgram*>& ctas) {
        if (++calls == 2) return false;
        ctas[0]->end_warp(0);
        return true;
      },
      [&] { begun = now(); });
  rig.launch(kernel);
  run(10);
  CHECK(begun == kClock.time_of(1));
  CHECK(calls == 2);  // CTA 0 has ended, CTA 2 is held
  CHECK(rig.sms[0]->adopted.empty());
  CHECK(rig.sms[1]->adopted == std::vector<std::uint32_t>{2});
  for (const auto& sm : rig.sms) {
    for (const Tick at : sm->starts) CHECK(at == kClock.time_of(2));
  }
  CHECK(rig.dispatcher.ctas_done() == 1);
  rig.sms[0]->end(CtaId(1));
  rig.sms[1]->end(CtaId(2));
  rig.sms[1]->end(CtaId(3));
  run(10);
  CHECK(rig.ended);
  CHECK(rig.dispatcher.ctas_done() == 4);
  CHECK(rig.dispatcher.stats().ctas == 2);  // without those that were skipped
  CHECK_FALSE(rig.dispatcher.take_rest());
  // The skip is over: the next kernel begins at once.
  FakeKernel next(1);
  rig.launch(next);
  run(10);
  CHECK(calls == 2);
  CHECK(rig.sms[0]->running.size() + rig.sms[1]->running.size() == 1);
}

TEST_CASE("a stopped kernel ends when its CTAs are released, and what is left can be taken") {
  Rig rig;
  FakeKernel kernel(12);
  rig.launch(kernel);
  run(10);
  // SM 0 has 0 and 1 of 0 to 5, SM 1 6 and 7 of 6 to 11.
  CHECK(rig.sms[0]->running.size() == 2);
  rig.sms[0]->end(CtaId(0));
  run(5);
  CHECK(rig.sms[0]->running.size() == 2);
  const Tick stopped = now();
  rig.dispatcher.stop();
  rig.sms[1]->end(CtaId(7));  // in the same instant: it has ended, and no other one is dealt
  run(20);
  CHECK(rig.ended);
  // The order is due at the next edge at or after `stopped`, which is one; the SMs take to the
  // third edge after it; the dispatcher acts on their notifications at the edge after that.
  CHECK(rig.ended_at == stopped + kClock.time_of(4));
  auto rest = rig.dispatcher.take_rest();
  REQUIRE(rest);
  CHECK(rest->kernel == &kernel);
  std::vector<std::uint32_t> held;
  for (const HeldCta& cta : rest->held) {
    CHECK(number(cta.program.get()) == cta.id.value);
    held.push_back(cta.id.value);
  }
  CHECK(held == std::vector<std::uint32_t>{1, 2, 6});
  std::vector<std::uint32_t> left;
  while (const auto cta = rest->next()) left.push_back(cta->value);
  CHECK(left == std::vector<std::uint32_t>{3, 4, 5, 8, 9, 10, 11});
  CHECK(rig.dispatcher.ctas_done() == 2);
  CHECK_FALSE(rig.dispatcher.take_rest());
  CHECK(rig.dispatcher.idle());
}

TEST_CASE("a kernel that is stopped before its first CTA runs none") {
  Rig rig;
  FakeKernel kernel(3);
  rig.launch(kernel);
  rig.dispatcher.stop();
  run(10);
  CHECK(rig.ended);
  CHECK(kernel.started.empty());
  auto rest = rig.dispatcher.take_rest();
  REQUIRE(rest);
  CHECK(rest->held.empty());
  unsigned left = 0;
  while (rest->next()) ++left;
  CHECK(left == 3);
}

}  // namespace tessera::partial_kernel_test
