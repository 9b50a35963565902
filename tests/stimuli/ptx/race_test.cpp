// SPDX-License-Identifier: Apache-2.0
// --check-races: what is reported, and what is not.

#include <catch2/catch.hpp>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::race_test {

using tessera::test::kernel_text;
using tessera::test::KernelRunner;
using Strings = std::vector<std::string>;

namespace {

/// Races of a kernel, the same in both modes of values. %r31: the CTA; %p1: it is CTA 0; %r30: the
/// warp; %p2: it is warp 0; `tile`: 1 KiB of shared memory at %r20.
Strings races_of(const std::string& body, Dim3 grid, Dim3 block = {1, 1, 1}) {
  const std::string text = kernel_text(
      "setp.eq.u32 %p1, %r31, 0;\nmov.u32 %r30, %tid.x;\nshr.u32 %r30, %r30, 5;\n"
      "setp.eq.u32 %p2, %r30, 0;\nmov.u32 %r20, tile;\n" +
          body,
      ".shared .align 4 .b8 tile[1024];\n");
  INFO(text);
  KernelRunner functional(text);
  functional.check_races = true;
  functional.run(block, grid);
  KernelRunner carried(text);
  carried.check_races = true;
  carried.run_carried(block, grid, 1);
  CHECK(functional.races.size() == carried.races.size());
  return functional.races;
}

const Dim3 kTwo{2, 1, 1};
const Dim3 kTwoWarps{64, 1, 1};

}  // namespace

TEST_CASE("two CTAs that write different values to one address race") {
  const Strings races = races_of("st.global.u32 [%rd0+16], %r31;", kTwo);
  REQUIRE(races.size() == 1);
  CHECK(races[0] ==
        "kernel 'k', CTA (1,0,0), thread (0,0,0), test.ptx:27 'st.global.u32 [%rd0+16], %r31': "
        "race: it writes 'out' + 16, which CTA (0,0,0) wrote at test.ptx:27 'st.global.u32 "
        "[%rd0+16], %r31' in the same launch, and nothing orders them");
  // Beyond the first word of an access, and partly.
  CHECK(races_of("@%p1 st.global.v2.u32 [%rd0], {%r32, %r32};\n@!%p1 st.global.u8 [%rd0+7], 255;",
                 kTwo)
            .size() == 1);
}

TEST_CASE("writes of one value, of neighbouring bytes and of one CTA do not race") {
  CHECK(races_of("st.global.u32 [%rd0], 7;", kTwo).empty());
  CHECK(races_of("cvt.u64.u32 %rd5, %r31;\nadd.u64 %rd5, %rd0, %rd5;\nst.global.u8 [%rd5], %r31;",
                 {4, 1, 1})
            .empty());
  CHECK(races_of("st.global.u32 [%rd0], %r0;\nld.global.u32 %r1, [%rd0];", {1, 1, 1}, kTwoWarps)
            .empty());
}

TEST_CASE("a CTA that reads what another writes races, whichever comes first") {
  const Strings after = races_of(
      "@%p1 st.global.u32 [%rd0], 7;\n@!%p1 ld.global.u32 %r1, [%rd0];\nst.global.u32 [%rd1+64], "
      "%r1;",
      kTwo);
  REQUIRE(after.size() == 1);
  CHECK(after[0].find("race: it reads 'out' + 0, which CTA (0,0,0) wrote at test.ptx:27") !=
        std::string::npos);
  const Strings before =
      races_of("@%p1 ld.global.u32 %r1, [%rd0];\n@!%p1 st.global.u32 [%rd0], 7;", kTwo);
  REQUIRE(before.size() == 1);
  CHECK(before[0].find("race: it writes 'out' + 0, which CTA (0,0,0) read at test.ptx:27") !=
        std::string::npos);
}

TEST_CASE("what a fence and a flag publish is ordered, and without the fence it is not") {
  const auto handed_over = [](const std::string& fence, const std::string& poll) {
    return races_of("@!%p1 bra READ;\nst.global.u32 [%rd0], 7;\n" + fence +
                        "st.volatile.global.u32 [%rd0+64], 1;\nbra DONE;\nREAD:\n" + poll +
                        "ld.global.u32 %r1, [%rd0];\nDONE:",
                    kTwo)
        .size();
  };
  const std::string poll = "ld.volatile.global.u32 %r2, [%rd0+64];\nmembar.gl;\n";
  CHECK(handed_over("membar.gl;\n", poll) == 0);
  CHECK(handed_over("membar.gl;\n", "atom.global.add.u32 %r2, [%rd0+64], 0;\n") == 0);
  CHECK(handed_over("", poll) == 1);
  CHECK(handed_over("membar.gl;\n", "") == 1);
  // A flag that is no flag: a weak read of a strong write.
  CHECK(handed_over("membar.gl;\n", "ld.global.u32 %r2, [%rd0+64];\n") == 2);
}

TEST_CASE("order passes on from CTA to CTA") {
  // 0 hands to 1 by one flag, 1 to 2 by another; 2 reads what 0 wrote.
  const std::string chain =
      "setp.eq.u32 %p3, %r31, 1;\nsetp.eq.u32 %p4, %r31, 2;\n"
      "@%p1 st.global.u32 [%rd0], 7;\nmembar.gl;\n"
      "@%p1 st.volatile.global.u32 [%rd0+64], 1;\n"
      "@%p3 ld.volatile.global.u32 %r2, [%rd0+64];\n";
  const std::string end =
      "@%p3 st.volatile.global.u32 [%rd0+128], 1;\n"
      "@%p4 ld.volatile.global.u32 %r2, [%rd0+128];\n@%p4 ld.global.u32 %r3, [%rd0];";
  CHECK(races_of(chain + end, {3, 1, 1}).empty());
  CHECK(races_of(chain + "@%p3 st.global.u32 [%rd0+256], 1;\n" + end, {3, 1, 1}).size() == 1);
}

TEST_CASE("atomics do not race with each other, but with weak accesses") {
  CHECK(races_of("red.global.add.u32 [%rd0], 1;", {4, 1, 1}).empty());
  CHECK(races_of("@%p1 red.global.add.u32 [%rd0], 1;\n@!%p1 ld.global.u32 %r1, [%rd0];", kTwo)
            .size() == 1);
  CHECK(
      races_of("@%p1 red.cta.global.add.u32 [%rd0], 1;\n@!%p1 red.global.add.u32 [%rd0], 1;", kTwo)
          .size() == 1);
}

TEST_CASE("launches are ordered") {
  KernelRunner k(kernel_text("st.global.u32 [%rd0], %r32;"));
  k.check_races = true;
  k.run({1, 1, 1});
  k.run({2, 1, 1});
  CHECK(k.races.empty());
}

TEST_CASE("warps that share a word of shared memory need a barrier between them") {
  const auto exchange = [](const std::string& between) {
    return races_of(
        "@%p2 st.shared.u32 [%r20+8], 7;\n" + between + "@!%p2 ld.shared.u32 %r1, [%r20+8];",
        {1, 1, 1}, kTwoWarps);
  };
  const Strings races = exchange("");
  REQUIRE(races.size() == 1);
  CHECK(races[0].find("byte 8 of shared memory, which warp ") != std::string::npos);
  CHECK(races[0].find("of the CTA") != std::string::npos);
  CHECK(races[0].find("without a barrier between them") != std::string::npos);
  CHECK(exchange("bar.sync 0;\n").empty());
  CHECK(exchange("@%p2 bar.arrive 1, 64;\n@!%p2 bar.sync 1, 64;\n").empty());
  // Of another CTA it is another memory.
  CHECK(races_of("st.shared.u32 [%r20], %r31;", kTwo).empty());
}

TEST_CASE("a barrier orders the warps that come to it, and each round by itself") {
  // Warps 0 and 1 meet; warp 2 does not.
  CHECK(races_of("setp.lt.u32 %p3, %r30, 2;\n@%p2 st.shared.u32 [%r20], 7;\n@%p3 bar.sync 1, "
                 "64;\n@!%p2 ld.shared.u32 %r1, [%r20];",
                 {1, 1, 1}, {96, 1, 1})
            .size() == 1);
  // A barrier after the read, but none between the read and the next write.
  CHECK(races_of("@%p2 st.shared.u32 [%r20], 7;\nbar.sync 0;\n@!%p2 ld.shared.u32 %r1, [%r20];\n"
                 "@%p2 st.shared.u32 [%r20], 8;\nbar.sync 0;",
                 {1, 1, 1}, kTwoWarps)
            .size() == 1);
  CHECK(races_of("@%p2 st.shared.u32 [%r20], 7;\nbar.sync 0;\n@!%p2 ld.shared.u32 %r1, [%r20];\n"
                 "bar.sync 0;\n@%p2 st.shared.u32 [%r20], 8;\nbar.sync 0;",
                 {1, 1, 1}, kTwoWarps)
            .empty());
}

TEST_CASE("a barrier in divergent code is reported where all of the warp should execute it") {
  const std::string half = "setp.lt.u32 %p3, %r0, 16;\n@%p3 bra LOW;\n";
  const Strings races =
      races_of(half + "bar.sync 0;\nbra DONE;\nLOW:\nbar.sync 0;\nDONE:", {1, 1, 1}, {32, 1, 1});
  REQUIRE(races.size() == 2);
  CHECK(races[0].find("'bar.sync 0': a barrier in divergent code: 16 of 32 lanes of the warp come "
                      "to it together; PTX asks for all of them (.aligned)") != std::string::npos);
  CHECK(races_of(half + "barrier.sync 0;\nbra DONE;\nLOW:\nbarrier.sync 0;\nDONE:", {1, 1, 1},
                 {32, 1, 1})
            .empty());
  // Lanes that have ended, or never were, are not waited for.
  CHECK(races_of("setp.lt.u32 %p3, %r0, 16;\n@%p3 exit;\nbar.sync 0;", {1, 1, 1}, {24, 1, 1})
            .empty());
}

}  // namespace tessera::race_test
