// SPDX-License-Identifier: Apache-2.0
// Barriers of the CTA in divergent code: a warp comes to a barrier once, with all of its lanes.

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::divergent_barrier_test {

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
  CHECK_THROWS_WITH(runner.run(),
                    Catch::Contains("at this barrier by another instruction, test.ptx:"));
}

TEST_CASE("a barrier while lanes of the warp wait for its lanes elsewhere is a deadlock") {
  KernelRunner runner(
      kernel_text("setp.ge.u32 %p1, %r0, 16;\n@%p1 bra OTHER;\nbar.warp.sync -1;\nbra.uni DONE;\n"
                  "OTHER:\nbar.sync 0;\nDONE:\nst.global.u32 [%rd1], %r0;"));
  CHECK_THROWS_WITH(runner.run(),
                    Catch::Contains("a barrier of the CTA while lanes 0x0000ffff wait at "
                                    "test.ptx:23 'bar.warp.sync -1' for lanes 0xffffffff"));
}

TEST_CASE("warps that have done different numbers of bar.red agree on the next one") {
  // Warps 0 and 1 count themselves at barrier 1, then all four at barrier 0.
  KernelRunner runner(kernel_text(
      "setp.lt.u32 %p1, %r0, 64;\nmov.u32 %r3, 0;\nmov.u32 %r4, 64;\nmov.u32 %r5, 1;\n"
      "setp.lt.u32 %p2, %r0, 1000;\n@!%p1 bra ALL;\nbar.red.popc.u32 %r3, %r5, %r4, %p2;\n"
      "ALL:\nbar.red.popc.u32 %r6, 0, %p2;\nshl.b32 %r3, %r3, 16;\nor.b32 %r6, %r6, %r3;\n"
      "st.global.u32 [%rd1], %r6;"));
  runner.run({128, 1, 1});
  for (unsigned i = 0; i < 128; ++i) {
    CHECK(runner.result<unsigned>(i) == (128u | (i < 64 ? 64u << 16 : 0u)));
  }
}

TEST_CASE("pairs of warps that use one barrier after the other count only themselves") {
  // Warps 2 and 3 wait at barrier 0 for the first pair, which has used barrier 1 before.
  KernelRunner runner(kernel_text(
      "setp.lt.u32 %p1, %r0, 64;\nmov.u32 %r4, 64;\nmov.u32 %r5, 1;\n"
      "setp.lt.u32 %p2, %r0, 1000;\n@!%p1 bra SECOND;\nbar.red.popc.u32 %r3, %r5, %r4, %p2;\n"
      "bar.sync 0;\nbra.uni DONE;\nSECOND:\nbar.sync 0;\nbar.red.popc.u32 %r3, %r5, %r4, %p2;\n"
      "DONE:\nst.global.u32 [%rd1], %r3;"));
  runner.run({128, 1, 1});
  for (unsigned i = 0; i < 128; ++i) CHECK(runner.result<unsigned>(i) == 64);
}

TEST_CASE(
    "lanes of a warp that come to one barrier by different kinds of instruction are refused") {
  const auto error = [](const std::string& low, const std::string& high) {
    KernelRunner runner(kernel_text("setp.ge.u32 %p1, %r0, 16;\n@%p1 bra HIGH;\n" + low +
                                    ";\nbra.uni DONE;\nHIGH:\n" + high +
                                    ";\nDONE:\nst.global.u32 [%rd1], %r0;"));
    CHECK_THROWS_WITH(runner.run({64, 1, 1}),
                      Catch::Contains("at this barrier by another instruction"));
  };
  error("barrier.arrive 0, 64", "barrier.sync 0, 64");
  error("barrier.sync 0, 64", "barrier.sync 0, 32");
  error("barrier.sync 0", "bar.red.popc.u32 %r3, 0, %p1");
}

TEST_CASE("lanes of one instruction that name different barriers are refused") {
  KernelRunner runner(kernel_text("and.b32 %r1, %r0, 1;\nbar.sync %r1;\n"));
  CHECK_THROWS_WITH(runner.run(), Catch::Contains("name different barriers"));
}

TEST_CASE("memory that no GPU has is refused before the run") {
  const auto refuses = [](const std::string& body, const std::string& scope, const char* what) {
    const auto module = tessera::ptx::parse(kernel_text(body, scope), "test.ptx");
    CHECK_THROWS_WITH(tessera::ptx::decode(module, "k"), Catch::Contains(what));
  };
  refuses(".local .b8 big[4294967295];\nmov.u32 %r1, 0;", "", "bytes of local memory a thread");
  refuses("mov.u32 %r1, big;", ".shared .align 4 .b8 big[4294967295];\n", "bytes of shared memory");
}

}  // namespace tessera::divergent_barrier_test
