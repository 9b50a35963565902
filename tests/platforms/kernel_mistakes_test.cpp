// SPDX-License-Identifier: Apache-2.0
// Kernels that hang end with a message that says where their warps stand; kernels that print and
// that fail their own assertions, on a platform.

#include <catch2/catch.hpp>
#include <iostream>
#include <sstream>

#include "platforms/run_result.h"
#include "tests/platforms/child_process.h"
#include "tests/platforms/one_kernel.h"

namespace tessera::kernel_mistakes_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using Catch::Contains;

namespace {

const char* const kSpin =
    "L:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n";

}  // namespace

TEST_CASE("an endless loop is stopped, and its line is named") {
  const auto why = failure("L:\nbra L;\n", {"system.loop_limit=20000"});
  REQUIRE(why.has_value());
  CHECK_THAT(*why, Contains("kernel 'k': an endless loop") &&
                       Contains("no CTA has ended while 4 warps executed 2") &&
                       Contains("system.loop_limit") &&
                       Contains("waiting for an issue slot; the first: CTA (0,0,0), warp 0, "
                                "k.ptx:14 'bra L'"));
}

TEST_CASE("a loop that waits for a value that nobody writes is stopped, and its line is named") {
  const auto why = failure(kSpin, {"system.loop_limit=2000"}, ValueMode::kCarried);
  REQUIRE(why.has_value());
  CHECK_THAT(*why, Contains("a spin on a value that nobody writes") &&
                       Contains("; the first: CTA (0,0,0), warp 0, k.ptx:1"));
}

TEST_CASE("lanes of a warp wait for a spin lock of one of them, counting their attempts or not") {
  const bool counts = GENERATE(false, true);
  const ValueMode values = GENERATE(ValueMode::kFunctional, ValueMode::kCarried);
  CAPTURE(counts);
  const std::string body =
      "mov.u32 %r3, 0;\nL:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\n" +
      std::string(counts ? "add.u32 %r3, %r3, 1;\n" : "") +
      "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\natom.global.exch.b32 %r2, [%rd1], 0;\n";
  const std::string why = in_child([&] { return failure(body, {}, values).value_or("none"); });
  CHECK(why == "none");
}

TEST_CASE("a barrier that one warp never reaches is a deadlock, and its line is named") {
  const auto why =
      failure("setp.lt.u32 %p1, %r1, 32;\n@%p1 bar.sync 1, 64;\n@!%p1 bar.sync 2, 64;\n",
              {"system.watchdog_cycles=20000"});
  REQUIRE(why.has_value());
  CHECK_THAT(*why, Contains("kernel 'k': deadlock: nothing has moved") &&
                       Contains("waiting for other warps of their CTA at a barrier; the first: "
                                "CTA (0,0,0), warp 0, k.ptx:14 '@%p1 bar.sync 1, 64'"));
}

TEST_CASE("long work that ends CTA by CTA is no endless loop") {
  Simulation simulation(resolve_config("uba-mem-small", {"system.loop_limit=20000"}));
  // 2000 turns of three instructions; many CTAs one after the other.
  OneKernel kernel(
      "mov.u32 %r2, 2000;\nL:\nsub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n",
      {1024, 1, 1});
  const RunResult r = simulation.run(kernel, {});
  CHECK_FALSE(r.failure.has_value());
  CHECK(r.stats["instructions"].get<std::uint64_t>() > 1024 * 2 * 6000);
}

TEST_CASE("a kernel prints to standard error when values are carried") {
  std::ostringstream text;
  std::streambuf* const kept = std::cerr.rdbuf(text.rdbuf());
  const auto why = failure(
      ".local .align 8 .b8 depot[16];\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra DONE;\n"
      "mov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p1, %r2, 1;\n@%p1 bra DONE;\n"
      "st.local.u32 [depot], %r1;\nmov.u64 %rd2, word;\ncvta.global.u64 %rd2, %rd2;\n"
      "st.local.u64 [depot+8], %rd2;\nmov.u64 %rd3, format;\ncvta.global.u64 %rd3, %rd3;\n"
      "mov.u64 %rd4, depot;\ncvta.local.u64 %rd4, %rd4;\n{\n.param .b64 p;\n.param .b64 q;\n"
      ".param .b32 s;\nst.param.b64 [p], %rd3;\nst.param.b64 [q], %rd4;\n"
      "call.uni (s), vprintf, (p, q);\n}\nDONE:\n",
      {}, ValueMode::kCarried);
  std::cerr.rdbuf(kept);
  CHECK_FALSE(why.has_value());
  CHECK_THAT(text.str(), Contains("0 abc\n1 abc\n"));
}

}  // namespace tessera::kernel_mistakes_test
