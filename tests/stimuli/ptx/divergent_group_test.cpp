// SPDX-License-Identifier: Apache-2.0
// Warp-synchronising instructions in divergent code: between barriers of the CTA, in loops and
// groups whose lanes end or return on the way, and where they end the run.

#include "tests/stimuli/ptx/divergent_support.h"

namespace tessera::divergent_group_test {

using namespace tessera::test;

TEST_CASE("a CTA's barrier follows syncs in branches") {
  // A ballot in either branch, the join, a barrier of all warps, and another thread's value.
  gives(std::string(kLow) +
            "@%p1 bra LOW;\nvote.sync.ballot.b32 %r3, %p1, -1;\nadd.u32 %r3, %r3, 1;\nbra.uni "
            "JOIN;\nLOW:\nvote.sync.ballot.b32 %r3, %p1, -1;\nJOIN:\nadd.u32 %r3, %r3, %r0;\n"
            "st.shared.u32 [%r21], %r3;\nbar.sync 0;\nsub.u32 %r5, %r32, 1;\nsub.u32 %r5, %r5, "
            "%r0;\nshl.b32 %r5, %r5, 2;\nmov.u32 %r6, tile;\nadd.u32 %r6, %r6, %r5;\n"
            "ld.shared.u32 %r4, [%r6];\n" +
            kStore,
        [](unsigned t, unsigned n) {
          const unsigned o = n - 1 - t;
          return (existing(o, n) & 0xffff) + o + (o % 32 < 16 ? 0 : 1);
        });
}

TEST_CASE("lanes that ran ahead of a join are together again at a CTA's barrier") {
  // The high lanes leave the join for the low lanes' ballot, and reach the barrier first.
  gives(std::string(kLow) +
            "mov.u32 %r4, 0;\n@!%p1 bra JOIN;\nvote.sync.ballot.b32 %r4, %p1, -1;\n"
            "vote.sync.ballot.b32 %r4, %p1, -1;\nJOIN:\n@%p1 bra SECOND;\n"
            "vote.sync.ballot.b32 %r4, !%p1, -1;\nvote.sync.ballot.b32 %r4, !%p1, -1;\nSECOND:\n"
            "st.shared.u32 [%r21], %r4;\nbar.sync 0;\nld.shared.u32 %r5, [tile];\n"
            "xor.b32 %r4, %r4, %r5;\nbar.sync 0;\nadd.u32 %r4, %r4, 3;\n" +
            std::string(kStore),
        [](unsigned t, unsigned n) { return (existing(t, n) ^ existing(0, n)) + 3; });
}

TEST_CASE("syncs that disagree about the mask end the run and name both lines") {
  fails(
      "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra LOW;\nbar.warp.sync 0xfffffffe;\nbra.uni JOIN;\n"
      "LOW:\nbar.warp.sync 0xffffffff;\nJOIN:\n",
      {"bar.warp.sync 0xfffffffe", "bar.warp.sync 0xffffffff", "test.ptx:"});
}

TEST_CASE("syncs that disagree about the qualifiers end the run and name both lines") {
  fails(
      "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra LOW;\nvote.sync.any.pred %p2, %p1, -1;\nbra.uni JOIN;\n"
      "LOW:\nvote.sync.all.pred %p3, %p1, -1;\nJOIN:\n",
      {"vote.sync.any.pred %p2", "vote.sync.all.pred %p3"});
  fails(
      "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra LOW;\nredux.sync.add.u32 %r2, %r1, -1;\nbra.uni JOIN;\n"
      "LOW:\nredux.sync.add.s32 %r3, %r1, -1;\nJOIN:\n",
      {"redux.sync.add.u32 %r2", "redux.sync.add.s32 %r3"});
  fails(
      "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra LOW;\nmatch.any.sync.b32 %r2, %r1, -1;\nbra.uni JOIN;\n"
      "LOW:\nmatch.any.sync.b64 %r3, %rd1, -1;\nJOIN:\n",
      {"match.any.sync.b32 %r2", "match.any.sync.b64 %r3"});
}

TEST_CASE("a lane that waits for one that waits at a CTA's barrier ends the run") {
  fails(
      "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra LOW;\nbar.sync 0;\nbra.uni JOIN;\nLOW:\n"
      "bar.warp.sync -1;\nJOIN:\n",
      {"bar.sync 0", "bar.warp.sync -1"});
}

TEST_CASE("a lane that is not in its own mask ends the run") {
  for (const char* const sync :
       {"bar.warp.sync 0xfffffff7", "shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xfffffff7",
        "vote.sync.ballot.b32 %r2, %p1, 0xfffffff7", "match.any.sync.b32 %r2, %r1, 0xfffffff7",
        "redux.sync.add.u32 %r2, %r1, 0xfffffff7"}) {
    fails("setp.eq.u32 %p1, %r1, 99;\n" + std::string(sync) + ";\n", {sync, "thread (3,0,0)"});
  }
}

TEST_CASE("masks of one lane each are 32 groups") {
  gives(
      "mov.u32 %r5, 1;\nshl.b32 %r5, %r5, %r1;\nmatch.any.sync.b32 %r4, 7, %r5;\n"
      "redux.sync.add.u32 %r6, %r1, %r5;\nadd.u32 %r4, %r4, %r6;\n" +
          std::string(kStore),
      [](unsigned t, unsigned) { return (1u << t % 32) + t % 32; });
}

TEST_CASE("groups of a match sync in loops of their own lengths") {
  // Lanes of one key, l % 3, form a group, which adds its members' lanes key + 1 times.
  gives(
      "rem.u32 %r2, %r1, 3;\nmatch.any.sync.b32 %r5, %r2, -1;\nmov.u32 %r4, 0;\nLOOP:\n"
      "redux.sync.add.u32 %r6, %r1, %r5;\nadd.u32 %r4, %r4, %r6;\nsub.u32 %r2, %r2, 1;\n"
      "setp.ge.s32 %p1, %r2, 0;\n@%p1 bra LOOP;\n" +
          std::string(kStore),
      [](unsigned t, unsigned n) {
        std::uint32_t sum = 0;
        for (unsigned l = t % 32 % 3; l < popcount(existing(t, n)); l += 3) sum += l;
        return sum * (t % 32 % 3 + 1);
      });
}

TEST_CASE("a loop of syncs in branches and of a CTA's barriers") {
  // Five rounds: a ballot in either branch, and what the next thread stored in this round.
  gives(std::string(kLow) +
            "mov.u32 %r6, 0;\nmov.u32 %r4, 0;\nadd.u32 %r9, %r0, 1;\nrem.u32 %r9, %r9, %r32;\n"
            "shl.b32 %r9, %r9, 2;\nmov.u32 %r8, tile;\nadd.u32 %r9, %r8, %r9;\nLOOP:\n"
            "@%p1 bra LOW;\nvote.sync.ballot.b32 %r7, !%p1, -1;\nbra.uni JOIN;\nLOW:\n"
            "vote.sync.ballot.b32 %r7, %p1, -1;\nvote.sync.ballot.b32 %r8, %p1, 0xffff;\nJOIN:\n"
            "add.u32 %r7, %r7, %r6;\nadd.u32 %r7, %r7, %r0;\nst.shared.u32 [%r21], %r7;\n"
            "bar.sync 0;\nld.shared.u32 %r8, [%r9];\nmad.lo.u32 %r4, %r4, 5, %r8;\nbar.sync 0;\n"
            "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 5;\n@%p2 bra LOOP;\n" +
            kStore,
        [](unsigned t, unsigned n) {
          const unsigned o = (t + 1) % n;
          std::uint32_t v = 0;
          for (unsigned i = 0; i < 5; ++i) v = v * 5 + existing(o, n) + i + o;
          return v;
        });
}

TEST_CASE("a reduction of the CTA counts lanes that came apart") {
  // The high lanes run ahead of the join, as above; 3 of each 8 threads count.
  for (const char* const name : {"bar.red.popc.u32", "barrier.red.popc.u32"}) {
    gives(std::string(kLow) +
              "mov.u32 %r4, 0;\n@!%p1 bra JOIN;\nvote.sync.ballot.b32 %r4, %p1, -1;\n"
              "vote.sync.ballot.b32 %r4, %p1, -1;\nJOIN:\n@%p1 bra SECOND;\n"
              "vote.sync.ballot.b32 %r4, !%p1, -1;\nvote.sync.ballot.b32 %r4, !%p1, -1;\nSECOND:\n"
              "and.b32 %r5, %r0, 7;\nsetp.lt.u32 %p2, %r5, 3;\n" +
              name + " %r4, 0, %p2;\n" + kStore,
          [](unsigned, unsigned n) { return n / 8 * 3 + std::min(n % 8, 3u); });
  }
}

TEST_CASE("long loops of syncs apart leave nothing behind") {
  // 20000 rounds of predicated halves that pair; a stack that grew would take minutes.
  gives(std::string(kLow) +
            "mov.u32 %r6, 0;\nmov.u32 %r4, 0;\nLOOP:\n@%p1 redux.sync.max.u32 %r7, %r6, -1;\n"
            "@!%p1 redux.sync.max.u32 %r7, %r1, -1;\nadd.u32 %r4, %r4, %r7;\n@%p1 bra LOW;\n"
            "bar.warp.sync -1;\nbra.uni JOIN;\nLOW:\nbar.warp.sync -1;\nJOIN:\n"
            "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 20000;\n@%p2 bra LOOP;\n" +
            kStore,
        [](unsigned, unsigned) {
          std::uint32_t sum = 0;
          for (unsigned i = 0; i < 20000; ++i) sum += std::max(i, 31u);
          return sum;
        },
        {32});
}

TEST_CASE("an unaligned barrier of the CTA in either branch") {
  // barrier.sync without .aligned is the thread's own; each reads the mirror thread's word.
  const std::string path =
      "st.shared.u32 [%r21], %r3;\nbarrier.sync 0;\nld.shared.u32 %r4, [%r9];\n";
  gives(std::string(kLow) +
            "sub.u32 %r9, %r32, 1;\nsub.u32 %r9, %r9, %r0;\nshl.b32 %r9, %r9, 2;\nmov.u32 %r8, "
            "tile;\nadd.u32 %r9, %r8, %r9;\n@%p1 bra LOW;\nadd.u32 %r3, %r0, 700;\n" +
            path + "bra.uni JOIN;\nLOW:\nadd.u32 %r3, %r0, 1;\n" + path + "JOIN:\n" + kStore,
        [](unsigned t, unsigned n) {
          const unsigned o = n - 1 - t;
          return o + (o % 32 < 16 ? 1 : 700);
        });
}

TEST_CASE("elect.sync across branches elects one lane of the mask") {
  gives(std::string(kLow) +
            "setp.ne.u32 %p2, %r1, %r1;\n@%p1 bra LOW;\nelect.sync %r4|%p2, 0xfffffff8;\nbra.uni "
            "JOIN;\nLOW:\nsetp.lt.u32 %p3, "
            "%r1, 3;\nmov.u32 %r4, 99;\n@!%p3 elect.sync %r4|%p2, 0xfffffff8;\nJOIN:\n"
            "setp.eq.u32 %p4, %r1, 3;\nselp.u32 %r5, 1, 0, %p2;\nshl.b32 %r5, %r5, 8;\n"
            "or.b32 %r4, %r4, %r5;\n" +
            kStore,
        [](unsigned t, unsigned) { return t % 32 < 3    ? 99u
                                          : t % 32 == 3 ? 0x103u
                                                        : 3u; });
}

TEST_CASE("tiles torn apart right before a join") {
  // Lanes 0-7 wait for 16-23 of the other branch, 8-15 and 24-31 for nobody; no instruction stands
  // between the syncs and the join, and a branch back to the syncs is taken twice.
  gives(std::string(kLow) +
            "mov.u32 %r6, 0;\nand.b32 %r2, %r1, 8;\nsetp.eq.u32 %p2, %r2, 0;\n"
            "selp.b32 %r5, 0xff00, 0xff000000, %p1;\nselp.b32 %r5, 0xff00ff, %r5, %p2;\n"
            "mov.u32 %r4, 0;\nAGAIN:\nadd.u32 %r3, %r1, %r6;\n@%p1 bra LOW;\n"
            "redux.sync.add.u32 %r7, %r3, %r5;\nbra.uni JOIN;\nLOW:\n"
            "redux.sync.add.u32 %r7, %r3, %r5;\nJOIN:\nmad.lo.u32 %r4, %r4, 3, %r7;\n"
            "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 3;\n@%p3 bra AGAIN;\n" +
            kStore,
        [](unsigned t, unsigned n) {
          const unsigned l = t % 32;
          const std::uint32_t mask = existing(t, n) & ((l & 8) == 0 ? 0xff00ffu
                                                       : l < 16     ? 0xff00u
                                                                    : 0xff000000u);
          std::uint32_t v = 0;
          for (unsigned round = 0; round < 3; ++round) {
            v *= 3;
            for (unsigned k = 0; k < 32; ++k) v += (mask >> k & 1) != 0 ? k + round : 0;
          }
          return v;
        });
}

TEST_CASE("lanes that return early from a function do not take part in its sync") {
  // Lanes below the limit return; called with the limits 8 and 20, one call in either branch.
  const std::string function =
      ".func (.param .b32 r) rest(.param .b32 a, .param .b32 l)\n{\n.reg .b32 %q<5>;\n"
      ".reg .pred %p<2>;\nld.param.u32 %q0, [a];\nld.param.u32 %q1, [l];\n"
      "setp.ge.u32 %p0, %q0, %q1;\n@%p0 bra GO;\nst.param.b32 [r], 7;\nret;\nGO:\n"
      "mov.u32 %q2, -1;\nshl.b32 %q2, %q2, %q1;\nredux.sync.add.u32 %q3, %q0, %q2;\n"
      "st.param.b32 [r], %q3;\nret;\n}\n";
  const auto call = [](unsigned limit) {
    return "{\n.param .b32 x;\n.param .b32 y;\n.param .b32 z;\nst.param.b32 [x], %r1;\n"
           "st.param.b32 [y], " +
           std::to_string(limit) + ";\ncall (z), rest, (x, y);\nld.param.b32 %r5, [z];\n}\n" +
           "mad.lo.u32 %r4, %r4, 1000, %r5;\n";
  };
  gives(
      std::string(kLow) + "mov.u32 %r4, 0;\n@%p1 bra LOW;\n" + call(8) + "bra.uni JOIN;\nLOW:\n" +
          call(8) + "JOIN:\n" + call(20) + kStore,
      [](unsigned t, unsigned n) {
        const unsigned l = t % 32;
        const auto sum = [&](unsigned limit) {
          std::uint32_t v = 0;
          for (unsigned k = limit; k < popcount(existing(t, n)); ++k) v += k;
          return l < limit ? 7 : v;
        };
        return sum(8) * 1000 + sum(20);
      },
      {32, 20, 80, 1}, function);
}

TEST_CASE("lanes at a CTA's barrier go on when the rest of the warp ends") {
  for (const char* const barrier : {"bar.sync 0", "barrier.sync 0"}) {
    gives(std::string(kLow) + "@!%p1 bra HIGH;\nst.shared.u32 [%r21], %r0;\n" + barrier +
              ";\nld.shared.u32 %r4, [tile+12];\nadd.u32 %r4, %r4, %r0;\nbra.uni END;\nHIGH:\n"
              "mov.u32 %r6, 9;\nMORE:\nsub.u32 %r6, %r6, 1;\nsetp.ne.u32 %p2, %r6, 0;\n"
              "@%p2 bra MORE;\nexit;\nEND:\n" +
              kStore,
          [](unsigned t, unsigned) { return t % 32 < 16 ? t + 3 : kUnwritten; }, {32, 20, 80});
  }
}

TEST_CASE("lanes end in the middle of a loop whose others sync") {
  // Lane l ends in round l; round i's ballot names all and counts the lanes above i.
  gives(
      "mov.u32 %r6, 0;\nmov.u32 %r4, 0;\nsetp.eq.u32 %p2, %r1, %r1;\nLOOP:\n"
      "st.global.u32 [%rd1], %r4;\nsetp.eq.u32 %p1, %r6, %r1;\n@%p1 exit;\n"
      "vote.sync.ballot.b32 %r5, %p2, -1;\npopc.b32 %r5, %r5;\nmad.lo.u32 %r4, %r4, 3, %r5;\n"
      "add.u32 %r6, %r6, 1;\nbra.uni LOOP;\n",
      [](unsigned t, unsigned n) {
        std::uint32_t v = 0;
        for (unsigned i = 0; i < t % 32; ++i) v = 3 * v + popcount(existing(t, n)) - i - 1;
        return v;
      });
}

}  // namespace tessera::divergent_group_test
