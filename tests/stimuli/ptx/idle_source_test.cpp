// SPDX-License-Identifier: Apache-2.0
// shfl from lanes that take no part: 0, and one warning an instruction.

#include <catch2/catch.hpp>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::idle_source_test {

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

TEST_CASE("a shfl from a lane that has ended gives 0 and names both lanes once") {
  // Threads 24 to 31 end; then lane i reads lane i + 8.
  KernelRunner runner(
      kernel_text("setp.ge.u32 %p1, %r0, 24;\n@%p1 exit;\nadd.u32 %r1, %r0, 100;\n"
                  "shfl.sync.down.b32 %r2|%p2, %r1, 8, 31, -1;\n"
                  "shfl.sync.down.b32 %r3, %r1, 8, 31, -1;\n"
                  "selp.u32 %r4, 1, 0, %p2;\nshl.b32 %r4, %r4, 16;\nor.b32 %r2, %r2, %r4;\n"
                  "st.global.u32 [%rd1], %r2;"));
  runner.run();
  for (unsigned i = 0; i < 24; ++i) {
    INFO("lane " << i);
    // A source that does not take part is in range all the same.
    CHECK(runner.result<unsigned>(i) == 0x10000 + (i < 16 ? i + 108 : 0));
  }
  REQUIRE(runner.warnings.size() == 2);
  CHECK(runner.warnings[0] ==
        "kernel 'k', CTA (0,0,0), thread (16,0,0), test.ptx:24 'shfl.sync.down.b32 %r2|%p2, %r1, "
        "8, 31, -1': lane 16 reads lane 24, which has ended: the value is undefined, and 0 here");
}

TEST_CASE("a shfl from a lane outside the mask gives 0 and says so") {
  KernelRunner runner(kernel_text(
      "setp.ge.u32 %p1, %r0, 16;\n@%p1 bra DONE;\nadd.u32 %r1, %r0, 100;\n"
      "shfl.sync.idx.b32 %r2, %r1, 20, 31, 0xffff;\nst.global.u32 [%rd1], %r2;\nDONE:"));
  runner.run();
  CHECK(runner.result<unsigned>(3) == 0);
  REQUIRE(runner.warnings.size() == 1);
  CHECK(runner.warnings[0].find("lane 0 reads lane 20, which does not take part") !=
        std::string::npos);
}

TEST_CASE("a shfl whose sources all take part warns of nothing") {
  // Lanes whose source is out of range read themselves.
  KernelRunner runner(
      kernel_text("shfl.sync.up.b32 %r2, %r0, 4, 0, -1;\nst.global.u32 [%rd1], %r2;"));
  runner.run({20, 1, 1});
  CHECK(runner.warnings.empty());
  CHECK(runner.result<unsigned>(2) == 2);
  CHECK(runner.result<unsigned>(19) == 15);
}

}  // namespace tessera::idle_source_test
