// SPDX-License-Identifier: Apache-2.0
// CTAs that are half way go from one runner to another: SMs, and the functional runner.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/kernel/sc_time.h"
#include "tests/modules/sm/sm_rig.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::cta_handover_test {

using namespace tessera::test;

namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kCtas = 8;

/// Each CTA sums its 128 inputs in shared memory, with a barrier before each of seven steps.
std::string reduction() {
  return kernel_text(R"(
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r0, 4;
add.u64 %rd3, %rd2, %rd3;
ld.global.u32 %r2, [%rd3];
mov.u32 %r3, sums;
shl.b32 %r4, %r1, 2;
add.u32 %r3, %r3, %r4;
st.shared.u32 [%r3], %r2;
mov.u32 %r5, 64;
LOOP:
bar.sync 0;
setp.ge.u32 %p1, %r1, %r5;
@%p1 bra SKIP;
shl.b32 %r6, %r5, 2;
add.u32 %r6, %r3, %r6;
ld.shared.u32 %r7, [%r6];
ld.shared.u32 %r8, [%r3];
add.u32 %r8, %r8, %r7;
st.shared.u32 [%r3], %r8;
SKIP:
shr.u32 %r5, %r5, 1;
setp.ne.u32 %p2, %r5, 0;
@%p2 bra LOOP;
bar.sync 0;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra DONE;
ld.shared.u32 %r8, [sums];
mul.wide.u32 %rd4, %r31, 8;
add.u64 %rd4, %rd0, %rd4;
st.global.u32 [%rd4], %r8;
DONE:
)",
                     ".shared .align 4 .b8 sums[512];");
}

struct Reduction {
  KernelRunner kernel{reduction()};
  std::unique_ptr<KernelProgram> program;

  Reduction() {
    for (unsigned i = 0; i < kCtas * kThreads; ++i) kernel.set_input(i, value(i));
    program = kernel.program({kCtas, 1, 1}, {kThreads, 1, 1});
  }
  static std::uint32_t value(unsigned i) { return i * i % 1009 + 1; }
  void check_sum(unsigned cta) const {
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < kThreads; ++i) sum += value(cta * kThreads + i);
    CHECK(kernel.result<std::uint32_t>(cta) == sum);
  }
};

/// An SM with its scripted L1 and MMU.
struct Machine {
  SmCluster sm;
  ScriptedTarget l1;
  ScriptedTarget mmu;
  Surroundings around;

  Machine(const std::string& name, TransactionPool& pool, std::uint32_t id)
      : sm((name + "_sm").c_str(), plain(), pool, SmId(id), 2),
        l1((name + "_l1").c_str()),
        mmu((name + "_mmu").c_str()),
        around((name + "_around").c_str()) {
    l1.config().latency = ns(100) - 1;
    sm.l1.bind(l1.socket());
    sm.mmu.bind(mmu.socket());
    sm.l1_control.bind(around);
    sm.dispatcher.bind(around);
    mmu.access = [](tlm::tlm_generic_payload& p) {
      const std::uint64_t page = p.get_address();
      std::memcpy(p.get_data_ptr(), &page, sizeof page);
    };
  }

  /// Releases the CTA now, and runs until it has left.
  std::unique_ptr<CtaProgram> release(CtaId cta) {
    std::unique_ptr<CtaProgram> out;
    bool called = false;
    sm.release_cta(cta, [&](std::unique_ptr<CtaProgram> program) {
      out = std::move(program);
      called = true;
      released_at = now();
    });
    sc_core::sc_start(to_sc_time(us(2)));
    REQUIRE(called);
    return out;
  }
  Tick released_at = 0;
};

void run_for(Tick t) { sc_core::sc_start(to_sc_time(t)); }

}  // namespace

TEST_CASE("a CTA starts functionally, goes on on an SM and ends functionally") {
  TransactionPool pool;
  Machine a("a", pool, 0);
  Reduction work;
  run_for(ns(10));
  unsigned half_way = 0;
  for (unsigned c = 0; c < kCtas; ++c) {
    auto cta = work.program->start_cta(CtaId(c));
    const std::uint64_t first = 1 + 13 * c;
    const std::uint64_t executed =
        run_cta(*work.program, *cta, first * kWarpLanes).thread_instructions;
    CHECK(executed >= first * kWarpLanes);
    CHECK(executed < (first + 1) * kWarpLanes);
    a.sm.adopt_cta(*work.program, std::move(cta), CtaId(c), now() + ns(1));
    run_for(ns(60 + 10 * c));
    cta = a.release(CtaId(c));
    CHECK(a.sm.idle());
    CHECK(a.around.finished.empty());
    CHECK(a.around.drained.size() == c + 1);
    REQUIRE(cta != nullptr);
    if (cta->ended_warps() == 0) ++half_way;
    CHECK(run_cta(*work.program, *cta).warp_instructions > 0);
    CHECK(cta->live_warps() == 0);
    work.check_sum(c);
  }
  CHECK(half_way >= 4);
  CHECK(a.sm.stats().warp_instructions > 100);
  CHECK(a.sm.stats().ctas == 0);
  CHECK(a.around.flushes == kCtas);
  CHECK(pool.live() == 0);
}

TEST_CASE("CTAs go from one SM to another and back while they share shared memory and barriers") {
  TransactionPool pool;
  Machine a("a", pool, 0);
  Machine b("b", pool, 1);
  Reduction work;
  for (unsigned c = 0; c < kCtas; ++c) {
    a.sm.start_cta(*work.program, CtaId(c), now() + ns(5));
    run_for(ns(150 + 11 * c));
    auto cta = a.release(CtaId(c));
    REQUIRE(cta != nullptr);
    b.sm.adopt_cta(*work.program, std::move(cta), CtaId(c), now() + ns(1));
    run_for(ns(40 + 7 * c));
    cta = b.release(CtaId(c));
    REQUIRE(cta != nullptr);
    a.sm.adopt_cta(*work.program, std::move(cta), CtaId(c), now() + ns(1));
    run_for(us(3));
    CHECK(a.around.finished.size() == c + 1);
    work.check_sum(c);
  }
  CHECK(b.sm.stats().warp_instructions > 100);
  CHECK(b.around.finished.empty());
  CHECK(a.sm.idle());
  CHECK(b.sm.idle());
  CHECK(pool.live() == 0);
}

TEST_CASE(
    "an adopted CTA's instructions and those before and after are as many as without hand-over") {
  TransactionPool pool;
  Machine a("a", pool, 0);
  Reduction work;
  const std::uint64_t all = run_functionally(*work.program).warp_instructions / kCtas;
  auto cta = work.program->start_cta(CtaId(0));
  const std::uint64_t before = run_cta(*work.program, *cta, 100 * kWarpLanes).warp_instructions;
  a.sm.adopt_cta(*work.program, std::move(cta), CtaId(0), now() + ns(1));
  run_for(ns(100));
  cta = a.release(CtaId(0));
  REQUIRE(cta != nullptr);
  const std::uint64_t after = run_cta(*work.program, *cta).warp_instructions;
  CHECK(before + a.sm.stats().warp_instructions + after == all);
}

TEST_CASE("an SM releases a CTA when its last outstanding load has come back") {
  TransactionPool pool;
  Machine a("a", pool, 0);
  Machine b("b", pool, 1);
  ScriptedKernel stays({{load(1, 0x1000), alu(2, 1)}});
  ScriptedKernel goes({{load(1, 0x1000), alu(2, 1)}});
  a.sm.start_cta(stays, CtaId(0), ns(10));
  b.sm.start_cta(goes, CtaId(0), ns(10));
  run_for(ns(15));
  const auto cta = b.release(CtaId(0));
  REQUIRE(cta != nullptr);
  CHECK(stays.cycle(0, 1) > 100);
  CHECK(b.released_at == ns(stays.cycle(0, 1)));
  CHECK(goes.log.size() == 1);
  CHECK(cta->live_warps() == 1);
}

TEST_CASE("an SM releases a CTA when its last outstanding store is acknowledged") {
  TransactionPool pool;
  Machine a("a", pool, 0);
  Machine b("b", pool, 1);
  ScriptedKernel stays({{store(0x1000), fence()}});
  ScriptedKernel goes({{store(0x1000), alu(1), alu(2, 1), alu(3, 2), alu(4, 3)}});
  a.sm.start_cta(stays, CtaId(0), ns(10));
  b.sm.start_cta(goes, CtaId(0), ns(10));
  run_for(ns(12));
  REQUIRE(b.release(CtaId(0)) != nullptr);
  CHECK(stays.cycle(0, 1) > 110);
  CHECK(b.released_at == ns(stays.cycle(0, 1)));
  CHECK(b.around.drained.size() == 1);
}

TEST_CASE("a warp that waits at a barrier waits there on the SM that adopts its CTA") {
  TransactionPool pool;
  Machine a("a", pool, 0);
  Machine b("b", pool, 1);
  Script slow(30, alu(1, 1));
  slow.push_back(barrier());
  ScriptedKernel k({{barrier(), alu()}, slow});
  a.sm.start_cta(k, CtaId(0), ns(10));
  run_for(ns(50));
  auto cta = a.release(CtaId(0));
  REQUIRE(cta != nullptr);
  CHECK(cta->waiting_warps() == 1);
  CHECK(cta->barrier(0).arrived == 1);
  const Tick at = now() + ns(1);
  b.sm.adopt_cta(k, std::move(cta), CtaId(0), at);
  run_for(us(1));
  CHECK(k.cycle(0, 1) == k.cycle(1, 30) + 1);
  CHECK(ns(k.cycle(1, 30)) > at);
  CHECK(b.around.finished.size() == 1);
  CHECK(b.around.flushes == 1);
  CHECK(a.around.flushes == 0);
}

TEST_CASE("a CTA that has ended before its release is handed over as nothing") {
  TransactionPool pool;
  Machine a("a", pool, 0);
  ScriptedKernel k({{alu()}});
  a.sm.start_cta(k, CtaId(0), ns(10));
  run_for(ns(100));
  CHECK(a.around.finished.size() == 1);
  CHECK(a.release(CtaId(0)) == nullptr);
  CHECK(a.sm.idle());
}

TEST_CASE("a reset drops CTAs that are to be adopted or released") {
  TransactionPool pool;
  Machine a("a", pool, 0);
  Reduction work;
  a.sm.start_cta(*work.program, CtaId(0), ns(10));
  run_for(ns(90));  // the loads are under way
  a.sm.release_cta(CtaId(0), [](std::unique_ptr<CtaProgram>) { FAIL("released after a reset"); });
  a.sm.adopt_cta(*work.program, work.program->start_cta(CtaId(1)), CtaId(1), now() + ns(50));
  run_for(ns(5));
  a.sm.reset();
  a.l1.reset();
  a.mmu.reset();
  CHECK(a.sm.idle());
  CHECK(pool.live() == 0);
  run_for(us(1));
  CHECK(a.around.finished.empty());
}

}  // namespace tessera::cta_handover_test
