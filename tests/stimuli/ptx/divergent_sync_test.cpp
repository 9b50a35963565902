// SPDX-License-Identifier: Apache-2.0
// Warp-synchronising instructions in divergent code: small kernels with results worked out by hand
// from the manual (9.7.9.6 shfl.sync, 9.7.13.1 bar.warp.sync, 9.7.13.10 vote.sync, match.sync,
// redux.sync), in functional and in carried mode, with full and partial warps.

#include "tests/stimuli/ptx/divergent_support.h"

namespace tessera::divergent_sync_test {

using namespace tessera::test;

TEST_CASE("a shfl in either branch exchanges values between the branches") {
  // v = 7 t + 120, so that thread 0 gets thread 16's 232.
  const std::string body = std::string(kLow) +
                           "mad.lo.u32 %r3, %r0, 7, 120;\n@!%p1 bra HIGH;\n"
                           "shfl.sync.bfly.b32 %r4, %r3, 16, 31, -1;\nbra.uni JOIN;\nHIGH:\n"
                           "shfl.sync.bfly.b32 %r4, %r3, 16, 31, -1;\nJOIN:\n" +
                           kStore;
  const auto expected = [](unsigned t, unsigned) { return 7 * (t ^ 16) + 120; };
  CHECK(expected(0, 32) == 232);
  gives(body, expected, {32, 64});
}

TEST_CASE("a branch to the next instruction does not split a path") {
  gives(std::string(kLow) + "@%p1 bra NEXT;\nNEXT:\nactivemask.b32 %r4;\n" + kStore,
        [](unsigned t, unsigned n) { return existing(t, n); });
}

TEST_CASE("branches of alternate lanes exchange values") {
  gives(
      "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\nadd.u32 %r3, %r0, 500;\n@%p1 bra EVEN;\n"
      "shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;\nadd.u32 %r4, %r4, 1000;\nbra.uni JOIN;\nEVEN:\n"
      "shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;\nJOIN:\nst.global.u32 [%rd1], %r4;",
      [](unsigned t, unsigned) { return (t ^ 1) + 500 + (t % 2 == 1 ? 1000 : 0); },
      {2, 20, 32, 80});
}

TEST_CASE("a ballot in either branch is the whole warp's") {
  // True in the high branch, and for odd lanes in the low one.
  gives(std::string(kLow) +
            "and.b32 %r2, %r1, 1;\nsetp.ne.u32 %p2, %r2, 0;\nsetp.eq.u32 %p3, %r1, %r1;\n"
            "@%p1 bra LOW;\nvote.sync.ballot.b32 %r4, %p3, -1;\nbra.uni JOIN;\nLOW:\n"
            "vote.sync.ballot.b32 %r4, %p2, -1;\nJOIN:\n" +
            kStore,
        [](unsigned t, unsigned n) { return 0xffffaaaa & existing(t, n); });
}

TEST_CASE("branches read after bar.warp.sync what the other stored in shared memory") {
  // Thread t stores t + 10 or t + 1000, and reads what the mirror lane of its warp stored.
  const std::string exchange =
      "st.shared.u32 [%r21], %r3;\nbar.warp.sync -1;\nld.shared.u32 %r4, [%r22];\n";
  gives(std::string(kLow) + "xor.b32 %r22, %r19, 64;\nadd.u32 %r22, %r20, %r22;\n@%p1 bra LOW;\n" +
            "add.u32 %r3, %r0, 1000;\n" + exchange +
            "bra.uni JOIN;\nLOW:\nadd.u32 %r3, %r0, 10;\n" + exchange + "JOIN:\n" + kStore,
        [](unsigned t, unsigned) { return (t ^ 16) + (t % 32 < 16 ? 1000 : 10); }, {32, 64, 96});
}

TEST_CASE("branches read after bar.warp.sync what the other stored in global memory") {
  // The second halves of the 8-byte elements of `out` take what is exchanged.
  const std::string exchange =
      "st.global.u32 [%rd1+4], %r3;\nbar.warp.sync -1;\nld.global.u32 %r4, [%rd4];\n";
  gives(std::string(kLow) +
            "xor.b32 %r2, %r0, 16;\nmul.wide.u32 %rd4, %r2, 8;\nadd.u64 %rd4, %rd0, %rd4;\n"
            "add.u64 %rd4, %rd4, 4;\n@%p1 bra LOW;\nadd.u32 %r3, %r0, 1000;\n" +
            exchange + "bra.uni JOIN;\nLOW:\nadd.u32 %r3, %r0, 10;\n" + exchange + "JOIN:\n" +
            kStore,
        [](unsigned t, unsigned) { return (t ^ 16) + (t % 32 < 16 ? 1000 : 10); }, {32, 64});
}

TEST_CASE("a barrier within a branch pairs with the one after it") {
  // Lanes below 16 execute two barriers, the others one: the high lanes wait at the join's barrier
  // for the first, and have ended when the low ones reach it. B of the high lanes, which follows
  // the pair, is not to be seen by A of the low ones after the pair only if it were late: both
  // sides store before the pair and read after it.
  gives(std::string(kLow) +
            "st.shared.u32 [%r21], %r0;\nxor.b32 %r22, %r19, 64;\nadd.u32 %r22, %r20, %r22;\n"
            "mov.u32 %r4, 7777;\n@!%p1 bra JOIN;\n"
            "st.shared.u32 [%r21], 42;\nbar.warp.sync -1;\nld.shared.u32 %r4, [%r22];\nJOIN:\n"
            "bar.warp.sync -1;\n@%p1 bra END;\nld.shared.u32 %r4, [%r22];\nEND:\n" +
            std::string(kStore),
        [](unsigned t, unsigned) { return t % 32 < 16 ? t + 16 : 42; }, {32, 64});
}

TEST_CASE("lanes that wait at a join execute the barrier that others need") {
  // As above with a second barrier for the high lanes: both count two.
  gives(std::string(kLow) +
            "mov.u32 %r4, 0;\n@!%p1 bra JOIN;\nvote.sync.ballot.b32 %r4, %p1, -1;\nJOIN:\n"
            "vote.sync.ballot.b32 %r5, %p1, -1;\nadd.u32 %r4, %r4, %r5;\n@%p1 bra END;\n"
            "vote.sync.ballot.b32 %r5, !%p1, -1;\nadd.u32 %r4, %r4, %r5;\nEND:\n" +
            std::string(kStore),
        // First pair: low lanes true. Second: low lanes true again, high ones now !false.
        [](unsigned t, unsigned n) {
          const std::uint32_t all = existing(t, n);
          return (all & 0xffff) + all;
        },
        {32, 20, 80});
}

TEST_CASE("a sync in a loop names the lanes that are still in it") {
  // Lane l runs l / 8 + 1 times; the mask of round i is the lanes from 8 i on.
  gives(
      "shr.u32 %r5, %r1, 3;\nmov.u32 %r6, 0;\nmov.u32 %r7, -1;\nmov.u32 %r4, 0;\nLOOP:\n"
      "redux.sync.add.u32 %r8, %r1, %r7;\nadd.u32 %r4, %r4, %r8;\nadd.u32 %r6, %r6, 1;\n"
      "shl.b32 %r7, %r7, 8;\nsetp.le.u32 %p1, %r6, %r5;\n@%p1 bra LOOP;\nst.global.u32 [%rd1], "
      "%r4;",
      [](unsigned t, unsigned n) {
        std::uint32_t sum = 0;
        for (unsigned i = 0; i <= t % 32 / 8; ++i) {
          for (unsigned l = 8 * i; l < popcount(existing(t, n)); ++l) sum += l;
        }
        return sum;
      },
      {32, 20, 80, 1, 9});
}

TEST_CASE("lanes that leave a loop early sync with those that stay in it") {
  // Four ballots a lane: lane l executes l % 4 of them in the loop and the others after it.
  gives(
      "and.b32 %r5, %r1, 3;\nmov.u32 %r6, 0;\nmov.u32 %r4, 0;\nLOOP:\nsetp.eq.u32 %p1, %r6, %r5;\n"
      "@%p1 bra AFTER;\nvote.sync.ballot.b32 %r7, %p1, -1;\nmad.lo.u32 %r4, %r4, 3, %r7;\n"
      "add.u32 %r6, %r6, 1;\nbra.uni LOOP;\nAFTER:\nsetp.eq.u32 %p2, %r6, 4;\n@%p2 bra END;\n"
      "setp.eq.u32 %p3, %r1, %r1;\nvote.sync.ballot.b32 %r7, %p3, -1;\n"
      "mad.lo.u32 %r4, %r4, 3, %r7;\nadd.u32 %r6, %r6, 1;\nbra.uni AFTER;\nEND:\n"
      "st.global.u32 [%rd1], %r4;",
      [](unsigned t, unsigned n) {
        const std::uint32_t all = existing(t, n);
        std::uint32_t v = 0;  // round i: true for the lanes that have left, l % 4 <= i
        for (const std::uint32_t left : {0x11111111u, 0x33333333u, 0x77777777u, 0xffffffffu}) {
          v = 3 * v + (left & all);
        }
        return v;
      });
}

TEST_CASE("lanes that ended before a sync do not count") {
  gives("setp.lt.u32 %p1, %r1, 5;\n@%p1 exit;\nvote.sync.ballot.b32 %r4, !%p1, -1;\n" +
            std::string(kStore),
        [](unsigned t, unsigned n) { return t % 32 < 5 ? kUnwritten : existing(t, n) & ~0x1fu; });
}

TEST_CASE("lanes that end while others wait in a sync release them") {
  // In one layout the waiting lanes stand first, in the other the ending ones.
  const auto expected = [](unsigned t, unsigned n) {
    return t % 32 < 16 ? kUnwritten : existing(t, n) & 0xffff0000;
  };
  const std::string sync = "vote.sync.ballot.b32 %r4, !%p1, -1;\n" + std::string(kStore);
  gives(std::string(kLow) + "@%p1 bra LOW;\n" + sync + "bra.uni END;\nLOW:\nexit;\nEND:\n",
        expected, {32, 20, 80});
  gives(std::string(kLow) + "@!%p1 bra HIGH;\nexit;\nHIGH:\n" + sync, expected, {32, 20, 80});
}

TEST_CASE("lanes that end one after the other release what waits for the last") {
  // Lane l ends in round l, lane 31 waits for all; a loop of exits.
  gives(
      "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\nsetp.eq.u32 %p2, %r1, %r1;\nsetp.eq.u32 %p1, %r1, 31;\n"
      "@%p1 bra WAIT;\nLOOP:\nsetp.eq.u32 %p1, %r5, %r1;\n@%p1 exit;\nadd.u32 %r5, %r5, 1;\n"
      "bra.uni LOOP;\nWAIT:\nvote.sync.ballot.b32 %r4, %p2, -1;\nst.global.u32 [%rd1], %r4;",
      [](unsigned t, unsigned) { return t % 32 == 31 ? 0x80000000u : kUnwritten; }, {32, 64, 80});
}

TEST_CASE("tiles of one instruction are groups of their own") {
  // Masks 0xffff and 0xffff0000: the votes, matches and sums are the tile's.
  const std::string mask = std::string(kLow) + "selp.b32 %r5, 0xffff, 0xffff0000, %p1;\n";
  const auto tile = [](unsigned t, unsigned n) {
    return existing(t, n) & (t % 32 < 16 ? 0xffffu : 0xffff0000u);
  };
  gives(mask +
            "and.b32 %r2, %r1, 4;\nsetp.ne.u32 %p2, %r2, 0;\n"
            "vote.sync.ballot.b32 %r4, %p2, %r5;\n" +
            kStore,
        [&](unsigned t, unsigned n) { return tile(t, n) & 0xf0f0f0f0; });
  gives(mask + "and.b32 %r2, %r1, 3;\nmatch.any.sync.b32 %r4, %r2, %r5;\n" + kStore,
        [&](unsigned t, unsigned n) { return tile(t, n) & (0x11111111u << t % 4); });
  gives(mask + "redux.sync.add.s32 %r4, %r1, %r5;\n" + kStore, [&](unsigned t, unsigned n) {
    std::uint32_t sum = 0;
    for (unsigned l = 0; l < 32; ++l) sum += (tile(t, n) >> l & 1) != 0 ? l : 0;
    return sum;
  });
  // Unanimous in the low tile only.
  gives(mask +
            "setp.ne.u32 %p2, %r1, 17;\nvote.sync.all.pred %p3, %p2, %r5;\n"
            "selp.u32 %r4, 1, 0, %p3;\n" +
            kStore,
        [&](unsigned t, unsigned) { return t % 32 < 16 ? 1u : 0u; }, {32, 18, 80 + 2});
  // Lane 0 of the tile, by an index within the segment of 16.
  gives(mask + "add.u32 %r3, %r0, 300;\nshfl.sync.idx.b32 %r4, %r3, 0, 0x101f, %r5;\n" + kStore,
        [](unsigned t, unsigned) { return t / 16 * 16 + 300; });
}

TEST_CASE("tiles whose lanes stand in both branches sync across the branches") {
  // Tiles of 8; branches by the parity of the lane.
  const std::string sum = "redux.sync.add.u32 %r4, %r3, %r5;\n";
  gives(
      "and.b32 %r2, %r1, 24;\nmov.u32 %r5, 0xff;\nshl.b32 %r5, %r5, %r2;\n"
      "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra EVEN;\nmul.lo.u32 %r3, %r1, 10;\n" +
          sum + "bra.uni JOIN;\nEVEN:\nmov.u32 %r3, %r1;\n" + sum + "JOIN:\n" + kStore,
      [](unsigned t, unsigned n) {
        std::uint32_t v = 0;
        for (unsigned l = t % 32 / 8 * 8; l < t % 32 / 8 * 8 + 8; ++l) {
          if ((existing(t, n) >> l & 1) != 0) v += l % 2 == 1 ? 10 * l : l;
        }
        return v;
      });
}

TEST_CASE("one instruction, some lanes in tiles and the others in one group") {
  // Lanes 0-3 and 4-7 are tiles; lanes 8-31 a group.
  gives(
      "mov.u32 %r5, 0xffffff00;\nsetp.lt.u32 %p1, %r1, 8;\nselp.b32 %r5, 0xf0, %r5, %p1;\n"
      "setp.lt.u32 %p1, %r1, 4;\nselp.b32 %r5, 0xf, %r5, %p1;\nsetp.eq.u32 %p2, %r1, %r1;\n"
      "vote.sync.ballot.b32 %r4, %p2, %r5;\n" +
          std::string(kStore),
      [](unsigned t, unsigned n) {
        const unsigned l = t % 32;
        return existing(t, n) & (l < 4 ? 0xfu : l < 8 ? 0xf0u : 0xffffff00u);
      });
}

TEST_CASE("four paths of nested branches sync with each other") {
  // Path p = lane % 4 stands two branches deep; each reads the next lane of its four.
  const auto path = [](unsigned p) {
    return "mad.lo.u32 %r3, %r0, 5, " + std::to_string(100 * p) +
           ";\nshfl.sync.idx.b32 %r4, %r3, %r2, 31, -1;\nadd.u32 %r4, %r4, " + std::to_string(p) +
           ";\n";
  };
  gives(
      "add.u32 %r2, %r1, 1;\nand.b32 %r2, %r2, 3;\nand.b32 %r6, %r1, 28;\nor.b32 %r2, %r2, %r6;\n"
      "and.b32 %r6, %r1, 1;\nsetp.ne.u32 %p1, %r6, 0;\nand.b32 %r6, %r1, 2;\n"
      "setp.ne.u32 %p2, %r6, 0;\n@%p1 bra ODD;\n@%p2 bra TWO;\n" +
          path(0) + "bra.uni EVENS;\nTWO:\n" + path(2) +
          "EVENS:\nadd.u32 %r4, %r4, 10000;\nbra.uni JOIN;\n"
          "ODD:\n@%p2 bra THREE;\n" +
          path(1) + "bra.uni ODDS;\nTHREE:\n" + path(3) +
          "ODDS:\nadd.u32 %r4, %r4, 20000;\nJOIN:\n" + kStore,
      [](unsigned t, unsigned) {
        const unsigned p = t % 4;
        const unsigned from = t / 4 * 4 + (p + 1) % 4;
        return 5 * from + 100 * (from % 4) + p + (p % 2 == 0 ? 10000 : 20000);
      },
      {32, 20, 80, 4});
}

TEST_CASE("predicated syncs of either sense meet") {
  gives(std::string(kLow) +
            "add.u32 %r3, %r0, 60;\n@%p1 shfl.sync.bfly.b32 %r4, %r3, 16, 31, -1;\n"
            "@!%p1 shfl.sync.bfly.b32 %r4, %r3, 16, 31, -1;\n" +
            kStore,
        [](unsigned t, unsigned) { return (t ^ 16) + 60; }, {32, 64});
  // Interleaved lanes, and an instruction between that shows order: r5 is 0 until the second.
  gives(
      "and.b32 %r2, %r1, 1;\nsetp.ne.u32 %p1, %r2, 0;\nmov.u32 %r4, 0;\n"
      "@%p1 redux.sync.max.u32 %r4, %r1, -1;\nadd.u32 %r6, %r1, 100;\n"
      "@!%p1 redux.sync.max.u32 %r4, %r6, -1;\n" +
          std::string(kStore),
      [](unsigned t, unsigned n) {
        // Even lanes give lane + 100.
        return (popcount(existing(t, n)) - 1) / 2 * 2 + 100;
      });
}

TEST_CASE("an inlined function's sync meets itself from two branches") {
  const std::string function =
      ".func (.param .b32 r) total(.param .b32 a, .param .b32 m)\n{\n.reg .b32 %q<4>;\n"
      "ld.param.u32 %q0, [a];\nld.param.u32 %q1, [m];\nredux.sync.add.u32 %q2, %q0, %q1;\n"
      "st.param.b32 [r], %q2;\nret;\n}\n";
  const auto call = [](const char* value) {
    return "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 z;\nst.param.b32 [x], " +
           std::string(value) +
           ";\nst.param.b32 [y], -1;\ncall (z), total, (x, y);\nld.param.b32 %r4, [z];\n}\n";
  };
  gives(
      std::string(kLow) + "@%p1 bra LOW;\n" + call("%r1") +
          "bra.uni JOIN;\nLOW:\nmul.lo.u32 %r3, "
          "%r1, 1000;\n" +
          call("%r3") + "add.u32 %r4, %r4, 1;\nJOIN:\n" + kStore,
      [](unsigned t, unsigned n) {
        std::uint32_t v = t % 32 < 16 ? 1 : 0;
        for (unsigned l = 0; l < popcount(existing(t, n)); ++l) v += l < 16 ? 1000 * l : l;
        return v;
      },
      {32, 20, 80, 1}, function);
}

TEST_CASE("operands that are no qualifiers may differ between instructions that meet") {
  // A shfl with and without a predicate, with other clamps and lanes.
  gives(std::string(kLow) +
            "add.u32 %r3, %r0, 60;\n@%p1 bra LOW;\nshfl.sync.idx.b32 %r4|%p2, %r3, 3, 31, -1;\n"
            "bra.uni JOIN;\nLOW:\nshfl.sync.idx.b32 %r4, %r3, 17, 0x1f, -1;\nJOIN:\n" +
            kStore,
        [](unsigned t, unsigned) { return t / 32 * 32 + (t % 32 < 16 ? 17 : 3) + 60; }, {32, 64});
  // match.all with and without one; a negated vote.
  gives(std::string(kLow) +
            "setp.eq.u32 %p4, %r1, %r1;\n@%p1 bra LOW;\nmatch.all.sync.b32 %r4|%p2, 9, -1;\n"
            "vote.sync.ballot.b32 %r5, !%p4, -1;\nbra.uni JOIN;\nLOW:\n"
            "match.all.sync.b32 %r4, 9, -1;\nvote.sync.ballot.b32 %r5, %p4, -1;\nJOIN:\n"
            "xor.b32 %r4, %r4, %r5;\n" +
            kStore,
        [](unsigned t, unsigned n) { return existing(t, n) & 0xffff0000; });
  // A mask as a number and in a register.
  gives(std::string(kLow) +
            "mov.u32 %r5, -1;\nsetp.eq.u32 %p4, %r1, %r1;\n@%p1 bra LOW;\n"
            "vote.sync.ballot.b32 %r4, %p4, %r5;\nbra.uni JOIN;\nLOW:\n"
            "vote.sync.ballot.b32 %r4, %p4, 0xffffffff;\nJOIN:\n" +
            kStore,
        existing);
}

TEST_CASE("match.all across branches sees the other branch's value") {
  gives(std::string(kLow) +
            "@%p1 bra LOW;\nmatch.all.sync.b32 %r4|%p2, 9, -1;\nbra.uni JOIN;\nLOW:\n"
            "match.all.sync.b32 %r4|%p2, 8, -1;\nJOIN:\nselp.u32 %r5, 1, 0, %p2;\n"
            "shl.b32 %r4, %r4, 1;\nor.b32 %r4, %r4, %r5;\n" +
            kStore,
        [](unsigned t, unsigned n) {
          const std::uint32_t all = existing(t, n);
          return all <= 0xffff ? all << 1 | 1u : 0u;
        });
  gives("shr.u32 %r2, %r1, 1;\n" + std::string(kLow) +
            "cvt.u64.u32 %rd5, %r2;\n@%p1 bra LOW;\nxor.b64 %rd5, %rd5, 8;\n"
            "match.any.sync.b64 %r4, %rd5, -1;\nbra.uni JOIN;\nLOW:\n"
            "match.any.sync.b64 %r4, %rd5, -1;\nJOIN:\n" +
            kStore,
        // Lanes 2k and 2k+1 of both halves hold the same value.
        [](unsigned t, unsigned n) { return existing(t, n) & (0x00030003u << (t % 16 / 2 * 2)); });
}

}  // namespace tessera::divergent_sync_test
