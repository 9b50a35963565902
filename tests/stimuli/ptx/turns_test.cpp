// SPDX-License-Identifier: Apache-2.0
// Lanes of a warp that wait in a loop for other lanes of the warp.
#include <catch2/catch.hpp>
#include <functional>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::turns_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using Catch::Contains;

namespace {

void in_both_modes(const std::string& body, const std::function<void(KernelRunner&)>& check,
                   unsigned threads = 32) {
  const std::string text = kernel_text(body, ".shared .align 16 .b8 s[1024];\n");
  {
    KernelRunner k(text);
    k.run({threads, 1, 1}, {1, 1, 1}, 3'000'000);
    INFO("functional");
    check(k);
  }
  for (unsigned seed = 0; seed < 4; ++seed) {
    KernelRunner k(text);
    k.run_carried({threads, 1, 1}, {1, 1, 1}, seed);
    INFO("carried, seed " << seed);
    check(k);
  }
}

void all_one(KernelRunner& k) {
  for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == 1);
}

}  // namespace

TEST_CASE("a lane that spins for a lane after the loop") {
  // Lane 0 spins for a flag that lane 1 sets after the reconvergence point.
  in_both_modes(
      "setp.ne.u32 %p1, %r0, 0; @%p1 bra GO;\n"
      "SPIN: ld.volatile.global.u32 %r1, [%rd2]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n"
      "GO: st.global.u32 [%rd1], 1; setp.ne.u32 %p3, %r0, 1; @%p3 bra END;\n"
      "st.volatile.global.u32 [%rd2], 1;\nEND:",
      all_one);
}

TEST_CASE("a path that spins for the other side of its branch") {
  // The lanes that fall through spin; the lanes that branch set the flag.
  in_both_modes(
      "setp.ge.u32 %p1, %r0, 16; @%p1 bra SET;\n"
      "SPIN: ld.acquire.gpu.global.u32 %r1, [%rd2]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n"
      "bra JOIN;\nSET: st.release.gpu.global.u32 [%rd2], 1;\nJOIN: st.global.u32 [%rd1], 1;",
      all_one);
}

TEST_CASE("a spin lock that each lane takes") {
  in_both_modes(
      "SPIN: atom.global.cas.b32 %r1, [%rd2], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra SPIN;\n"
      "ld.volatile.global.u32 %r2, [%rd2+128]; add.u32 %r3, %r2, 1;\n"
      "st.volatile.global.u32 [%rd2+128], %r3; membar.gl; atom.global.exch.b32 %r4, [%rd2], 0;\n"
      "st.global.u32 [%rd1], 1; st.global.u32 [%rd1+4], %r2;",
      [](KernelRunner& k) {
        all_one(k);
        std::uint32_t count;
        std::memcpy(&count, k.memory.at(k.in + 128), 4);
        CHECK(count == 32);
        unsigned seen = 0;
        for (unsigned i = 0; i < 32; ++i) {
          std::memcpy(&count, k.memory.at(k.out + 8 * i + 4), 4);
          seen |= 1U << count;
        }
        CHECK(seen == 0xffffffff);
      });
}

TEST_CASE("a spin lock in shared memory, with a loop until done") {
  in_both_modes(
      "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [s], 0; @%p1 st.shared.u32 [s+4], 0; bar.sync "
      "0;\n"
      "LOOP: atom.shared.exch.b32 %r1, [s], 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra LOOP;\n"
      "ld.volatile.shared.u32 %r2, [s+4]; add.u32 %r2, %r2, %r0; st.volatile.shared.u32 [s+4], "
      "%r2;\n"
      "membar.cta; atom.shared.exch.b32 %r3, [s], 0; bar.sync 0;\n"
      "ld.shared.u32 %r4, [s+4]; setp.eq.u32 %p3, %r4, 2016; selp.u32 %r5, 1, 0, %p3;\n"
      "st.global.u32 [%rd1], %r5;",
      all_one, 64);
}

TEST_CASE("a chain: each lane waits for the lane above it") {
  // Lane i spins for flag i + 1, which lane i + 1 sets: lane 31 is first.
  in_both_modes(
      "mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd2, %rd3; setp.eq.u32 %p1, %r0, 31; @%p1 bra "
      "SET;\n"
      "SPIN: ld.volatile.global.u32 %r1, [%rd3+4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n"
      "SET: st.volatile.global.u32 [%rd3], 1; st.global.u32 [%rd1], 1;",
      all_one);
}

TEST_CASE("a chain downward, and a ticket lock") {
  in_both_modes(
      "mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd2, %rd3; setp.eq.u32 %p1, %r0, 0; @%p1 bra "
      "SET;\n"
      "SPIN: ld.volatile.global.u32 %r1, [%rd3-4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n"
      "SET: st.volatile.global.u32 [%rd3], 1;\n"
      "atom.global.add.u32 %r2, [%rd2+256], 1;\n"
      "TICKET: ld.volatile.global.u32 %r3, [%rd2+260]; setp.ne.u32 %p3, %r3, %r2; @%p3 bra "
      "TICKET;\n"
      "add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd2+260], %r3; st.global.u32 [%rd1], 1;",
      all_one);
}

TEST_CASE("a spin that counts its attempts and doubles a delay") {
  in_both_modes(
      "mov.u32 %r5, 0; mov.u32 %r6, 8; setp.ne.u32 %p1, %r0, 0; @%p1 bra GO;\n"
      "SPIN: nanosleep.u32 %r6; shl.b32 %r6, %r6, 1; min.u32 %r6, %r6, 1024; add.u32 %r5, %r5, 1;\n"
      "ld.volatile.global.u32 %r1, [%rd2]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n"
      "GO: st.global.u32 [%rd1], 1; setp.ne.u32 %p3, %r0, 1; @%p3 bra END;\n"
      "st.volatile.global.u32 [%rd2], 1;\nEND:",
      all_one);
}

TEST_CASE("a spin with an inner loop, and a spin on a weak load with a fence") {
  in_both_modes(
      "setp.ne.u32 %p1, %r0, 0; @%p1 bra GO;\n"
      "SPIN: mov.u32 %r5, 0;\nINNER: add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 5; @%p4 bra "
      "INNER;\n"
      "ld.global.u32 %r1, [%rd2]; membar.gl; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n"
      "GO: st.global.u32 [%rd1], 1; setp.ne.u32 %p3, %r0, 1; @%p3 bra END;\n"
      "st.global.u32 [%rd2], 1;\nEND:",
      all_one);
}

TEST_CASE("two groups of lanes that wait for each other in turns") {
  // Even lanes wait for odd counts, odd lanes for even ones, eight rounds.
  in_both_modes(
      "and.b32 %r1, %r0, 1; mov.u32 %r2, 0;\n"
      "ROUND: shl.b32 %r3, %r2, 1; add.u32 %r3, %r3, %r1;\n"
      "shl.b32 %r4, %r3, 4;\n"  // 16 arrivals for each half round before
      "SPIN: ld.volatile.global.u32 %r5, [%rd2]; setp.lt.u32 %p1, %r5, %r4; @%p1 bra SPIN;\n"
      "red.global.add.u32 [%rd2], 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 8; @%p2 bra "
      "ROUND;\n"
      "st.global.u32 [%rd1], 1;",
      [](KernelRunner& k) {
        all_one(k);
        std::uint32_t count;
        std::memcpy(&count, k.memory.at(k.in), 4);
        CHECK(count == 256);
      });
}

TEST_CASE("lanes that spin while others wait at a barrier of the CTA or of the warp") {
  for (const char* barrier : {"bar.sync 0;", "barrier.sync 0;", "bar.warp.sync 0xffffffff;"}) {
    in_both_modes(
        "setp.ne.u32 %p1, %r0, 3; @%p1 bra GO;\n"
        "SPIN: ld.volatile.global.u32 %r1, [%rd2]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n"
        "GO: setp.ne.u32 %p3, %r0, 20; @%p3 bra MEET; st.volatile.global.u32 [%rd2], 1;\n"
        "MEET: " +
            std::string(barrier) + " st.global.u32 [%rd1], 1;",
        all_one);
  }
}

TEST_CASE("a shuffle after a spin has the values of all lanes") {
  in_both_modes(
      "mov.u32 %r5, 0; setp.ne.u32 %p1, %r0, 0; @%p1 bra GO;\n"
      "SPIN: ld.volatile.global.u32 %r5, [%rd2]; setp.eq.u32 %p2, %r5, 0; @%p2 bra SPIN;\n"
      "GO: setp.ne.u32 %p3, %r0, 1; @%p3 bra MEET; st.volatile.global.u32 [%rd2], 1;\n"
      "MEET: shfl.sync.idx.b32 %r6, %r5, 0, 31, 0xffffffff; st.global.u32 [%rd1], %r6;",
      all_one);
}

TEST_CASE("a lane that spins for a lane which then ends") {
  in_both_modes(
      "setp.eq.u32 %p1, %r0, 5; @%p1 bra SPIN; st.global.u32 [%rd1], 1; setp.ne.u32 %p2, %r0, 9;\n"
      "@%p2 ret; st.volatile.global.u32 [%rd2], 1; ret;\n"
      "SPIN: ld.volatile.global.u32 %r1, [%rd2]; setp.eq.u32 %p3, %r1, 0; @%p3 bra SPIN;\n"
      "st.global.u32 [%rd1], 1;",
      all_one);
}

TEST_CASE("warps of a CTA that wait for each other") {
  in_both_modes(
      "setp.ge.u32 %p1, %r0, 32; @%p1 bra SET;\n"
      "SPIN: ld.volatile.global.u32 %r1, [%rd2]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;\n"
      "st.global.u32 [%rd1], 1; bra END;\nSET: st.volatile.global.u32 [%rd2], 1;\nEND:",
      all_one, 64);
}

TEST_CASE("a loop that makes progress runs to its end before other paths") {
  // Lane 0 iterates 100 000 times; the others wait at the reconvergence point, and the warp
  // executes what follows once.
  const std::string text = kernel_text(
      "mov.u32 %r1, 0; setp.ne.u32 %p1, %r0, 0; @%p1 bra GO;\n"
      "LOOP: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 100000; @%p2 bra LOOP;\n"
      "GO: st.global.u32 [%rd1], %r1;");
  KernelRunner k(text);
  // 8 instructions of kernel_text() and ret, 3 before the loop, 1 after it.
  CHECK(k.run() == 300'000 + 13);
  CHECK(k.result<std::uint32_t>(0) == 100'000);
  CHECK(k.result<std::uint32_t>(1) == 0);
}

TEST_CASE("lanes that wait for nothing end with the budget's message") {
  KernelRunner k(kernel_text(
      "setp.ge.u32 %p1, %r0, 16; @%p1 bra B;\n"
      "A: ld.volatile.global.u32 %r1, [%rd2]; setp.eq.u32 %p2, %r1, 0; @%p2 bra A; bra END;\n"
      "B: ld.volatile.global.u32 %r1, [%rd2+4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra B;\nEND:"));
  try {
    k.run({32, 1, 1}, {1, 1, 1}, 50'000);
    FAIL("it ends");
  } catch (const RunError& e) {
    CHECK_THAT(e.what(), Contains("more than 50000 warp instructions"));
  }
}

}  // namespace tessera::turns_test
