// SPDX-License-Identifier: Apache-2.0
// Generic accesses whose lanes address different state spaces.
#include <catch2/catch.hpp>
#include <functional>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::mixed_spaces_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)

namespace {

/// %rd10: a generic address of lane i's 16 bytes in global (i % 4 == 0), shared (1), local (2)
/// memory; lanes with i % 4 == 3 have another part of the input.
std::string mixed(const std::string& body) {
  return kernel_text(
      ".shared .align 16 .b8 s[1024];\n.local .align 16 .b8 l[64];\n"
      "and.b32 %r1, %r0, 3; mul.wide.u32 %rd4, %r0, 16;\n"
      "mov.u64 %rd5, s; cvta.shared.u64 %rd5, %rd5; add.u64 %rd5, %rd5, %rd4;\n"
      "mov.u64 %rd6, l; cvta.local.u64 %rd6, %rd6; add.u64 %rd6, %rd6, 16;\n"
      "add.u64 %rd7, %rd2, %rd4; add.u64 %rd8, %rd7, 2048;\n"
      "setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r1, 2; setp.eq.u32 %p3, %r1, 3;\n"
      "mov.u64 %rd10, %rd7; selp.u64 %rd10, %rd5, %rd10, %p1; selp.u64 %rd10, %rd6, %rd10, %p2;\n"
      "selp.u64 %rd10, %rd8, %rd10, %p3;\n" +
      body);
}

void in_both_modes(const std::string& text, const std::function<void(KernelRunner&)>& check) {
  const auto fill = [](KernelRunner& k) {
    for (unsigned i = 0; i < 2048; ++i) k.set_input<std::uint32_t>(i, 5000 + i);
  };
  {
    KernelRunner k(text);
    fill(k);
    k.run();
    INFO("functional");
    check(k);
  }
  for (unsigned seed = 0; seed < 8; ++seed) {
    KernelRunner k(text);
    fill(k);
    k.run_carried({32, 1, 1}, {1, 1, 1}, seed);
    INFO("carried, seed " << seed);
    check(k);
  }
}

}  // namespace

TEST_CASE("loads and stores of lanes in four places reach each lane's own") {
  const std::string text = mixed(
      "mad.lo.u32 %r2, %r0, 3, 7; st.u32 [%rd10+4], %r2; ld.u32 %r3, [%rd10+4];\n"
      "st.global.u32 [%rd1], %r3;");
  in_both_modes(text, [](KernelRunner& k) {
    for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == 3 * i + 7);
    std::uint32_t stored;
    std::memcpy(&stored, k.memory.at(k.in + 8 * 16 + 4), 4);
    CHECK(stored == 3 * 8 + 7);
    std::memcpy(&stored, k.memory.at(k.in + 9 * 16 + 4), 4);
    CHECK(stored == 5000 + 9 * 4 + 1);  // lane 9 stored to shared memory
  });
}

TEST_CASE("vectors, bytes and 64-bit values of mixed lanes") {
  const std::string text = mixed(
      "add.u32 %r2, %r0, 1; add.u32 %r3, %r0, 2; add.u32 %r4, %r0, 3; add.u32 %r5, %r0, 4;\n"
      "st.v4.u32 [%rd10], {%r2, %r3, %r4, %r5}; ld.v2.u64 {%rd11, %rd12}, [%rd10];\n"
      "ld.u8 %r6, [%rd10+8]; ld.s16 %rs1, [%rd10+12]; cvt.u64.u32 %rd13, %r6; cvt.u64.s16 %rd14, "
      "%rs1;\n"
      "shr.u64 %rd11, %rd11, 32; add.u64 %rd11, %rd11, %rd12; add.u64 %rd11, %rd11, %rd13;\n"
      "add.u64 %rd11, %rd11, %rd14; st.global.u64 [%rd1], %rd11;");
  in_both_modes(text, [](KernelRunner& k) {
    for (std::uint64_t i = 0; i < 32; ++i) {
      const std::uint64_t high = (i + 4) << 32 | (i + 3);
      CHECK(k.result<std::uint64_t>(static_cast<unsigned>(i)) ==
            (i + 2) + high + (i + 3) + (i + 4));
    }
  });
}

TEST_CASE("atomics of lanes in shared and global memory") {
  // Odd lanes add to one word of shared memory, even ones to one of global memory.
  const std::string text = kernel_text(
      ".shared .align 16 .b8 s[16];\nmov.u64 %rd5, s; cvta.shared.u64 %rd5, %rd5;\n"
      "and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 1; selp.u64 %rd6, %rd5, %rd2, %p1;\n"
      "setp.eq.u32 %p2, %r0, 1; @%p2 st.shared.u32 [s], 100; bar.sync 0;\n"
      "atom.add.u32 %r2, [%rd6], %r0; atom.add.u32 %r4, [%rd6], 1; add.u32 %r4, %r4, 1; bar.sync "
      "0;\n"
      "ld.u32 %r3, [%rd6]; st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r2;");
  in_both_modes(text, [](KernelRunner& k) {
    for (unsigned i = 0; i < 32; ++i) {
      const std::uint32_t sum = i % 2 == 1 ? 100 + 256 : 5000 + 240;
      CHECK(k.result<std::uint32_t>(i) == sum + 16);
    }
    std::uint32_t old;
    std::memcpy(&old, k.memory.at(k.out + 8 * 1 + 4), 4);
    CHECK(old == 100);  // lane 1 is the first of shared memory
  });
}

TEST_CASE("a load of mixed lanes can replace its address register") {
  const std::string text = mixed(
      "cvt.u64.u32 %rd11, %r0; st.u64 [%rd10], %rd11; ld.u64 %rd10, [%rd10];\n"
      "st.global.u64 [%rd1], %rd10;");
  in_both_modes(text, [](KernelRunner& k) {
    for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint64_t>(i) == i);
  });
}

TEST_CASE("parameters mix with global memory") {
  const std::string text = kernel_text(
      "mov.b64 %rd5, in; cvta.param.u64 %rd5, %rd5; and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 1;\n"
      "selp.u64 %rd6, %rd5, %rd2, %p1; ld.u64 %rd7, [%rd6]; st.global.u64 [%rd1], %rd7;");
  in_both_modes(text, [](KernelRunner& k) {
    for (unsigned i = 0; i < 32; ++i) {
      CHECK(k.result<std::uint64_t>(i) == (i % 2 == 1 ? k.in : 5001ULL << 32 | 5000));
    }
  });
}

TEST_CASE("masked-off lanes do not split an access, and a guard holds for all its parts") {
  const std::string text = mixed(
      "setp.lt.u32 %p4, %r0, 10; mov.u32 %r3, 77; @%p4 st.u32 [%rd10], %r0;\n"
      "@%p4 ld.u32 %r3, [%rd10]; st.global.u32 [%rd1], %r3;");
  in_both_modes(text, [](KernelRunner& k) {
    for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == (i < 10 ? i : 77));
  });
  KernelRunner k(mixed("setp.eq.u32 %p4, %r1, 1; @%p4 ld.u32 %r3, [%rd10];"));
  const auto program = k.program({1, 1, 1}, {32, 1, 1}, false);
  CarriedRunner runner(*program, k.memory, 1);
  runner.run();
  REQUIRE(runner.seen.size() == 1);
  CHECK(runner.seen[0].space == Space::kShared);
  CHECK(runner.seen[0].active == 0x22222222);
}

TEST_CASE("each part of a mixed access is an access of its space, with its lanes") {
  KernelRunner k(mixed("ld.u32 %r3, [%rd10];"));
  const auto program = k.program({1, 1, 1}, {32, 1, 1}, false);
  CarriedRunner runner(*program, k.memory, 1);
  runner.run();
  REQUIRE(runner.seen.size() == 3);
  CHECK(runner.seen[0].space == Space::kGlobal);
  CHECK(runner.seen[0].active == 0x99999999);
  CHECK(runner.seen[1].space == Space::kShared);
  CHECK(runner.seen[1].active == 0x22222222);
  CHECK(runner.seen[2].space == Space::kLocal);
  CHECK(runner.seen[2].active == 0x44444444);
}

TEST_CASE("mixed lanes in divergent code and in a loop") {
  const std::string text = mixed(
      "mov.u32 %r4, 0; mov.u32 %r5, 0; setp.gt.u32 %p5, %r0, 19; @%p5 bra SKIP;\n"
      "LOOP: st.u32 [%rd10], %r4; ld.u32 %r6, [%rd10]; add.u32 %r5, %r5, %r6; add.u32 %r4, %r4, "
      "1;\n"
      "setp.le.u32 %p6, %r4, %r0; @%p6 bra LOOP;\nSKIP: st.global.u32 [%rd1], %r5;");
  in_both_modes(text, [](KernelRunner& k) {
    for (unsigned i = 0; i < 32; ++i) {
      CHECK(k.result<std::uint32_t>(i) == (i > 19 ? 0 : i * (i + 1) / 2));
    }
  });
}

TEST_CASE("local memory has the addresses of its warp slot, word by word over the lanes") {
  KernelRunner k(
      kernel_text(".local .align 16 .b8 l[40];\nst.local.u32 [l+8], %r0;\n"
                  "st.local.v4.u32 [l+16], {%r0, %r0, %r0, %r0}; st.local.u8 [l+6], %r0;"));
  const auto program = k.program({1, 1, 1}, {32, 1, 1}, false);
  CarriedRunner runner(*program, k.memory, 1);
  runner.run();
  REQUIRE(runner.seen.size() == 3);
  for (unsigned i = 0; i < 32; ++i) {
    CHECK(runner.seen[0].address[i] == 2 * 128 + 4 * i);
    CHECK(runner.seen[1].address[i] == 512 + 16 * i);
    CHECK(runner.seen[2].address[i] == 128 + 4 * i + 2);
  }
}

}  // namespace tessera::mixed_spaces_test
