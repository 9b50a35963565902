// SPDX-License-Identifier: Apache-2.0
// cp.async and cp.async.bulk, in both modes of values.
#include <catch2/catch.hpp>
#include <functional>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::async_copy_test {

using namespace tessera::test;  // NOLINT(google-build-using-namespace)
using Catch::Contains;

namespace {

const std::string kShared = ".shared .align 16 .b8 tile[4096];\n.shared .align 8 .b64 bar[4];\n";

/// Runs the kernel functionally, and carried with 12 orders of the memory's responses; `check` gets
/// the runner after each.
void in_both_modes(const std::string& text, Dim3 block,
                   const std::function<void(KernelRunner&)>& check) {
  const auto fill = [](KernelRunner& k) {
    for (unsigned i = 0; i < 4096; ++i) k.set_input<std::uint32_t>(i, 1000 + i);
  };
  {
    KernelRunner k(text);
    fill(k);
    k.run(block);
    INFO("functional");
    check(k);
  }
  for (unsigned seed = 0; seed < 12; ++seed) {
    KernelRunner k(text);
    fill(k);
    k.run_carried(block, {1, 1, 1}, seed);
    INFO("carried, seed " << seed);
    check(k);
  }
}

std::string failure(const std::string& body, bool functional = true) {
  KernelRunner k(kernel_text(body, kShared));
  try {
    if (functional) {
      k.run();
    } else {
      k.run_carried({32, 1, 1}, {1, 1, 1}, 1);
    }
  } catch (const RunError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("cp.async copies 4, 8 or 16 bytes a lane to shared memory") {
  for (const std::string bytes : {"4", "8", "16"}) {
    // Lane i copies element i to element 31 - i, and another lane reads it.
    const std::string text = kernel_text(
        "mov.u32 %r1, tile; mov.u32 %r5, 31; sub.u32 %r6, %r5, %r0;\n"
        "mad.lo.u32 %r2, %r6, " +
            bytes +
            ", %r1;\n"
            "mul.wide.u32 %rd3, %r0, " +
            bytes +
            "; add.u64 %rd3, %rd2, %rd3;\n"
            "cp.async.ca.shared.global [%r2], [%rd3], " +
            bytes +
            ";\n"
            "cp.async.wait_all; bar.sync 0;\n"
            "mad.lo.u32 %r3, %r0, " +
            bytes + ", %r1; ld.shared.u32 %r4, [%r3+" +
            (bytes == "16"  ? "12"
             : bytes == "8" ? "4"
                            : "0") +
            "];\n"
            "st.global.u32 [%rd1], %r4;",
        kShared);
    in_both_modes(text, {32, 1, 1}, [&](KernelRunner& k) {
      const unsigned words = static_cast<unsigned>(std::stoul(bytes)) / 4;
      for (unsigned i = 0; i < 32; ++i) {
        CHECK(k.result<std::uint32_t>(i) == 1000 + (31 - i) * words + words - 1);
      }
    });
  }
}

TEST_CASE("bytes after those of the source are zeros, and an ignored source is not read") {
  // Lane i has a source of i bytes (0 to 16), and lanes from 17 on ignore it.
  const std::string text = kernel_text(
      "mov.u32 %r1, tile; mad.lo.u32 %r2, %r0, 16, %r1;\n"
      "st.shared.v4.u32 [%r2], {7, 7, 7, 7};\n"
      "mul.wide.u32 %rd3, %r0, 16; add.u64 %rd3, %rd2, %rd3;\n"
      "setp.gt.u32 %p1, %r0, 16; @%p1 add.u64 %rd3, %rd3, 1099511627776;\n"
      "@!%p1 cp.async.cg.shared.global.L2::128B [%r2], [%rd3], 16, %r0;\n"
      "@%p1 cp.async.cg.shared.global [%r2], [%rd3], 16, %p1;\n"
      "cp.async.commit_group; cp.async.wait_group 0;\n"
      "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];\n"
      "shl.b64 %rd4, %rd1, 0; mul.wide.u32 %rd4, %r0, 16; add.u64 %rd4, %rd0, %rd4;\n"
      "st.global.v4.u32 [%rd4], {%r3, %r4, %r5, %r6};",
      kShared);
  in_both_modes(text, {32, 1, 1}, [](KernelRunner& k) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned bytes = lane > 16 ? 0 : lane;
      for (unsigned b = 0; b < 16; ++b) {
        const std::uint32_t word = 1000 + lane * 4 + b / 4;
        const unsigned expected = b < bytes ? word >> 8 * (b % 4) & 0xff : 0;
        INFO("lane " << lane << ", byte " << b);
        CHECK(static_cast<unsigned>(k.memory.at(k.out + lane * 16 + b)[0]) == expected);
      }
    }
  });
}

TEST_CASE("wait_group waits for all but the last groups, of the lanes that execute it") {
  KernelRunner k(
      kernel_text("mov.u32 %r1, tile; mad.lo.u32 %r2, %r0, 4, %r1; setp.lt.u32 %p1, %r0, 16;\n"
                  "cp.async.ca.shared.global [%r2], [%rd2], 4;\n"
                  "cp.async.ca.shared.global [%r2+128], [%rd2], 4;\ncp.async.commit_group;\n"
                  "@%p1 cp.async.ca.shared.global [%r2+256], [%rd2], 4;\ncp.async.commit_group;\n"
                  "cp.async.ca.shared.global [%r2+384], [%rd2], 4;\n"
                  "cp.async.wait_group 1;\n"
                  "@!%p1 cp.async.wait_group 0;\n"
                  "cp.async.wait_group 0;\n"
                  "cp.async.wait_all;",
                  kShared));
  const auto program = k.program({1, 1, 1}, {32, 1, 1}, false);
  const auto cta = program->start_cta(CtaId(0));
  WarpProgram& warp = cta->warp(0);
  const auto result = std::make_unique<IssueResult>();
  std::vector<std::uint32_t> copies;
  const auto issue = [&] {
    warp.issue(IssueContext{}, *result);
    if (result->kind == IssueResult::Kind::kMemory && result->memory.asynchronous) {
      CHECK_FALSE(result->memory.values_done);
      copies.push_back(result->memory.copy);
    }
  };
  const std::array<std::byte, kWarpLanes * kMaxLaneBytes> data{};
  const auto end = [&](std::size_t i) { warp.complete({0, 0, copies[i]}, data.data()); };
  while (warp.next().unit != Unit::kWait) issue();
  REQUIRE(copies.size() == 4);
  CHECK_FALSE(warp.wait_is_limited());
  // wait_group 1: the first group.
  CHECK_FALSE(warp.wait_ended());
  end(1);
  CHECK_FALSE(warp.wait_ended());
  end(0);
  CHECK(warp.wait_ended());
  issue();
  // @!%p1 wait_group 0: lanes without a copy in the second group.
  CHECK(warp.wait_ended());
  issue();
  CHECK_FALSE(warp.wait_ended());
  end(2);
  CHECK(warp.wait_ended());
  issue();
  // wait_all: also the copy that is in no group.
  CHECK_FALSE(warp.wait_ended());
  // Without end_wait, an operation whose wait has not ended does not execute.
  IssueContext asks;
  asks.end_wait = false;
  warp.issue(asks, *result);
  CHECK(result->kind == IssueResult::Kind::kBlocked);
  end(3);
  CHECK(warp.wait_ended());
  warp.issue(asks, *result);
  CHECK(result->kind == IssueResult::Kind::kCompute);
}

TEST_CASE("a bulk copy of several pieces completes its bytes of an mbarrier") {
  // Thread 0 copies 1040 bytes (three pieces) and 16 bytes; all threads wait for both.
  const std::string text = kernel_text(
      "setp.ne.u32 %p1, %r0, 0; mov.u32 %r1, tile; mov.u32 %r2, bar;\n"
      "@%p1 bra WAIT;\n"
      "mbarrier.init.shared::cta.b64 [%r2], 1;\n"
      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r2], 1056;\n"
      "mov.u32 %r5, 1040; add.u64 %rd3, %rd2, 64;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], %r5, "
      "[%r2];\n"
      "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1+2048], [%rd3], 16, "
      "[%r2];\n"
      "WAIT: bar.sync 0;\n"
      "AGAIN: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r2], 0, 10000;\n"
      "@!%p2 bra AGAIN;\n"
      "mad.lo.u32 %r3, %r0, 4, %r1; ld.shared.u32 %r4, [%r3+912]; ld.shared.u32 %r6, [%r1+2060];\n"
      "add.u32 %r4, %r4, %r6; st.global.u32 [%rd1], %r4;",
      kShared);
  in_both_modes(text, {32, 1, 1}, [](KernelRunner& k) {
    for (unsigned i = 0; i < 32; ++i) {
      CHECK(k.result<std::uint32_t>(i) == 1000 + 228 + i + 1000 + 16 + 3);
    }
  });
}

TEST_CASE("each of several lanes can issue a bulk copy") {
  const std::string text = kernel_text(
      "setp.ge.u32 %p1, %r0, 5; mov.u32 %r1, tile; mov.u32 %r2, bar; setp.eq.u32 %p2, %r0, 0;\n"
      "@%p2 mbarrier.init.shared::cta.b64 [%r2], 5; bar.sync 0; @%p1 bra WAIT;\n"
      // Lane i copies 16 * i bytes to tile + 256 * i.
      "shl.b32 %r5, %r0, 4; shl.b32 %r6, %r0, 8; add.u32 %r6, %r6, %r1;\n"
      "mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r2], %r5;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd2], %r5, "
      "[%r2];\n"
      "WAIT: mbarrier.try_wait.parity.shared.b64 %p3, [%r2], 0;\n@!%p3 bra WAIT;\n"
      "shl.b32 %r7, %r0, 3; add.u32 %r7, %r7, %r1; mov.u32 %r9, 0;\n"
      "ld.shared.u32 %r8, [%r1+256]; add.u32 %r9, %r9, %r8;\n"
      "ld.shared.u32 %r8, [%r1+540]; add.u32 %r9, %r9, %r8;\n"
      "ld.shared.u32 %r8, [%r1+1084]; add.u32 %r9, %r9, %r8;\n"
      "ld.shared.u32 %r8, [%r1+1088]; add.u32 %r9, %r9, %r8;\n"
      "st.global.u32 [%rd1], %r9;",
      kShared);
  in_both_modes(text, {32, 1, 1}, [](KernelRunner& k) {
    for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == 1000 + 1007 + 1015);
  });
}

TEST_CASE("bulk stores and copies within shared memory") {
  const std::string text = kernel_text(
      "mov.u32 %r1, tile; mov.u32 %r2, bar; mad.lo.u32 %r3, %r0, 16, %r1; setp.ne.u32 %p1, %r0, "
      "0;\n"
      "add.u32 %r4, %r0, 1; add.u32 %r5, %r0, 2; add.u32 %r6, %r0, 3;\n"
      "st.shared.v4.u32 [%r3], {%r0, %r4, %r5, %r6};\n"
      "bar.sync 0; @%p1 bra END;\n"
      "mbarrier.init.shared.b64 [%r2], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 256;\n"
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
      "[%r1+1024], [%r1+256], 256, [%r2];\n"
      "TRY: mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0;\n@!%p2 bra TRY;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r1], 512;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd0+512], [%r1+1024], 256;\n"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;\n"
      "END:",
      kShared);
  in_both_modes(text, {32, 1, 1}, [](KernelRunner& k) {
    const auto word = [&](unsigned i) {
      std::uint32_t v;
      std::memcpy(&v, k.memory.at(k.out + 4 * i), 4);
      return v;
    };
    for (unsigned i = 0; i < 128; ++i) CHECK(word(i) == i / 4 + i % 4);
    for (unsigned i = 0; i < 64; ++i) CHECK(word(128 + i) == 16 + i / 4 + i % 4);
  });
}

TEST_CASE("a double-buffered loop with groups computes the sums of its tiles") {
  // Four tiles of 32 words; tile t + 1 is copied while tile t is summed.
  const std::string text = kernel_text(
      "mov.u32 %r1, tile; mad.lo.u32 %r2, %r0, 4, %r1; mul.wide.u32 %rd3, %r0, 4;\n"
      "add.u64 %rd3, %rd2, %rd3; mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r10, 31;\n"
      "cp.async.ca.shared.global [%r2], [%rd3], 4; cp.async.commit_group;\n"
      "LOOP: add.u32 %r7, %r5, 1; and.b32 %r8, %r7, 1; shl.b32 %r8, %r8, 7; add.u32 %r8, %r2, "
      "%r8;\n"
      "add.u64 %rd3, %rd3, 128; setp.lt.u32 %p1, %r7, 4;\n"
      "@%p1 cp.async.ca.shared.global [%r8], [%rd3], 4; cp.async.commit_group;\n"
      "cp.async.wait_group 1; bar.sync 0;\n"
      // Reads the neighbour's word.
      "and.b32 %r8, %r5, 1; shl.b32 %r8, %r8, 7; add.u32 %r9, %r0, 1; and.b32 %r9, %r9, %r10;\n"
      "shl.b32 %r9, %r9, 2; add.u32 %r9, %r9, %r8; add.u32 %r9, %r9, %r1; ld.shared.u32 %r11, "
      "[%r9];\n"
      "add.u32 %r6, %r6, %r11; bar.sync 0; mov.u32 %r5, %r7; @%p1 bra LOOP;\n"
      "st.global.u32 [%rd1], %r6;",
      kShared);
  in_both_modes(text, {32, 1, 1}, [](KernelRunner& k) {
    for (unsigned i = 0; i < 32; ++i) {
      CHECK(k.result<std::uint32_t>(i) == 4 * (1000 + (i + 1) % 32) + 32 * (0 + 1 + 2 + 3));
    }
  });
}

TEST_CASE("cp.async.ca passes through the L1, cp.async.cg and bulk copies do not") {
  KernelRunner k(kernel_text(
      "mov.u32 %r1, tile; mov.u32 %r2, bar; mad.lo.u32 %r3, %r0, 16, %r1;\n"
      "mul.wide.u32 %rd3, %r0, 16; add.u64 %rd3, %rd2, %rd3; setp.ne.u32 %p1, %r0, 0;\n"
      "cp.async.ca.shared.global [%r3], [%rd3], 16; cp.async.cg.shared.global [%r3], [%rd3], 16;\n"
      "cp.async.wait_all; @%p1 bra END; mbarrier.init.shared.b64 [%r2], 1;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], 48, "
      "[%r2];\n"
      "END:",
      kShared));
  const auto program = k.program({1, 1, 1}, {32, 1, 1}, false);
  CarriedRunner runner(*program, k.memory, 1);
  runner.run();
  std::vector<CarriedRunner::Seen> copies;
  for (const auto& s : runner.seen) {
    if (s.asynchronous) copies.push_back(s);
  }
  REQUIRE(copies.size() == 3);
  CHECK(copies[0].scope == CacheScope::kL1);
  CHECK(copies[1].scope == CacheScope::kBypassL1);
  CHECK(copies[2].scope == CacheScope::kBypassL1);
  CHECK(copies[2].active == 7);
  CHECK(copies[2].address[2] == k.in + 32);
  CHECK(copies[0].read_only);
  CHECK(runner.waits > 0);
}

TEST_CASE("mistakes in asynchronous copies are reported") {
  const std::string tile =
      "mov.u32 %r1, tile; mov.u32 %r2, bar; mov.u32 %r4, %r0;\n"
      "mbarrier.init.shared.b64 [%r2], 32;\n";
  CHECK_THAT(failure(tile + "add.u32 %r1, %r1, 4; cp.async.ca.shared.global [%r1], [%rd2], 8;"),
             Contains("the destination 0x4 in shared memory is not aligned to 8 bytes"));
  CHECK_THAT(failure(tile + "cp.async.ca.shared.global [%r1+4128], [%rd2], 8;"),
             Contains("the destination 0x1020 of 8 bytes is out of bounds of shared memory, which "
                      "has 4128 bytes"));
  CHECK_THAT(failure(tile + "cp.async.ca.shared.global [%r1], [%rd2+2], 4;"),
             Contains("load of 4 bytes at") && Contains("the address is not aligned"));
  CHECK_THAT(failure(tile + "cp.async.ca.shared.global [%r1], [%rd2+65536], 4;"),
             Contains("0 bytes past the end of 'in'"));
  CHECK_THAT(failure(tile + "cp.async.ca.shared.global [%r1], [%rd2], 4, 5;"),
             Contains("the source has 5 bytes, more than the 4 of the copy"));
  const std::string bulk =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2";
  CHECK_THAT(failure(tile + bulk + "], 24, [%r2];"), Contains("a bulk copy of 24 bytes"));
  CHECK_THAT(failure(tile + bulk + "+8], 32, [%r2];"), Contains("not aligned"));
  CHECK_THAT(failure(tile + bulk + "+65504], 48, [%r2];"),
             Contains("load of 48 bytes at") && Contains("runs over the end of 'in'"));
  CHECK_THAT(failure(tile + bulk + "], 4144, [%r2];"),
             Contains("the destination 0x0 of 4144 bytes is out of bounds"));
  CHECK_THAT(failure(tile + bulk + "], 32, [%r2+4];"), Contains("is not aligned to 8 bytes"));
  CHECK_THAT(failure(tile + bulk + "], 32, [%r2+32];", false), Contains("out of bounds"));
}

}  // namespace tessera::async_copy_test
