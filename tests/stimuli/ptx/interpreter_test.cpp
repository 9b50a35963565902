// SPDX-License-Identifier: Apache-2.0
// Divergence, barriers, warp-wide instructions, calls: whole kernels against a scalar reference
// that runs thread by thread.

#include <catch2/catch.hpp>
#include <functional>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::interpreter_test {

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

/// Loads this thread's input word into %r1.
const std::string kLoadInput =
    "mul.wide.u32 %rd9, %r0, 4;\nadd.u64 %rd8, %rd2, %rd9;\nld.global.u32 %r1, [%rd8];\n";
const std::string kStoreResult = "st.global.u32 [%rd1], %r2;\n";

/// Runs a kernel on random words in both modes and compares every thread with `reference`.
void check_threads(
    const std::string& body, unsigned range,
    const std::function<std::uint32_t(std::uint32_t tid, std::uint32_t in)>& reference) {
  for (const bool carried : {false, true}) {
    KernelRunner k(kernel_text(kLoadInput + body));
    std::mt19937 random(42);
    constexpr unsigned kThreads = 150;
    constexpr unsigned kCtas = 3;
    std::vector<std::uint32_t> in(kThreads * kCtas);
    for (unsigned i = 0; i < in.size(); ++i) k.set_input(i, in[i] = random() % range);
    if (carried)
      k.run_carried({kThreads, 1, 1}, {kCtas, 1, 1}, 7);
    else
      k.run({kThreads, 1, 1}, {kCtas, 1, 1});
    for (unsigned i = 0; i < in.size(); ++i) {
      INFO("thread " << i << " input " << in[i] << (carried ? " carried" : " functional"));
      REQUIRE(k.result<std::uint32_t>(i) == reference(i % kThreads, in[i]));
    }
  }
}

}  // namespace

TEST_CASE("nested ifs reconverge") {
  const std::string body =
      "mov.u32 %r2, 0;\nand.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra ELSE;\n"
      "add.u32 %r2, %r2, 10;\nand.b32 %r3, %r1, 2;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra INNER;\n"
      "add.u32 %r2, %r2, 100;\nbra JOIN;\nINNER:\nadd.u32 %r2, %r2, 200;\nbra JOIN;\n"
      "ELSE:\nadd.u32 %r2, %r2, 1000;\nand.b32 %r3, %r1, 4;\nsetp.ne.u32 %p3, %r3, 0;\n"
      "@!%p3 bra JOIN;\nadd.u32 %r2, %r2, 5000;\nJOIN:\nactivemask.b32 %r4;\npopc.b32 %r4, %r4;\n"
      "mad.lo.u32 %r2, %r4, 100000, %r2;\n" +
      kStoreResult;
  check_threads(body, 8, [](std::uint32_t tid, std::uint32_t in) {
    std::uint32_t v = 0;
    if ((in & 1) != 0)
      v = 10 + ((in & 2) != 0 ? 100 : 200);
    else
      v = 1000 + ((in & 4) != 0 ? 5000 : 0);
    // All lanes of the warp are back together at the join: 22 of them in the last warp.
    return v + 100000 * (tid >= 128 ? 22 : 32);
  });
}

TEST_CASE("divergent loops with break and continue") {
  // for (i = 0; i < in; ++i) { if (i % 3 == 1) continue; if (sum > 40) break; sum += i; }
  const std::string body =
      "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nHEAD:\nsetp.ge.u32 %p1, %r3, %r1;\n@%p1 bra DONE;\n"
      "rem.u32 %r4, %r3, 3;\nsetp.eq.u32 %p2, %r4, 1;\n@%p2 bra NEXT;\n"
      "setp.gt.u32 %p3, %r2, 40;\n@%p3 bra DONE;\nadd.u32 %r2, %r2, %r3;\n"
      "NEXT:\nadd.u32 %r3, %r3, 1;\nbra HEAD;\nDONE:\n" +
      kStoreResult;
  check_threads(body, 40, [](std::uint32_t, std::uint32_t in) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < in; ++i) {
      if (i % 3 == 1) continue;
      if (sum > 40) break;
      sum += i;
    }
    return sum;
  });
}

TEST_CASE("nested divergent loops") {
  const std::string body =
      "mov.u32 %r2, 0;\nmov.u32 %r3, 0;\nOUTER:\nadd.u32 %r4, %r3, %r0;\nand.b32 %r4, %r4, 7;\n"
      "INNER:\nadd.u32 %r2, %r2, 1;\nsetp.eq.u32 %p1, %r4, 0;\nadd.u32 %r4, %r4, -1;\n"
      "@!%p1 bra INNER;\nadd.u32 %r3, %r3, 1;\nsetp.le.u32 %p2, %r3, %r1;\n@%p2 bra OUTER;\n" +
      kStoreResult;
  KernelRunner k(kernel_text(kLoadInput + body));
  std::mt19937 random(3);
  std::vector<std::uint32_t> in(64);
  for (unsigned i = 0; i < 64; ++i) k.set_input(i, in[i] = random() % 12);
  k.run({64, 1, 1});
  for (unsigned i = 0; i < 64; ++i) {
    std::uint32_t n = 0;
    for (std::uint32_t o = 0; o <= in[i]; ++o) n += ((o + i) & 7) + 1;
    REQUIRE(k.result<std::uint32_t>(i) == n);
  }
}

TEST_CASE("blocks that are laid out behind the code they return to") {
  const std::string body =
      "mov.u32 %r2, 1;\nsetp.gt.u32 %p1, %r1, 4;\n@%p1 bra FAR;\nJOIN:\nactivemask.b32 %r4;\n"
      "popc.b32 %r4, %r4;\nmad.lo.u32 %r2, %r4, 1000, %r2;\n" +
      kStoreResult + "ret;\nFAR:\nadd.u32 %r2, %r2, %r1;\nbra JOIN;\n";
  check_threads(body, 10, [](std::uint32_t tid, std::uint32_t in) {
    return (in > 4 ? in + 1 : 1) + 1000 * (tid >= 128 ? 22u : 32u);
  });
}

TEST_CASE("lanes that leave early do not come back") {
  const std::string body =
      "mov.u32 %r2, 7;\n" + kStoreResult +
      "setp.lt.u32 %p1, %r1, 3;\n@%p1 exit;\nmov.u32 %r2, 8;\n" + kStoreResult +
      "setp.lt.u32 %p2, %r1, 6;\n@%p2 bra OUT;\nmov.u32 %r3, 0;\nL:\nadd.u32 %r3, %r3, 1;\n"
      "setp.eq.u32 %p3, %r3, %r1;\n@%p3 ret;\nmov.u32 %r2, %r3;\n" +
      kStoreResult + "bra L;\nOUT:\nmov.u32 %r2, 99;\n" + kStoreResult;
  check_threads(body, 12, [](std::uint32_t, std::uint32_t in) {
    return in < 3 ? 7u : in < 6 ? 99u : in - 1;
  });
}

TEST_CASE("predicated instructions touch only their lanes") {
  const std::string body =
      "setp.gt.u32 %p1, %r1, 5;\nmov.u32 %r2, 1;\n@%p1 mov.u32 %r2, 2;\n@!%p1 add.u32 %r2, %r2, "
      "10;\n"
      "cvt.u64.u32 %rd10, %r2;\n@%p1 add.u64 %rd10, %rd10, 100;\ncvt.u32.u64 %r2, %rd10;\n" +
      kStoreResult;
  check_threads(body, 10, [](std::uint32_t, std::uint32_t in) { return in > 5 ? 102u : 11u; });
}

TEST_CASE("a barrier after divergence orders shared memory") {
  const std::string scope = ".shared .align 4 .b8 tile[1024];\n";
  const std::string body =
      kLoadInput +
      "mov.u32 %r5, %tid.x;\nmov.u32 %r6, tile;\nshl.b32 %r7, %r5, 2;\nadd.u32 %r8, %r6, %r7;\n"
      "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra EVEN;\nadd.u32 %r1, %r1, 1000;\n"
      "EVEN:\nst.shared.u32 [%r8], %r1;\nbar.sync 0;\n"
      "sub.u32 %r9, 255, %r5;\nshl.b32 %r9, %r9, 2;\nadd.u32 %r9, %r6, %r9;\n"
      "ld.shared.u32 %r2, [%r9];\nbar.sync 0;\n" +
      kStoreResult;
  for (const bool carried : {false, true}) {
    KernelRunner k(kernel_text(body, scope));
    std::mt19937 random(4);
    std::vector<std::uint32_t> in(512);
    for (unsigned i = 0; i < 512; ++i) k.set_input(i, in[i] = random() % 1000);
    if (carried)
      k.run_carried({256, 1, 1}, {2, 1, 1}, 3);
    else
      k.run({256, 1, 1}, {2, 1, 1});
    for (unsigned i = 0; i < 512; ++i) {
      const std::uint32_t v = in[i / 256 * 256 + 255 - i % 256];
      REQUIRE(k.result<std::uint32_t>(i) == (v % 2 == 1 ? v + 1000 : v));
    }
  }
}

TEST_CASE("bar.red gives every thread the CTA's result") {
  const std::string body =
      kLoadInput +
      "and.b32 %r3, %r1, 1;\nsetp.ne.u32 %p1, %r3, 0;\nbar.red.popc.u32 %r2, 0, %p1;\n"
      "bar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, !%p1;\n"
      "selp.u32 %r4, 1000, 0, %p2;\nselp.u32 %r5, 2000, 0, %p3;\nadd.u32 %r2, %r2, %r4;\n"
      "add.u32 %r2, %r2, %r5;\n" +
      kStoreResult;
  for (const bool carried : {false, true}) {
    KernelRunner k(kernel_text(body));
    unsigned odd = 0;
    for (unsigned i = 0; i < 100; ++i) {
      k.set_input(i, i * i % 3);
      odd += i * i % 3 % 2;
    }
    if (carried)
      k.run_carried({100, 1, 1}, {1, 1, 1}, 9);
    else
      k.run({100, 1, 1});
    for (unsigned i = 0; i < 100; ++i) REQUIRE(k.result<std::uint32_t>(i) == odd + 2000);
  }
}

TEST_CASE("bar.red reduces what its predicate says, negated or not, of all, none or some threads") {
  std::string body = kLoadInput +
                     "setp.ne.u32 %p1, %r1, 0;\nbar.red.popc.u32 %r2, 0, %p1;\n"
                     "bar.red.popc.u32 %r3, 0, !%p1;\nmad.lo.u32 %r2, %r3, 256, %r2;\n";
  unsigned flag = 1U << 16;
  for (const char* reduction : {"and.pred %p2, 0, %p1", "and.pred %p2, 0, !%p1",
                                "or.pred %p2, 0, %p1", "or.pred %p2, 0, !%p1"}) {
    body += "bar.red." + std::string(reduction) + ";\nselp.u32 %r4, " + std::to_string(flag) +
            ", 0, %p2;\nadd.u32 %r2, %r2, %r4;\n";
    flag *= 2;
  }
  constexpr unsigned kThreads = 100;
  // Of 100 threads in each CTA so many have a word that is not 0.
  const unsigned set[] = {kThreads, 0, 37};
  for (const bool carried : {false, true}) {
    KernelRunner k(kernel_text(body + kStoreResult));
    for (unsigned cta = 0; cta < 3; ++cta) {
      for (unsigned i = 0; i < kThreads; ++i) k.set_input(cta * kThreads + i, i < set[cta] ? 5 : 0);
    }
    if (carried)
      k.run_carried({kThreads, 1, 1}, {3, 1, 1}, 9);
    else
      k.run({kThreads, 1, 1}, {3, 1, 1});
    for (unsigned cta = 0; cta < 3; ++cta) {
      const bool all = set[cta] == kThreads;
      const bool none = set[cta] == 0;
      const unsigned expected =
          set[cta] + 256 * (kThreads - set[cta]) +
          ((all ? 1U : 0U) + (none ? 2U : 0U) + (none ? 0U : 4U) + (all ? 0U : 8U)) * (1U << 16);
      for (unsigned i = 0; i < kThreads; ++i) {
        CAPTURE(cta, i, carried);
        REQUIRE(k.result<std::uint32_t>(cta * kThreads + i) == expected);
      }
    }
  }
}

TEST_CASE("shuffles pick the lanes that their mode says") {
  struct Mode {
    const char* name;
    std::function<int(int lane, int n)> from;  ///< -1: out of range
  };
  const std::vector<Mode> modes = {
      {"up", [](int lane, int n) { return lane % 8 - n < 0 ? -1 : lane - n; }},
      {"down", [](int lane, int n) { return lane % 8 + n > 7 ? -1 : lane + n; }},
      {"bfly", [](int lane, int n) { return (lane ^ n) > (lane / 8 * 8 + 7) ? -1 : lane ^ n; }},
      {"idx", [](int lane, int n) { return lane / 8 * 8 + n % 8; }}};
  for (const Mode& m : modes) {
    for (int n = 0; n < 12; n += 3) {
      // Segments of 8 lanes: mask 24 in bits 8 to 12, clamp 7 (0 for up).
      const int control = (24 << 8) | (std::string(m.name) == "up" ? 0 : 7);
      const std::string body = "mad.lo.u32 %r1, %r0, 3, 100;\nshfl.sync." + std::string(m.name) +
                               ".b32 %r2|%p1, %r1, " + std::to_string(n) + ", " +
                               std::to_string(control) +
                               ", -1;\nselp.u32 %r3, 100000, 0, %p1;\n"
                               "add.u32 %r2, %r2, %r3;\n" +
                               kStoreResult;
      KernelRunner k(kernel_text(body));
      k.run();
      for (int lane = 0; lane < 32; ++lane) {
        const int from = m.from(lane, n);
        const int want = from < 0 ? 100 + 3 * lane : 100100 + 3 * from;
        INFO(m.name << " " << n << " lane " << lane);
        REQUIRE(k.result<std::int32_t>(static_cast<unsigned>(lane)) == want);
      }
    }
  }
}

TEST_CASE("votes, matches and reductions see the lanes that execute") {
  const std::string body =
      "setp.lt.u32 %p1, %r0, 24;\n@!%p1 bra OUT;\nand.b32 %r1, %r0, 3;\nsetp.eq.u32 %p2, %r1, 1;\n"
      "vote.sync.ballot.b32 %r3, %p2, 0x00ffffff;\nvote.sync.any.pred %p3, %p2, 0x00ffffff;\n"
      "vote.sync.all.pred %p4, %p2, 0x00ffffff;\nvote.sync.uni.pred %p5, !%p2, 0x00ffffff;\n"
      "match.any.sync.b32 %r4, %r1, 0x00ffffff;\nmatch.all.sync.b32 %r5|%p6, %r1, 0x00ffffff;\n"
      "redux.sync.add.s32 %r6, %r0, 0x00ffffff;\nredux.sync.max.u32 %r7, %r0, 0x00ffffff;\n"
      "st.global.v2.u32 [%rd1], {%r3, %r4};\n"
      "selp.u32 %r3, 1, 0, %p3;\nselp.u32 %r4, 2, 0, %p4;\nselp.u32 %r8, 4, 0, %p5;\n"
      "selp.u32 %r9, 8, 0, %p6;\nadd.u32 %r3, %r3, %r4;\nadd.u32 %r8, %r8, %r9;\n"
      "add.u32 %r3, %r3, %r8;\nmad.lo.u32 %r3, %r6, 100, %r3;\nmad.lo.u32 %r3, %r7, 100000, %r3;\n"
      "st.global.u32 [%rd1+256], %r3;\nOUT:\n";
  KernelRunner k(kernel_text(body));
  k.run();
  for (unsigned lane = 0; lane < 24; ++lane) {
    const auto pair = k.result<std::uint64_t>(lane);
    REQUIRE((pair & 0xffffffffu) == 0x00222222u);
    REQUIRE((pair >> 32) == (0x00111111u << (lane & 3)));
    REQUIRE(k.result<std::uint32_t>(lane + 32) == 1 + 276 * 100 + 23 * 100000);
  }
  REQUIRE(k.result<std::uint64_t>(24) == 0);
}

TEST_CASE("special registers") {
  const std::string body =
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\nmov.u32 %r4, %ntid.x;\n"
      "mov.u32 %r5, %ntid.y;\nmad.lo.u32 %r6, %r3, %r5, %r2;\nmad.lo.u32 %r6, %r6, %r4, %r1;\n"
      "mov.u32 %r7, %ctaid.y;\nmov.u32 %r8, %nctaid.x;\nmov.u32 %r9, %ctaid.x;\n"
      "mad.lo.u32 %r7, %r7, %r8, %r9;\nmad.lo.u32 %r10, %r7, 48, %r6;\n"
      "mul.wide.u32 %rd9, %r10, 8;\nadd.u64 %rd9, %rd0, %rd9;\n"
      "mov.u32 %r11, %laneid;\nmov.u32 %r12, %lanemask_lt;\npopc.b32 %r12, %r12;\n"
      "mad.lo.u32 %r11, %r11, 100, %r12;\nst.global.v2.u32 [%rd9], {%r10, %r11};\n";
  KernelRunner k(kernel_text(body));
  k.run({4, 3, 4}, {2, 3, 1});
  for (unsigned i = 0; i < 6 * 48; ++i) {
    const unsigned lane = i % 48 % 32;
    REQUIRE(k.result<std::uint64_t>(i) == (std::uint64_t{lane * 100 + lane} << 32 | i));
  }
}

TEST_CASE("clocks count instructions where nothing is timed") {
  KernelRunner k(kernel_text(
      "mov.u32 %r1, %clock;\nnanosleep.u32 100;\nmov.u64 %rd4, %clock64;\n"
      "mov.u64 %rd5, %globaltimer;\ncvt.u32.u64 %r2, %rd4;\nsub.u32 %r2, %r2, %r1;\n"
      "sub.u64 %rd5, %rd5, %rd4;\ncvt.u32.u64 %r3, %rd5;\nmad.lo.u32 %r2, %r3, 100, %r2;\n"
      "st.global.u32 [%rd1], %r2;\n"));
  k.run();
  CHECK(k.result<std::uint32_t>(31) == 102);
}

TEST_CASE("mov packs and unpacks, and a sink takes what is not wanted") {
  KernelRunner k(kernel_text(
      "mov.u32 %r1, 0x11112222;\nmov.u32 %r2, 0x33334444;\nmov.b64 %rd4, {%r1, %r2};\n"
      "st.global.u64 [%rd1], %rd4;\nmov.b64 {%r3, %r4}, %rd4;\nst.global.u32 [%rd1+8], %r4;\n"
      "mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd4;\nmov.b32 %r5, {%rs3, %rs2};\n"
      "st.global.u32 [%rd1+16], %r5;\nmov.b32 {_, %rs5}, %r1;\n"
      "mov.b64 %rd5, {%rs5, %rs4, %rs1, %rs1};\nst.global.u64 [%rd1+24], %rd5;\n"
      "mov.b64 {%r6, _}, %rd4;\nst.global.u32 [%rd1+32], %r6;\n"));
  k.run({1, 1, 1});
  CHECK(k.result<std::uint64_t>(0) == 0x3333444411112222u);
  CHECK(k.result<std::uint32_t>(1) == 0x33334444u);
  CHECK(k.result<std::uint32_t>(2) == 0x11114444u);
  CHECK(k.result<std::uint64_t>(3) == 0x2222222233331111u);
  CHECK(k.result<std::uint32_t>(4) == 0x11112222u);
}

TEST_CASE("device functions are expanded, with divergence inside") {
  const std::string function =
      ".func (.param .b32 r) collatz(.param .b32 a)\n{\n.reg .b32 %x<5>;\n.reg .pred %q<3>;\n"
      "ld.param.u32 %x1, [a];\nmov.u32 %x2, 0;\nLOOP:\nsetp.le.u32 %q1, %x1, 1;\n@%q1 bra DONE;\n"
      "and.b32 %x3, %x1, 1;\nsetp.eq.u32 %q2, %x3, 0;\nadd.u32 %x2, %x2, 1;\n@%q2 bra EVEN;\n"
      "mad.lo.u32 %x1, %x1, 3, 1;\nbra LOOP;\nEVEN:\nshr.u32 %x1, %x1, 1;\nbra LOOP;\n"
      "DONE:\nst.param.b32 [r], %x2;\nret;\n}\n";
  const auto call = [](const char* in, const char* out) {
    return std::string("{\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], ") + in +
           ";\ncall.uni (q), collatz, (p);\nld.param.b32 " + out + ", [q];\n}\n";
  };
  const std::string body = kLoadInput + call("%r1", "%r2") + "add.u32 %r3, %r1, 5;\n" +
                           call("%r3", "%r4") + "mad.lo.u32 %r2, %r4, 1000, %r2;\n" + kStoreResult;
  KernelRunner k(kernel_text(body, function));
  const auto steps = [](std::uint32_t n) {
    std::uint32_t s = 0;
    for (; n > 1; ++s) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return s;
  };
  for (unsigned i = 0; i < 64; ++i) k.set_input(i, i * 7 + 1);
  k.run({64, 1, 1});
  for (unsigned i = 0; i < 64; ++i) {
    REQUIRE(k.result<std::uint32_t>(i) == steps(i * 7 + 6) * 1000 + steps(i * 7 + 1));
  }
}

TEST_CASE("an endless loop ends with the warp and the line it stands at") {
  KernelRunner k(kernel_text("L:\nbra L;\n"));
  CHECK_THROWS_AS(k.run({64, 1, 1}, {1, 1, 1}, 1000), RunError);
  CHECK_THROWS_WITH(k.run({64, 1, 1}, {1, 1, 1}, 1000),
                    Catch::Contains("kernel 'k', CTA (0,0,0), warp 0, test.ptx:22 'bra L'") &&
                        Catch::Contains("more than 1000 warp instructions; an endless loop"));
}

TEST_CASE("a loop that waits for a value that nobody writes ends in the same way") {
  KernelRunner k(kernel_text(
      "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra DONE;\nL:\nld.volatile.global.u32 %r1, [%rd2];\n"
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nDONE:\n"));
  CHECK_THROWS_WITH(k.run({64, 1, 1}, {1, 1, 1}, 1000),
                    Catch::Contains("CTA (0,0,0), warp 1, test.ptx:25 'setp.eq.u32") &&
                        Catch::Contains("a spin on a value that another lane or CTA"));
}

TEST_CASE("a spin lock goes from lane to lane of a warp") {
  // One lane gets the lock and waits at the loop's end for the others, which want it.
  KernelRunner k(
      kernel_text("SPIN:\natom.global.cas.b32 %r1, [%rd2], 0, 1;\n"
                  "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra SPIN;\n"
                  "atom.global.exch.b32 %r1, [%rd2], 0;\n"
                  "st.global.u32 [%rd1], %r1;\n"));
  k.run({32, 1, 1}, {1, 1, 1}, 5000);
  for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == 1);
  // Alone in its warp, a lane gets through.
  KernelRunner alone(
      kernel_text("SPIN:\natom.global.cas.b32 %r1, [%rd2], 0, 1;\n"
                  "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra SPIN;\n"
                  "atom.global.exch.b32 %r1, [%rd2], 0;\n"
                  "st.global.u32 [%rd1], %r1;\n"));
  alone.run({1, 1, 1}, {4, 1, 1}, 1000);
  CHECK(alone.result<std::uint32_t>(3) == 1);
}

TEST_CASE("a barrier that cannot complete is a deadlock") {
  KernelRunner k(kernel_text("bar.sync 1, 96;\n"));
  CHECK_THROWS_WITH(
      k.run({64, 1, 1}),
      Catch::Contains("kernel 'k': deadlock at a barrier: 0 of 2 warps of the CTA have ended; "
                      "barrier 1 has 2 waiting warps, first CTA (0,0,0), warp 0, test.ptx:21 "
                      "'bar.sync 1, 96'"));
}

TEST_CASE("a barrier in a divergent branch counts the warps that come to it") {
  // Half of each warp goes around it: it completes, as it does on the machine that pairs warps.
  const std::string half = "and.b32 %r1, %r0, 16;\nsetp.eq.u32 %p1, %r1, 0;\n";
  KernelRunner exits(kernel_text(half + "@%p1 exit;\nbar.sync 0;\nst.global.u32 [%rd1], 7;\n"));
  exits.run({64, 1, 1});
  CHECK(exits.result<std::uint32_t>(16) == 7);
  CHECK(exits.result<std::uint32_t>(0) == 0);
  // One warp waits for ever, the other at the barrier.
  KernelRunner waits(kernel_text(
      "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra B;\nL:\nld.volatile.global.u32 %r1, [%rd2];\n"
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nB:\nbar.sync 0;\n"));
  CHECK_THROWS_WITH(waits.run({64, 1, 1}, {1, 1, 1}, 1000), Catch::Contains("warp 1, test.ptx:25"));
  // Two warps wait at different barriers.
  KernelRunner two(kernel_text("setp.lt.u32 %p1, %r0, 32;\n@%p1 bar.sync 1;\n@!%p1 bar.sync 2;\n"));
  CHECK_THROWS_WITH(two.run({64, 1, 1}),
                    Catch::Contains("barrier 1 has 1 waiting warps, first CTA (0,0,0), warp 0, "
                                    "test.ptx:22 ") &&
                        Catch::Contains("barrier 2 has 1 waiting warps, first CTA (0,0,0), warp "
                                        "1, test.ptx:23 "));
}

TEST_CASE("a breakpoint stops the kernel as a trap does") {
  KernelRunner k(kernel_text("setp.eq.u32 %p1, %r0, 3;\n@%p1 brkpt;\n"));
  CHECK_THROWS_WITH(k.run(), Catch::Contains("thread (3,0,0), test.ptx:22 '@%p1 brkpt': it stops"));
}

TEST_CASE("trap names the thread and the line") {
  KernelRunner k(kernel_text("setp.eq.u32 %p1, %r0, 37;\n@%p1 trap;\n"));
  CHECK_THROWS_AS(k.run({64, 1, 1}), RunError);
  CHECK_THROWS_WITH(k.run({64, 1, 1}), Catch::Contains("CTA (0,0,0), thread (37,0,0)") &&
                                           Catch::Contains("test.ptx:"));
}

}  // namespace tessera::interpreter_test
