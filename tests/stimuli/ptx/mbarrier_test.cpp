// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/mbarrier.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::mbarrier_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using Catch::Contains;
using ptx::Mbarrier;

namespace {

const std::string kShared = ".shared .align 16 .b8 tile[4096];\n.shared .align 8 .b64 bar[4];\n";

std::string failure(const std::string& body) {
  KernelRunner k(kernel_text(
      "mov.u32 %r2, bar; setp.ne.u32 %p1, %r0, 0; @%p1 bra END;\n" + body + "\nEND:", kShared));
  try {
    k.run({32, 1, 1}, {1, 1, 1}, 10000);
  } catch (const RunError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a phase ends when no arrival and no byte is pending") {
  Mbarrier b = Mbarrier::initial(3);
  CHECK(b.pending() == 3);
  CHECK(b.arrive(2));
  CHECK(b.expect_bytes(64));
  CHECK(b.arrive(1));
  CHECK(b.phase() == 0);
  CHECK(b.pending() == 0);
  CHECK(b.pending_bytes() == 64);
  CHECK(b.complete_bytes(32));
  CHECK(b.phase() == 0);
  CHECK(b.complete_bytes(32));
  CHECK(b.phase() == 1);
  CHECK(b.pending() == 3);
  CHECK(b.pending_bytes() == 0);
  // Bytes can complete before they are expected.
  CHECK(b.complete_bytes(16));
  CHECK(b.pending_bytes() == -16);
  CHECK(b.arrive_drop(1));
  CHECK(b.expected() == 2);
  CHECK(b.arrive(2));
  CHECK(b.phase() == 1);
  CHECK(b.expect_bytes(16));
  CHECK(b.phase() == 0);
  CHECK(b.pending() == 2);
  CHECK_FALSE(b.arrive(3));
  CHECK(b.pending() == 2);
  CHECK_FALSE(b.expect_bytes(Mbarrier::kMost + 1));
  CHECK(b.expect_bytes(Mbarrier::kMost));
  CHECK(b.pending_bytes() == Mbarrier::kMost);
}

TEST_CASE("the lanes of a warp arrive one after the other, and each state is that before it") {
  KernelRunner k(kernel_text(
      "mov.u32 %r2, bar; setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r2], 32;\n"
      "bar.sync 0; mbarrier.arrive.shared.b64 %rd5, [%r2];\n"
      "mbarrier.pending_count.b64 %r5, %rd5; mbarrier.test_wait.shared.b64 %p2, [%r2], %rd5;\n"
      "selp.u32 %r6, 100, 0, %p2; add.u32 %r5, %r5, %r6; st.global.u32 [%rd1], %r5;",
      kShared));
  k.run();
  for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == 132 - i);
}

TEST_CASE("parity tells the phase before from the present one") {
  KernelRunner k(kernel_text(
      "mov.u32 %r2, bar; setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared::cta.b64 [%r2], 1;\n"
      "bar.sync 0; mov.u32 %r5, 0;\n"
      "mbarrier.test_wait.parity.shared.b64 %p2, [%r2], 0; @%p2 or.b32 %r5, %r5, 1;\n"
      "mbarrier.test_wait.parity.shared.b64 %p2, [%r2], 1; @%p2 or.b32 %r5, %r5, 2;\n"
      "@%p1 mbarrier.arrive.release.cta.shared::cta.b64 _, [%r2]; bar.sync 0;\n"
      "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r2], 0; @%p2 or.b32 %r5, %r5, "
      "4;\n"
      "mbarrier.test_wait.parity.shared.b64 %p2, [%r2], 1; @%p2 or.b32 %r5, %r5, 8;\n"
      "st.global.u32 [%rd1], %r5;",
      kShared));
  k.run();
  for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == 6);
}

TEST_CASE("mbarriers have generic addresses, counts, drops and bytes") {
  KernelRunner k(kernel_text(
      "mov.u64 %rd5, bar; cvta.shared.u64 %rd6, %rd5; setp.ne.u32 %p1, %r0, 0; @%p1 bra END;\n"
      "mov.u32 %r7, 9; mbarrier.init.b64 [%rd6+8], %r7;\n"
      "mbarrier.arrive.b64 %rd7, [%rd6+8], 4; mbarrier.arrive_drop.b64 %rd8, [%rd6+8];\n"
      "mbarrier.arrive.noComplete.release.cta.b64 %rd9, [%rd6+8], 3;\n"
      "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar+8], 32;\n"
      "mbarrier.arrive_drop.expect_tx.shared.b64 %rd10, [bar+8], 16;\n"
      "mbarrier.test_wait.b64 %p2, [%rd6+8], %rd10; selp.u32 %r5, 1, 0, %p2;\n"
      "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar+8], 48;\n"
      "mbarrier.test_wait.b64 %p2, [%rd6+8], %rd10; selp.u32 %r6, 1, 0, %p2;\n"
      "mbarrier.arrive.b64 %rd11, [%rd6+8]; mbarrier.pending_count.b64 %r8, %rd11;\n"
      "mbarrier.pending_count.b64 %r9, %rd8; mbarrier.pending_count.b64 %r10, %rd9;\n"
      "st.global.u32 [%rd0], %r5; st.global.u32 [%rd0+8], %r6; st.global.u32 [%rd0+16], %r8;\n"
      "st.global.u32 [%rd0+24], %r9; st.global.u32 [%rd0+32], %r10;\n"
      "mbarrier.inval.b64 [%rd6+8];\nEND:",
      kShared));
  k.run();
  CHECK(k.result<std::uint32_t>(0) == 0);
  CHECK(k.result<std::uint32_t>(1) == 1);
  CHECK(k.result<std::uint32_t>(2) == 7);  // 9 less two drops
  CHECK(k.result<std::uint32_t>(3) == 5);
  CHECK(k.result<std::uint32_t>(4) == 4);
}

TEST_CASE("producers and consumers of a ring of two buffers stay in step") {
  // Warp 0 fills buffer i % 2 with 100 i + lane; warp 1 adds it up. full: bar, bar + 8; empty: bar
  // + 16, bar + 24.
  const std::string text = kernel_text(
      "mov.u32 %r1, tile; mov.u32 %r2, bar; setp.ne.u32 %p1, %r0, 0; @%p1 bra GO;\n"
      "mbarrier.init.shared.b64 [bar], 32; mbarrier.init.shared.b64 [bar+8], 32;\n"
      "mbarrier.init.shared.b64 [bar+16], 32; mbarrier.init.shared.b64 [bar+24], 32;\n"
      "GO: bar.sync 0; mov.u32 %r5, 0; mov.u32 %r6, 0; and.b32 %r7, %r0, 31;\n"
      "setp.ge.u32 %p2, %r0, 32; @%p2 bra CONSUME;\n"
      // Producer: waits for the parity of the phase before in the first round.
      "PRODUCE: and.b32 %r8, %r5, 1; shr.u32 %r9, %r5, 1; and.b32 %r9, %r9, 1; xor.b32 %r10, %r9, "
      "1;\n"
      "shl.b32 %r11, %r8, 3; add.u32 %r11, %r11, %r2;\n"
      "EMPTY: mbarrier.try_wait.parity.shared.b64 %p3, [%r11+16], %r10; @!%p3 bra EMPTY;\n"
      "shl.b32 %r12, %r8, 7; mad.lo.u32 %r12, %r7, 4, %r12; add.u32 %r12, %r12, %r1;\n"
      "mad.lo.u32 %r13, %r5, 100, %r7; st.shared.u32 [%r12], %r13;\n"
      "mbarrier.arrive.shared.b64 _, [%r11]; add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 20;\n"
      "@%p4 bra PRODUCE; bra END;\n"
      "CONSUME: and.b32 %r8, %r5, 1; shr.u32 %r9, %r5, 1; and.b32 %r9, %r9, 1;\n"
      "shl.b32 %r11, %r8, 3; add.u32 %r11, %r11, %r2;\n"
      "FULL: mbarrier.try_wait.parity.shared.b64 %p3, [%r11], %r9; @!%p3 bra FULL;\n"
      // The neighbour's word.
      "shl.b32 %r12, %r8, 7; xor.b32 %r14, %r7, 1; mad.lo.u32 %r12, %r14, 4, %r12;\n"
      "add.u32 %r12, %r12, %r1; ld.shared.u32 %r13, [%r12]; add.u32 %r6, %r6, %r13;\n"
      "mbarrier.arrive.shared.b64 _, [%r11+16]; add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 20;\n"
      "@%p4 bra CONSUME; st.global.u32 [%rd1], %r6;\nEND:",
      kShared);
  const auto check = [](KernelRunner& k) {
    for (unsigned i = 0; i < 32; ++i) {
      CHECK(k.result<std::uint32_t>(32 + i) == 100 * 190 + 20 * (i ^ 1));
    }
  };
  KernelRunner functional(text);
  functional.run({64, 1, 1});
  check(functional);
  for (unsigned seed = 0; seed < 10; ++seed) {
    KernelRunner k(text);
    k.run_carried({64, 1, 1}, {1, 1, 1}, seed);
    check(k);
  }
}

TEST_CASE("an arrival that follows a lane's copies, with and without .noinc") {
  for (const bool noinc : {false, true}) {
    // Without .noinc, the arrival adds to the one that each lane makes itself.
    const std::string text = kernel_text(
        "mov.u32 %r1, tile; mov.u32 %r2, bar; setp.eq.u32 %p1, %r0, 0;\n"
        "@%p1 mbarrier.init.shared.b64 [%r2], 32; bar.sync 0;\n"
        "mad.lo.u32 %r3, %r0, 4, %r1; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd3, %rd2, %rd3;\n"
        "cp.async.ca.shared.global [%r3], [%rd3], 4;\n"
        "cp.async.mbarrier.arrive" +
            std::string(noinc ? ".noinc" : "") + ".shared.b64 [%r2];\n" +
            (noinc ? "" : "mbarrier.arrive.shared.b64 _, [%r2];\n") +
            "TRY: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra TRY;\n"
            "xor.b32 %r4, %r0, 31; mad.lo.u32 %r3, %r4, 4, %r1; ld.shared.u32 %r5, [%r3];\n"
            "st.global.u32 [%rd1], %r5;",
        kShared);
    for (unsigned seed = 0; seed < 10; ++seed) {
      KernelRunner k(text);
      for (unsigned i = 0; i < 32; ++i) k.set_input<std::uint32_t>(i, 50 + i);
      if (seed == 0) {
        k.run();
      } else {
        k.run_carried({32, 1, 1}, {1, 1, 1}, seed);
      }
      for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == 50 + (i ^ 31));
    }
  }
}

TEST_CASE("lanes of one warp can wait for each other's arrivals") {
  // Lane 0 waits for the others, which arrive after it in the code.
  const std::string text = kernel_text(
      "mov.u32 %r2, bar; setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r2], 31;\n"
      "bar.sync 0; @!%p1 bra ARRIVE;\n"
      "TRY: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra TRY;\n"
      "st.global.u32 [%rd1], 1; bra END;\n"
      "ARRIVE: mbarrier.arrive.shared.b64 _, [%r2]; st.global.u32 [%rd1], 2;\nEND:",
      kShared);
  for (const bool functional : {true, false}) {
    KernelRunner k(text);
    if (functional) {
      k.run();
    } else {
      k.run_carried({32, 1, 1}, {1, 1, 1}, 3);
    }
    for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == (i == 0 ? 1 : 2));
  }
}

TEST_CASE("mistakes with mbarriers are reported") {
  CHECK_THAT(failure("mbarrier.init.shared.b64 [%r2], 0;"),
             Contains("an mbarrier for 0 arrivals; a phase has 1 to 1048575"));
  CHECK_THAT(failure("mbarrier.init.shared.b64 [%r2+4], 1;"), Contains("not aligned to 8 bytes"));
  CHECK_THAT(failure("mbarrier.init.shared.b64 [%r2+32], 1;"), Contains("out of bounds of shared"));
  CHECK_THAT(failure("mbarrier.init.b64 [%rd2], 1;"), Contains("not in shared memory"));
  CHECK_THAT(failure("mbarrier.init.shared.b64 [%r2], 2; mbarrier.arrive.shared.b64 _, [%r2], 3;"),
             Contains("has 2 pending arrivals of 2 and 0 pending bytes"));
  CHECK_THAT(failure("mbarrier.init.shared.b64 [%r2], 2;\n"
                     "mbarrier.arrive.noComplete.shared.b64 %rd5, [%r2], 2;"),
             Contains("completes the phase, which .noComplete excludes"));
  CHECK_THAT(failure("mbarrier.init.shared.b64 [%r2], 2;\n"
                     "T: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 bra T;"),
             Contains("more than 10000 warp instructions") && Contains("an endless loop"));
  CHECK_THAT(failure("mbarrier.try_wait.parity.b64 %p2, [%rd2], 0;"),
             Contains("not in shared memory"));
}

}  // namespace tessera::mbarrier_test
