// SPDX-License-Identifier: Apache-2.0
// The stack of kernels with recursion and function pointers, as a manifest sets it.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/stimuli/runner/manifest_folder.h"

namespace tessera::manifest_stack_test {

namespace {

using tessera::test::ManifestFolder;
using tessera::test::ManifestRun;

// sum(n) = n == 0 ? 0 : sum(n - 1) + n, with 16 bytes of stack for each activation.
const std::string kPtx = R"(.version 6.0
.target sm_70
.address_size 64
.func (.param .b32 r) sum(.param .b32 n)
{
  .reg .b32 %r<4>;
  .reg .pred %p;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  setp.eq.u32 %p, %r1, 0;
  @%p bra DONE;
  sub.u32 %r3, %r1, 1;
  {
  .param .b32 a;
  .param .b32 b;
  st.param.b32 [a], %r3;
  call (b), sum, (a);
  ld.param.b32 %r2, [b];
  }
  add.u32 %r2, %r2, %r1;
DONE:
  st.param.b32 [r], %r2;
  ret;
}
.visible .entry total(.param .u64 to, .param .u32 n)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [n];
  {
  .param .b32 a;
  .param .b32 b;
  st.param.b32 [a], %r1;
  call (b), sum, (a);
  ld.param.b32 %r1, [b];
  }
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

/// A run of total(n); `members`: of the manifest, besides those of the launch.
struct Run {
  ManifestFolder folder;
  ManifestRun run;
  Run(const std::string& members, int n) : run(write(members, n)) {}

  std::string write(const std::string& members, int n) const {
    folder.put("k.ptx", kPtx);
    const std::string depth = std::to_string(n);
    return folder.put("m.json", R"({"name": "m", "ptx": "k.ptx", )" + members +
                                    R"("sizes": {"small": {"depth": )" + depth +
                                    R"(}}, "arrays": [{"name": "out", "type": "u32", "count": 1}],
      "launches": [{"kernel": "total", "grid": 1, "block": 32,
                    "arguments": ["out", {"type": "u32", "value": "depth"}]}],
      "outputs": [{"array": "out"}], "expected": {"out": [)" +
                                    std::to_string(n * (n + 1) / 2) + "]}}");
  }
};

}  // namespace

TEST_CASE("a stack has 1024 bytes unless the manifest sets its size") {
  CHECK(Run("", 63).run.passed());
  const Run deeper("", 64);
  CHECK(deeper.run.run_error);
  CHECK_THAT(deeper.run.error, Catch::Contains("stack overflow: the frame of 'sum' needs 16 bytes, "
                                               "and 1024 of 1024 bytes are in use"));
  CHECK(Run(R"("stack_bytes": 1040, )", 64).run.passed());
  CHECK(Run(R"("stack_bytes": "16 * depth + 16", )", 1000).run.passed());
  const Run smaller(R"("stack_bytes": 256, )", 16);
  CHECK_THAT(smaller.run.error, Catch::Contains("256 of 256 bytes are in use"));
}

TEST_CASE("a size of the stack that no thread can have is refused with its place") {
  const Run negative(R"("stack_bytes": -16, )", 1);
  CHECK_FALSE(negative.run.run_error);
  CHECK_THAT(negative.run.error, Catch::Contains("m.json:1: /stack_bytes: expected 0 to 524288 "
                                                 "bytes of stack, found -16 at scale small"));
  const Run large(R"("stack_bytes": "1048576 * depth", )", 1);
  CHECK_THAT(large.run.error, Catch::Contains("found 1048576"));
  const Run no_number(R"("stack_bytes": "depths", )", 1);
  CHECK_THAT(no_number.run.error,
             Catch::Contains("did you mean 'depth'") || Catch::Contains("did you mean \"depth\""));
}

}  // namespace tessera::manifest_stack_test
