// SPDX-License-Identifier: Apache-2.0
// Barriers of the CTA in divergent code: a warp comes to a barrier once, with all of its lanes.

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

/// Even and odd threads of 64 write their number to shared memory, come to barrier 0 by two
/// instructions, and read what the thread 32 further wrote.
std::string two_sided(const std::string& barrier) {
  return kernel_text(
      "mov.u32 %r1, s;\nshl.b32 %r2, %r0, 2;\nadd.u32 %r3, %r1, %r2;\n"
      "xor.b32 %r4, %r2, 128;\nadd.u32 %r4, %r1, %r4;\nand.b32 %r5, %r0, 1;\n"
      "setp.eq.u32 %p1, %r5, 1;\n@%p1 bra ODD;\n"
      "add.u32 %r6, %r0, 1000;\nst.shared.u32 [%r3], %r6;\n" +
          barrier + " 0;\nld.shared.u32 %r7, [%r4];\nbra.uni DONE;\nODD:\n" +
          "add.u32 %r6, %r0, 2000;\nst.shared.u32 [%r3], %r6;\n" + barrier +
          " 0;\nld.shared.u32 %r7, [%r4];\nDONE:\nst.global.u32 [%rd1], %r7;",
      ".shared .align 4 .b8 s[256];\n");
}

void check_two_sided(const KernelRunner& runner) {
  for (unsigned i = 0; i < 64; ++i) {
    INFO("thread " << i);
    CHECK(runner.result<unsigned>(i) == (i ^ 32u) + ((i & 1u) != 0 ? 2000 : 1000));
  }
}

}  // namespace

TEST_CASE("lanes that come to a barrier by two instructions count as one warp") {
  for (const char* barrier : {"bar.sync", "barrier.sync", "barrier.sync.aligned"}) {
    INFO(barrier);
    KernelRunner runner(two_sided(barrier));
    runner.run({64, 1, 1});
    check_two_sided(runner);
    for (unsigned seed = 1; seed < 6; ++seed) {
      KernelRunner carried(two_sided(barrier));
      carried.run_carried({64, 1, 1}, {1, 1, 1}, seed);
      check_two_sided(carried);
    }
  }
}

TEST_CASE("an unaligned barrier waits for lanes that are past the branch") {
  // Lanes 0 to 15 come to the first barrier, the others to the second.
  KernelRunner runner(kernel_text(
      "mov.u32 %r1, s;\nshl.b32 %r2, %r0, 2;\nadd.u32 %r3, %r1, %r2;\nadd.u32 %r6, %r0, 7;\n"
      "xor.b32 %r4, %r2, 64;\nadd.u32 %r4, %r1, %r4;\nmov.u32 %r7, 0;\n"
      "st.shared.u32 [%r3], %r6;\nsetp.ge.u32 %p1, %r0, 16;\n@%p1 bra JOIN;\n"
      "barrier.sync 0;\nld.shared.u32 %r7, [%r4];\nadd.u32 %r7, %r7, 100;\nbra.uni DONE;\n"
      "JOIN:\nbarrier.sync 0;\nld.shared.u32 %r7, [%r4];\nDONE:\nst.global.u32 [%rd1], %r7;",
      ".shared .align 4 .b8 s[128];\n"));
  runner.run();
  for (unsigned i = 0; i < 32; ++i) {
    INFO("thread " << i);
    CHECK(runner.result<unsigned>(i) == (i ^ 16u) + 7 + (i < 16 ? 100 : 0));
  }
}

TEST_CASE("a warp that comes to a bar.red by two instructions is refused") {
  KernelRunner runner(kernel_text(
      "setp.lt.u32 %p2, %r0, 5;\nsetp.ge.u32 %p1, %r0, 16;\n@%p1 bra OTHER;\n"
      "bar.red.popc.u32 %r3, 0, %p2;\nbra.uni DONE;\nOTHER:\nbar.red.popc.u32 %r3, 0, %p2;\n"
      "DONE:\nst.global.u32 [%rd1], %r3;"));
  CHECK_THROWS_WITH(runner.run(), Catch::Contains("at another bar.red of this barrier: test.ptx:"));
}

TEST_CASE("a barrier while lanes of the warp wait for its lanes elsewhere is a deadlock") {
  KernelRunner runner(
      kernel_text("setp.ge.u32 %p1, %r0, 16;\n@%p1 bra OTHER;\nbar.warp.sync -1;\nbra.uni DONE;\n"
                  "OTHER:\nbar.sync 0;\nDONE:\nst.global.u32 [%rd1], %r0;"));
  CHECK_THROWS_WITH(runner.run(),
                    Catch::Contains("a barrier of the CTA while lanes 0x0000ffff wait at "
                                    "test.ptx:23 'bar.warp.sync -1' for lanes 0xffffffff"));
}
