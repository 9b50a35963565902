// SPDX-License-Identifier: Apache-2.0
#include "modules/rdma/decision_engine.h"

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <utility>

#include "common/json.h"
#include "modules/kernel/domain.h"
#include "modules/kernel/sc_time.h"
#include "tests/support/conformance.h"

namespace tessera::decision_engine_test {

namespace {

using namespace tessera::test;  // NOLINT

using Verdict = DecisionEngine::Verdict;

constexpr RemoteAccessMode kLine{};
constexpr RemoteAccessMode kCoalesced{true, true, true, false};
constexpr RemoteAccessMode kRemoteCache{false, false, false, true};

DecisionConfig small() {
  DecisionConfig c;
  c.warmup_accesses = 4;
  c.window_accesses = 10;
  return c;
}

/// Four GPUs, lines of 64 bytes, 1 GHz.
struct DecisionRig {
  explicit DecisionRig(const DecisionConfig& config = small(), std::vector<Domain*> domains = {})
      : config_(config), domains_(std::move(domains)) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void access(unsigned gpu, bool remote, bool hit = false, std::uint32_t word_mask = 1,
              RequestKind kind = RequestKind::kLoad) {
    MemoryRequest request;
    request.kind = kind;
    request.requester = SmId(gpu);
    request.word_mask = word_mask;
    engine.monitor(GpuId(gpu)).on_l1_access(request, remote, hit);
  }
  void remote(unsigned gpu, unsigned times, bool hit = false, std::uint32_t word_mask = 1) {
    for (unsigned i = 0; i < times; ++i) access(gpu, true, hit, word_mask);
  }
  void local(unsigned gpu, unsigned times) {
    for (unsigned i = 0; i < times; ++i) access(gpu, false);
  }
  /// Warm-up of all kinds of things that a window must not see.
  void warm(unsigned gpu) { remote(gpu, 4, true, 0xFFFF); }
  void run(Tick t) { sc_core::sc_start(to_sc_time(t)); }

  /// Of all GPUs, which have the same one.
  RemoteAccessMode transfer() const {
    for (const RemoteAccessMode& mode : modes) CHECK(mode == modes[0]);
    return modes[0];
  }
  DecisionEngineSite site() {
    DecisionEngineSite p;
    p.line_bytes = 64;
    for (RemoteAccessMode& mode : modes) p.modes.push_back(&mode);
    p.gpus = domains_;
    return p;
  }

  DecisionConfig config_;
  std::vector<Domain*> domains_;
  std::unique_ptr<TransferPolicy> policy = make_policy<TransferPolicy>("decision-engine");
  std::array<RemoteAccessMode, 4> modes{{{true, true, true, true},
                                         {true, true, true, true},
                                         {true, true, true, true},
                                         {true, true, true, true}}};
  DecisionEngine engine{"decision", config_, *policy, site()};
};

/// All GPUs warm up in cycle 0 and have their windows in cycle 1.
template <class Window>
void decide(DecisionRig& rig, Window window) {
  for (unsigned g = 0; g < 4; ++g) rig.warm(g);
  rig.run(ns(1));
  for (unsigned g = 0; g < 4; ++g) window(g);
  rig.run(ns(1));
}

}  // namespace

TEST_CASE("decision engine: few pieces and few hits declare coalescing (figure 11)") {
  DecisionRig rig;
  CHECK(rig.transfer() == kLine);
  // Utilisation (9 x 1 + 16) / 160 = 0.16, hit rate 0.3, remote ratio 10 / 20.
  decide(rig, [&](unsigned g) {
    rig.local(g, 10);
    rig.remote(g, 7);
    rig.remote(g, 2, true);
    rig.access(g, true, true, 0xFFFF);
  });
  CHECK(rig.engine.verdict() == Verdict::kCoalescing);
  CHECK(rig.transfer() == kCoalesced);
}

TEST_CASE("decision engine: a utilisation at the threshold declares the remote cache") {
  DecisionRig rig;
  // 32 / 160 = 0.2 is not below 0.2.
  decide(rig, [&](unsigned g) {
    rig.remote(g, 8);
    rig.access(g, true, false, 0xFFFF);
    rig.access(g, true, false, 0x00FF);
  });
  CHECK(rig.engine.verdict() == Verdict::kRemoteCache);
  CHECK(rig.transfer() == kRemoteCache);
}

TEST_CASE("decision engine: a hit rate at the threshold declares the remote cache") {
  DecisionRig rig;
  decide(rig, [&](unsigned g) {
    rig.remote(g, 6);
    rig.remote(g, 4, true);
  });
  CHECK(rig.engine.verdict() == Verdict::kRemoteCache);
}

TEST_CASE("decision engine: few remote accesses leave lines as they are") {
  DecisionRig rig;
  // 10 of 501 is below 0.02: 491 local ones come before the window is full.
  decide(rig, [&](unsigned g) {
    rig.local(g, 491);
    rig.remote(g, 10);
  });
  CHECK(rig.engine.verdict() == Verdict::kLine);
  CHECK(rig.transfer() == kLine);
}

TEST_CASE("decision engine: at 2 percent remote accesses matter") {
  DecisionRig rig;
  decide(rig, [&](unsigned g) {
    rig.local(g, 490);
    rig.remote(g, 10);
  });
  CHECK(rig.engine.verdict() == Verdict::kCoalescing);
}

TEST_CASE("decision engine: GPUs without remote accesses vote after as many of the others") {
  DecisionRig rig;
  // Warm-up 4 / 0.02 = 200 accesses, window 10 / 0.02 = 500.
  for (unsigned g = 0; g < 4; ++g) rig.local(g, 199);
  rig.run(ns(1));
  for (unsigned g = 0; g < 4; ++g) rig.local(g, 1);
  rig.run(ns(1));
  CHECK(rig.engine.window().accesses == 0);
  for (unsigned g = 0; g < 4; ++g) rig.local(g, 499);
  rig.run(ns(1));
  CHECK(rig.engine.window().accesses == 4 * 499);
  CHECK(rig.engine.verdict() == Verdict::kNone);
  for (unsigned g = 0; g < 4; ++g) rig.local(g, 1);
  rig.run(ns(1));
  CHECK(rig.engine.verdict() == Verdict::kLine);
  CHECK(rig.engine.decided_at() == ns(4));
}

TEST_CASE("decision engine: the warm-up is not counted") {
  DecisionRig rig;
  // Were the four warm-up hits counted, the hit rate would be 4 / 14 still, the utilisation
  // (4 x 16 + 10) / 224 = 0.33.
  decide(rig, [&](unsigned g) { rig.remote(g, 10); });
  CHECK(rig.engine.verdict() == Verdict::kCoalescing);
  const TransferSample w = rig.engine.window();
  CHECK(w.accesses == 40);
  CHECK(w.remote_accesses == 40);
  CHECK(w.remote_loads == 40);
  CHECK(w.remote_load_hits == 0);
  CHECK(w.remote_load_words == 40);
  const TransferSample all = rig.engine.whole_run();
  CHECK(all.remote_accesses == 56);
  CHECK(all.remote_load_hits == 16);
  CHECK(all.remote_load_words == 4 * (4 * 16 + 10));
}

TEST_CASE("decision engine: the golden model looks at everything, and may differ") {
  DecisionRig rig;
  CHECK(rig.engine.golden_verdict() == Verdict::kNone);
  decide(rig, [&](unsigned g) { rig.remote(g, 10); });
  CHECK(rig.engine.verdict() == Verdict::kCoalescing);
  CHECK(rig.engine.golden_verdict() == Verdict::kRemoteCache);
  // 56 remote accesses of 2800 are at the threshold, of 2801 below it.
  rig.local(0, 2800 - 56);
  CHECK(rig.engine.golden_verdict() == Verdict::kRemoteCache);
  rig.local(0, 1);
  CHECK(rig.engine.golden_verdict() == Verdict::kLine);
  CHECK(rig.engine.verdict() == Verdict::kCoalescing);
}

TEST_CASE("decision engine: stores and atomics are remote accesses, and no loads") {
  DecisionRig rig;
  decide(rig, [&](unsigned g) {
    for (unsigned i = 0; i < 4; ++i) rig.access(g, true, false, 0xFFFF, RequestKind::kStore);
    for (unsigned i = 0; i < 4; ++i) rig.access(g, true, false, 0xFFFF, RequestKind::kAtomic);
    rig.remote(g, 2);
  });
  const TransferSample w = rig.engine.window();
  CHECK(w.remote_accesses == 40);
  CHECK(w.remote_loads == 8);
  CHECK(w.remote_load_words == 8);
  CHECK(rig.engine.verdict() == Verdict::kCoalescing);
}

TEST_CASE("decision engine: three GPUs of four decide, at the edge after the third has voted") {
  DecisionRig rig;
  for (unsigned g = 0; g < 4; ++g) rig.warm(g);
  rig.run(ns(5));
  rig.remote(0, 10);
  rig.remote(2, 10, true);  // of another opinion
  rig.run(ns(5));
  rig.remote(1, 10);
  rig.run(ns(5));
  CHECK(rig.engine.verdict() == Verdict::kNone);
  rig.run(ps(300));
  rig.remote(3, 10);
  CHECK(rig.transfer() == kLine);
  rig.run(ps(700) - 1);
  CHECK(rig.transfer() == kLine);
  rig.run(1);
  CHECK(rig.transfer() == kCoalesced);
  CHECK(rig.engine.decided_at() == ns(16));
  // Once.
  rig.remote(0, 100, true, 0xFFFF);
  rig.run(us(1));
  CHECK(rig.transfer() == kCoalesced);
  CHECK(rig.engine.decided_at() == ns(16));
  CHECK(rig.engine.window().remote_accesses == 40);
}

TEST_CASE("decision engine: GPUs that run nothing have no say") {
  DecisionRig rig;
  rig.warm(1);
  rig.run(ns(5));
  rig.remote(1, 9);
  rig.run(ns(5));
  CHECK(rig.engine.verdict() == Verdict::kNone);
  rig.remote(1, 1);
  rig.run(ns(5));
  CHECK(rig.engine.verdict() == Verdict::kCoalescing);
}

TEST_CASE("decision engine: without a majority the sum of the windows decides") {
  DecisionRig rig;
  // Two for each; (2 x 0 + 2 x 10) / 40 hits = 0.5.
  decide(rig, [&](unsigned g) { rig.remote(g, 10, g < 2); });
  CHECK(rig.engine.verdict() == Verdict::kRemoteCache);
}

TEST_CASE("decision engine: all of the cycle that fills a window counts, in any order") {
  DecisionRig rig;
  decide(rig, [&](unsigned g) {
    rig.remote(g, 10);
    rig.remote(g, 10, true);
  });
  CHECK(rig.engine.window().remote_accesses == 80);
  CHECK(rig.engine.verdict() == Verdict::kRemoteCache);
}

TEST_CASE("decision engine: no warm-up counts from the first access") {
  DecisionConfig config = small();
  config.warmup_accesses = 0;
  DecisionRig rig(config);
  for (unsigned g = 0; g < 4; ++g) rig.remote(g, 10);
  rig.run(ns(1));
  CHECK(rig.engine.window().remote_accesses == 40);
  CHECK(rig.engine.decided_at() == ns(1));
}

TEST_CASE("decision engine: a reset begins anew, and statistics say what was decided") {
  DecisionRig rig;
  decide(rig, [&](unsigned g) { rig.remote(g, 10); });
  StatisticsRegistry registry;
  rig.engine.register_statistics(registry);
  auto json = registry.to_json()["decision"];
  CHECK(json["decided"] == 1);
  CHECK(json["decided_at_cycle"] == 2);
  CHECK(json["verdict"] == 2);
  CHECK(json["golden_verdict"] == 3);
  CHECK(json["window_remote_accesses"] == 40);
  CHECK(json["run_remote_loads"] == 56);
  rig.engine.reset();
  CHECK(rig.transfer() == kLine);
  CHECK(rig.engine.decided_at() == kNever);
  json = registry.to_json()["decision"];
  CHECK(json["decided"] == 0);
  CHECK(json["verdict"] == 0);
  CHECK(json["run_accesses"] == 0);
  decide(rig, [&](unsigned g) { rig.remote(g, 10, true); });
  CHECK(rig.transfer() == kRemoteCache);
  CHECK(rig.engine.decided_at() == ns(4));
  check_statistics(rig.engine);
}

TEST_CASE("decision engine: a bad configuration is named") {
  DecisionConfig config;
  config.window_accesses = 0;
  CHECK_THROWS_AS(DecisionRig(config), sc_core::sc_report);
}

// Latency between the engine and the GPUs.

namespace {

DecisionConfig with_latency(std::uint64_t ns) {
  DecisionConfig config = small();
  config.gpu_latency_ns = ns;
  return config;
}

}  // namespace

TEST_CASE("decision engine: votes and verdict take their latency, up to an edge") {
  DecisionRig rig(with_latency(30));
  for (unsigned g = 0; g < 4; ++g) rig.warm(g);
  rig.run(ns(10));
  for (unsigned g = 0; g < 3; ++g) rig.remote(g, 10);
  // The windows end at 11. The votes take effect at 41, and the verdict at 71.
  rig.run(ns(31) - 1);
  CHECK(rig.engine.verdict() == Verdict::kNone);
  rig.run(1);
  CHECK(rig.engine.verdict() == Verdict::kCoalescing);
  CHECK(rig.engine.decided_at() == ns(71));
  CHECK(rig.engine.stats().decided == 0);
  CHECK(rig.transfer() == kLine);
  // A GPU counts on while the verdict is on its way, and votes after the decision.
  rig.remote(3, 10, true);
  rig.run(ns(30) - 1);
  CHECK(rig.transfer() == kLine);
  rig.run(1);
  CHECK(rig.transfer() == kCoalesced);
  CHECK(rig.engine.stats().decided == 1);
  CHECK(rig.engine.stats().decided_at_cycle == 71);
  rig.run(us(1));
  CHECK(rig.transfer() == kCoalesced);
  CHECK(rig.engine.window().remote_accesses == 40);
}

TEST_CASE("decision engine: a latency between two edges is rounded up at each way") {
  DecisionConfig config = with_latency(1);
  config.clock_hz = 700'000'000;
  DecisionRig rig(config);
  const ClockDomain clock(config.clock_hz);
  for (unsigned g = 0; g < 4; ++g) rig.warm(g);
  rig.run(clock.time_of(10));
  for (unsigned g = 0; g < 4; ++g) rig.remote(g, 10);
  rig.run(ns(20));
  // Edges are 1.43 ns apart: 11, then one edge for the votes and one for the verdict.
  CHECK(rig.engine.decided_at() == clock.time_of(13));
}

TEST_CASE("decision engine: the first access of a GPU is on its way when others vote") {
  DecisionRig rig(with_latency(30));
  rig.warm(0);
  rig.warm(1);
  rig.run(ns(10));
  rig.remote(0, 10);
  rig.remote(1, 10, true);  // of another opinion
  rig.run(ns(1));
  // A third GPU begins a cycle later: it has no say, and the sum of the windows decides.
  rig.local(2, 1);
  rig.run(ns(30));
  CHECK(rig.engine.verdict() == Verdict::kRemoteCache);
}

TEST_CASE("decision engine: a GPU that begins in the cycle of the last vote has a say") {
  DecisionRig rig(with_latency(30));
  rig.warm(0);
  rig.warm(1);
  rig.run(ns(10));
  rig.remote(0, 10);
  rig.remote(1, 10, true);
  rig.local(2, 1);
  rig.run(ns(100));
  CHECK(rig.engine.verdict() == Verdict::kNone);
}

TEST_CASE("decision engine: reset drops votes and verdicts on their way") {
  DecisionRig rig(with_latency(30));
  decide(rig, [&](unsigned g) { rig.remote(g, 10); });
  rig.engine.reset();
  rig.run(ns(100));
  CHECK(rig.engine.verdict() == Verdict::kNone);
  decide(rig, [&](unsigned g) { rig.remote(g, 10, true); });
  rig.run(ns(35));
  REQUIRE(rig.engine.verdict() == Verdict::kRemoteCache);
  rig.engine.reset();
  rig.run(ns(100));
  CHECK(rig.transfer() == kLine);
}

namespace {

/// Votes at one instant, in domains of their own, in either order of the processes.
void check_order(bool reverse) {
  std::array<Domain, 4> domains{Domain("a"), Domain("b"), Domain("c"), Domain("d")};
  DecisionRig rig(small(), {&domains[0], &domains[1], &domains[2], &domains[3]});
  DomainRunner::instance().run_in_reverse(reverse);
  // Two against two, of which one begins in the cycle of the last vote.
  for (unsigned g = 0; g < 3; ++g) rig.warm(g);
  rig.run(ns(1));
  for (unsigned g = 0; g < 3; ++g) rig.remote(g, 10, g != 0);
  rig.remote(3, 1);
  rig.run(ns(1));
  CHECK(rig.engine.verdict() == Verdict::kNone);
  rig.remote(3, 3);
  rig.run(ns(1));
  rig.remote(3, 10);
  rig.run(ns(1));
  CHECK(rig.engine.verdict() == Verdict::kRemoteCache);
  CHECK(rig.transfer() == kRemoteCache);
  CHECK(rig.engine.decided_at() == ns(4));
}

}  // namespace

TEST_CASE("decision engine: GPUs in domains of their own decide at the same instant") {
  check_order(false);
}
TEST_CASE("decision engine: the order of the domains does not matter") { check_order(true); }

}  // namespace tessera::decision_engine_test
