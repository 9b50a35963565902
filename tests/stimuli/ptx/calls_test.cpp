// SPDX-License-Identifier: Apache-2.0
// Calls through function pointers: targets, arguments, divergence, and errors.

#include "stimuli/ptx/calls.h"

#include "common/error.h"
#include "stimuli/ptx/device_heap.h"
#include "tests/stimuli/ptx/call_support.h"

namespace tessera::calls_test {

using namespace tessera::test;
using Catch::Contains;

namespace {

/// Functions f0 to f(n-1) and a table of their addresses; fi(a) = a * (i + 3) + i.
std::string family(unsigned n) {
  std::string text;
  std::string names;
  for (unsigned i = 0; i < n; ++i) {
    const std::string name = "f" + std::to_string(i);
    text += function(
        name, 1, "mad.lo.u32 %x, %a0, " + std::to_string(i + 3) + ", " + std::to_string(i) + ";\n");
    names += (i == 0 ? "" : ", ") + name;
  }
  return text + ".global .align 8 .u64 table[" + std::to_string(n) + "] = {" + names + "};\n";
}
std::uint32_t family_value(unsigned i, std::uint32_t a) { return a * (i + 3) + i; }

/// %rd3: the address at index %r2 of the table.
const char* const kLoadTarget =
    "mul.wide.u32 %rd3, %r2, 8;\nmov.u64 %rd4, table;\nadd.u64 %rd3, %rd4, %rd3;\n"
    "ld.global.u64 %rd3, [%rd3];\n";

}  // namespace

TEST_CASE("lanes call the functions of their pointers, from 1 to 32 different ones") {
  for (const unsigned n : {1u, 2u, 3u, 5u, 16u, 31u, 32u}) {
    INFO(n << " functions");
    gives(
        "mul.lo.u32 %r2, %r1, 7;\nrem.u32 %r2, %r2, " + std::to_string(n) + ";\n" + kLoadTarget +
            prototype("P", 1) + call("%r4", "%rd3", {"%r0"}, "P") + kStore,
        [n](unsigned t, unsigned) { return family_value(t % 32 * 7 % n, t); }, {32, 20, 80, 1},
        family(n));
  }
}

TEST_CASE("lanes of different targets continue together after the call") {
  gives(
      "and.b32 %r2, %r1, 7;\n" + std::string(kLoadTarget) + prototype("P", 1) +
          call("%r3", "%rd3", {"%r0"}, "P") + "activemask.b32 %r4;\n" + kStore,
      [](unsigned t, unsigned n) { return existing(t, n); }, {32, 20, 80, 1}, family(8));
}

TEST_CASE("lanes that return from different places of a function continue together") {
  // f(a): 5 if a is odd; 9 if a & 2; otherwise a + 1 after a loop of a trips.
  const std::string f = function(
      "f", 1,
      "and.b32 %t0, %a0, 1;\nsetp.eq.u32 %p0, %t0, 0;\n@%p0 bra EVEN;\nst.param.b32 [r], 5;\nret;\n"
      "EVEN:\nand.b32 %t0, %a0, 2;\nsetp.eq.u32 %p0, %t0, 0;\n@%p0 bra LOOP;\n"
      "st.param.b32 [r], 9;\nret;\nLOOP:\nmov.u32 %x, 1;\nmov.u32 %t1, %a0;\nNEXT:\n"
      "setp.eq.u32 %p0, %t1, 0;\n@%p0 bra DONE;\nadd.u32 %x, %x, 1;\nsub.u32 %t1, %t1, 1;\n"
      "bra NEXT;\nDONE:\n");
  gives(
      "mov.u64 %rd3, f;\n" + prototype("P", 1) + call("%r3", "%rd3", {"%r0"}, "P") +
          "activemask.b32 %r5;\npopc.b32 %r5, %r5;\nmad.lo.u32 %r4, %r3, 100, %r5;\n" + kStore,
      [](unsigned t, unsigned n) {
        const unsigned value = t % 2 == 1 ? 5 : (t & 2) != 0 ? 9 : t + 1;
        return value * 100 + popcount(existing(t, n));
      },
      {32, 20, 80, 1}, f);
}

TEST_CASE("a guarded indirect call calls for the lanes of the guard only") {
  for (const bool negated : {false, true}) {
    const std::string guard = negated ? "@!%p1 " : "@%p1 ";
    gives(
        std::string(kLow) + "and.b32 %r2, %r1, 3;\n" + kLoadTarget + prototype("P", 1) +
            "mov.u32 %r4, 1;\n" + call("%r4", "%rd3", {"%r0"}, "P", guard) +
            "activemask.b32 %r5;\nadd.u32 %r4, %r4, %r5;\n" + kStore,
        [negated](unsigned t, unsigned n) {
          const bool calls = (t % 32 < 16) != negated;
          return (calls ? family_value(t % 4, t) : 1) + existing(t, n);
        },
        {32, 20, 80, 1}, family(4));
  }
}

TEST_CASE("a call as the whole body of a branch and of a loop reconverges") {
  // Lane l calls l % 4 times; the label of the loop's end is the instruction after the call.
  gives(
      "and.b32 %r2, %r1, 3;\n" + std::string(kLoadTarget) + prototype("P", 1) +
          "mov.u32 %r4, %r0;\nmov.u32 %r6, %r2;\nHEAD:\nsetp.eq.u32 %p1, %r6, 0;\n"
          "@%p1 bra END;\nsub.u32 %r6, %r6, 1;\n" +
          call("%r4", "%rd3", {"%r4"}, "P") +
          "bra HEAD;\nEND:\nactivemask.b32 %r5;\nadd.u32 %r4, %r4, %r5;\n" + kStore,
      [](unsigned t, unsigned n) {
        std::uint32_t v = t;
        for (unsigned i = 0; i < t % 4; ++i) v = family_value(t % 4, v);
        return v + existing(t, n);
      },
      {32, 20, 80, 1}, family(4));
}

TEST_CASE("a list of targets and a table of functions name the targets of a call") {
  gives(
      "and.b32 %r2, %r1, 1;\n" + std::string(kLoadTarget) + "F : .calltargets f1, f0;\n" +
          call("%r3", "%rd3", {"%r0"}, "F") + call("%r4", "%rd3", {"%r3"}, "table") + kStore,
      [](unsigned t, unsigned) { return family_value(t % 2, family_value(t % 2, t)); },
      {32, 20, 80, 1}, family(2));
}

TEST_CASE("functions without arguments and without results are called by pointers") {
  const std::string functions =
      ".shared .u32 count;\n.func bump()\n{\n.reg .b32 %t;\natom.shared.add.u32 %t, [count], 1;\n"
      "ret;\n}\n.func (.param .b32 r) get()\n{\n.reg .b32 %t;\nld.shared.u32 %t, [count];\n"
      "st.param.b32 [r], %t;\nret;\n}\n";
  gives(
      "B : .callprototype () _ ();\nG : .callprototype (.param .b32 _) _ ();\n"
      "mov.u64 %rd3, bump;\ncall %rd3, (), B;\ncall %rd3, B;\nmov.u64 %rd3, get;\n"
      "{\n.param .b32 q;\ncall (q), %rd3, (), G;\nld.param.b32 %r4, [q];\n}\n" +
          std::string(kStore),
      [](unsigned, unsigned n) { return 2 * n; }, {32, 20, 1}, functions);
}

TEST_CASE("a structure is passed and returned by value through a pointer") {
  // s = {a, b, c: 8 bits, d: 64 bits}; the result is {d, b - a, c}.
  const std::string f =
      ".func (.param .align 8 .b8 r[16]) f(.param .align 8 .b8 s[24], .param .b32 k)\n{\n"
      ".reg .b32 %a<4>;\n.reg .b16 %h;\n.reg .b64 %d<3>;\nld.param.v2.u32 {%a0, %a1}, [s];\n"
      "ld.param.s8 %h, [s+8];\nld.param.u64 %d0, [s+16];\nld.param.u32 %a2, [k];\n"
      "cvt.u64.u32 %d1, %a2;\nadd.u64 %d0, %d0, %d1;\nst.param.b64 [r], %d0;\n"
      "sub.u32 %a3, %a1, %a0;\nst.param.b32 [r+8], %a3;\ncvt.s32.s16 %a3, %h;\n"
      "st.param.b32 [r+12], %a3;\nret;\n}\n";
  gives(
      "P : .callprototype (.param .align 8 .b8 _[16]) _ (.param .align 8 .b8 _[24], .param .b32 "
      "_);\nmov.u64 %rd3, f;\ncvt.u64.u32 %rd4, %r0;\nshl.b64 %rd4, %rd4, 33;\n"
      "{\n.param .align 8 .b8 s[24];\n.param .b32 k;\n.param .align 8 .b8 q[16];\n"
      "st.param.b32 [s], 3;\nst.param.b32 [s+4], %r0;\nst.param.b8 [s+8], 0xf0;\n"
      "st.param.b64 [s+16], %rd4;\nst.param.b32 [k], %r1;\ncall (q), %rd3, (s, k), P;\n"
      "ld.param.b64 %rd5, [q];\nld.param.v2.b32 {%r5, %r6}, [q+8];\n}\n"
      "shr.u64 %rd5, %rd5, 32;\ncvt.u32.u64 %r4, %rd5;\nmad.lo.u32 %r4, %r4, 1000, %r5;\n"
      "add.u32 %r4, %r4, %r6;\n" +
          std::string(kStore),
      [](unsigned t, unsigned) { return 2 * t * 1000 + (t - 3) + static_cast<std::uint32_t>(-16); },
      {32, 20, 80, 1}, f);
}

namespace {
/// f(s: 8 words, i) = s[i] + s[7]: the function takes the address of its parameter.
const char* const kIndexed =
    ".func (.param .b32 r) f(.param .align 4 .b8 s[32], .param .b32 i)\n{\n.reg .b32 %a<4>;\n"
    ".reg .b64 %d<4>;\nmov.b64 %d0, s;\nmov.u64 %d1, %d0;\nld.param.u32 %a0, [i];\n"
    "mul.wide.u32 %d2, %a0, 4;\nadd.u64 %d1, %d1, %d2;\nld.param.u32 %a1, [%d1];\n"
    "ld.param.u32 %a2, [s+28];\nadd.u32 %a1, %a1, %a2;\nst.param.b32 [r], %a1;\nret;\n}\n";
std::string pass_words(const std::string& how) {
  std::string text =
      "and.b32 %r2, %r1, 7;\n{\n.param .align 4 .b8 s[32];\n.param .b32 i;\n"
      ".param .b32 q;\nst.param.b32 [i], %r2;\n";
  for (unsigned k = 0; k < 8; ++k) {
    text += "add.u32 %r3, %r0, " + std::to_string(100 * k) + ";\nst.param.b32 [s+" +
            std::to_string(4 * k) + "], %r3;\n";
  }
  return text + how + "ld.param.b32 %r4, [q];\n}\n" + kStore;
}
std::uint32_t words_value(unsigned t, unsigned) { return 2 * t + 100 * (t % 32 % 8) + 700; }
}  // namespace

TEST_CASE("a function called directly can take the address of its parameter") {
  gives(pass_words("call (q), f, (s, i);\n"), words_value, {32, 20, 80, 1}, kIndexed);
}

TEST_CASE("a function called by a pointer can take the address of its parameter") {
  gives(
      "P : .callprototype (.param .b32 _) _ (.param .align 4 .b8 _[32], .param .b32 _);\n"
      "mov.u64 %rd3, f;\n" +
          pass_words("call (q), %rd3, (s, i), P;\n"),
      words_value, {32, 20, 80, 1}, kIndexed);
}

TEST_CASE("a kernel passes its own parameter on to a function called by a pointer") {
  const std::string f =
      ".func (.param .b32 r) f(.param .b64 a, .param .b32 i)\n{\n.reg .b32 %a<2>;\n"
      ".reg .b64 %d<2>;\nld.param.u64 %d0, [a];\nld.param.u32 %a0, [i];\n"
      "mul.wide.u32 %d1, %a0, 4;\nadd.u64 %d0, %d0, %d1;\nld.global.u32 %a1, [%d0];\n"
      "st.param.b32 [r], %a1;\nret;\n}\n";
  KernelRunner k(
      kernel("P : .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);\n"
             "mov.u64 %rd3, f;\n{\n.param .b32 i;\n.param .b32 q;\nst.param.b32 [i], "
             "%r0;\ncall (q), %rd3, (in, i), P;\nld.param.b32 %r4, [q];\n}\n" +
                 std::string(kStore),
             f));
  for (unsigned i = 0; i < 32; ++i) k.set_input<std::uint32_t>(i, 5 * i + 2);
  k.run();
  for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == 5 * i + 2);
}

TEST_CASE("a pointer in a kernel argument calls the function of that address") {
  // The host has the address from a variable, as cudaMemcpyFromSymbol gives it.
  std::string text = kernel(prototype("P", 1) +
                                "ld.param.u64 %rd3, [job+8];\nld.param.u32 %r3, "
                                "[job];\nadd.u32 %r3, %r3, %r0;\n" +
                                call("%r4", "%rd3", {"%r3"}, "P") + kStore,
                            family(3));
  const std::string head = ".param .u64 in)";
  text.replace(text.find(head), head.size(), ".param .u64 in, .param .align 8 .b8 job[16])");
  KernelRunner k(text);
  struct {
    std::uint32_t bias;
    std::uint64_t run;
  } job{1000, 0};
  std::memcpy(&job.run, k.memory.at(k.symbols.at("table") + 16), 8);
  CHECK(job.run == tessera::ptx::function_address(k.module, "f2"));
  k.more_arguments = {tessera::KernelArgument::of(job)};
  k.run();
  for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == family_value(2, 1000 + i));
}

TEST_CASE("function pointers reach functions of other files") {
  // Both files have a local function `mine`; the second file's table has its own.
  const std::string mine = function("mine", 1, "add.u32 %x, %a0, 5;\n");
  std::string far = function("far", 1, call("%x", "mine", {"%a0"}) + "mul.lo.u32 %x, %x, 10;\n");
  far = ".version 7.0\n.target sm_75\n.address_size 64\n" +
        function("mine", 1, "add.u32 %x, %a0, 1000;\n") + ".visible " + far +
        ".visible .global .align 8 .u64 table[2] = {far, mine};\n";
  const std::string near =
      kernel("and.b32 %r2, %r1, 1;\n" + std::string(kLoadTarget) + prototype("P", 1) +
                 call("%r4", "%rd3", {"%r0"}, "P") + "mov.u64 %rd3, mine;\n" +
                 call("%r4", "%rd3", {"%r4"}, "P") + kStore,
             mine + ".extern .global .align 8 .u64 table[2];\n");
  std::vector<tessera::ptx::Module> files;
  files.push_back(tessera::ptx::parse(near, "near.ptx"));
  files.push_back(tessera::ptx::parse(far, "far.ptx"));
  KernelRunner k(tessera::ptx::link(std::move(files)));
  k.run();
  for (unsigned t = 0; t < 32; ++t) {
    CHECK(k.result<std::uint32_t>(t) == (t % 2 == 0 ? (t + 1000) * 10 : t + 1000) + 5);
  }
}

TEST_CASE("an out-of-line function can call others, in place and by pointers") {
  // f(a) = g(a) + table[a & 1](a + 1), g(a) = 3 a, which is expanded in f.
  const std::string functions =
      family(2) + function("g", 1, "mul.lo.u32 %x, %a0, 3;\n") +
      function("f", 1,
               call("%t0", "g", {"%a0"}) +
                   "and.b32 %t1, %a0, 1;\nmul.wide.u32 %d0, %t1, 8;\nmov.u64 %d1, table;\n"
                   "add.u64 %d0, %d0, %d1;\nld.global.u64 %d0, [%d0];\nadd.u32 %t2, %a0, 1;\n" +
                   prototype("P", 1) + call("%t3", "%d0", {"%t2"}, "P") +
                   "add.u32 %x, %t0, %t3;\n");
  gives(
      "mov.u64 %rd3, f;\n" + prototype("P", 1) + call("%r4", "%rd3", {"%r0"}, "P") + kStore,
      [](unsigned t, unsigned) { return 3 * t + family_value(t % 2, t + 1); }, {32, 20, 80, 1},
      functions);
}

TEST_CASE("lanes can end in a function that others return from") {
  // Lanes with a % 3 == 0 end; the others meet again after the call.
  const std::string f = function("f", 1,
                                 "rem.u32 %t0, %a0, 3;\nsetp.eq.u32 %p0, %t0, 0;\n@%p0 bra STOP;\n"
                                 "add.u32 %x, %a0, 7;\nbra GO;\nSTOP:\nexit;\nGO:\n");
  gives(
      "mov.u64 %rd3, f;\n" + prototype("P", 1) + call("%r4", "%rd3", {"%r0"}, "P") +
          "activemask.b32 %r5;\npopc.b32 %r5, %r5;\nmad.lo.u32 %r4, %r5, 1000, %r4;\n" + kStore,
      [](unsigned t, unsigned n) {
        unsigned stay = 0;
        for (unsigned l = t / 32 * 32; l < n && l < t / 32 * 32 + 32; ++l) stay += l % 3 != 0;
        return t % 3 == 0 ? kUnwritten : stay * 1000 + t + 7;
      },
      {32, 20, 80, 1}, f);
}

TEST_CASE("lanes can end in the inner of two branches of a function") {
  // a % 4 == 3 ends; a % 4 == 1: a + 1; even: 5. Because lanes can end between the branches and
  // JOIN, the others meet at the return, not at JOIN. There, each path counts its own lanes.
  const std::string f = function(
      "f", 1,
      "mov.u32 %x, 5;\nand.b32 %t0, %a0, 1;\nsetp.eq.u32 %p0, %t0, 0;\n@%p0 bra JOIN;\n"
      "and.b32 %t0, %a0, 2;\nsetp.ne.u32 %p0, %t0, 0;\n@%p0 bra STOP;\nadd.u32 %x, %a0, 1;\n"
      "bra JOIN;\nSTOP:\nexit;\nJOIN:\nactivemask.b32 %t1;\npopc.b32 %t1, %t1;\n"
      "mad.lo.u32 %x, %t1, 1000, %x;\n");
  gives(
      "mov.u64 %rd3, f;\n" + prototype("P", 1) + call("%r4", "%rd3", {"%r1"}, "P") +
          "activemask.b32 %r5;\nadd.u32 %r4, %r4, %r5;\n" + kStore,
      [](unsigned t, unsigned n) {
        const unsigned lane = t % 32;
        const std::uint32_t stay = existing(t, n) & 0x77777777;
        const std::uint32_t x = lane % 2 == 0 ? 5 : lane + 1;
        const std::uint32_t path = existing(t, n) & (lane % 2 == 0 ? 0x55555555 : 0x22222222);
        return lane % 4 == 3 ? kUnwritten : 1000 * popcount(path) + x + stay;
      },
      {32, 20, 80, 1}, f);
}

TEST_CASE("a kernel ends when all lanes end in functions") {
  const std::string f = ".func f()\n{\nexit;\n}\n.func g()\n{\nexit;\n}\n";
  gives(
      "P : .callprototype () _ ();\nmov.u64 %rd3, f;\nmov.u64 %rd4, g;\n" + std::string(kLow) +
          "mov.u32 %r4, 1;\n" + kStore +
          "selp.b64 %rd3, %rd3, %rd4, %p1;\ncall %rd3, (), P;\nmov.u32 %r4, 2;\n" + kStore,
      [](unsigned, unsigned) { return 1u; }, {32, 20, 80}, f);
}

TEST_CASE("a barrier of the CTA in called functions waits for all warps") {
  // Both targets store, wait at the barrier, and read another thread's word.
  const std::string functions =
      ".shared .align 4 .b8 words[1024];\n" +
      function("exchange", 2,
               "mov.u32 %t0, words;\nmad.lo.u32 %t1, %a0, 4, %t0;\nst.shared.u32 [%t1], %a1;\n"
               "bar.sync 0;\nadd.u32 %t2, %a0, 40;\nmov.u32 %t3, %ntid.x;\nrem.u32 %t2, %t2, %t3;\n"
               "mad.lo.u32 %t1, %t2, 4, %t0;\nld.shared.u32 %x, [%t1];\n") +
      function("f", 2, call("%x", "exchange", {"%a0", "%a1"})) +
      function("g", 2, "mul.lo.u32 %t4, %a1, 2;\n" + call("%x", "exchange", {"%a0", "%t4"}));
  gives(
      "mov.u64 %rd3, f;\nmov.u64 %rd4, g;\nsetp.lt.u32 %p1, %r0, 32;\n"
      "selp.b64 %rd3, %rd3, %rd4, %p1;\n" +
          prototype("P", 2) + call("%r4", "%rd3", {"%r0", "%r0"}, "P") + kStore,
      [](unsigned t, unsigned n) {
        const unsigned from = (t + 40) % n;
        return from < 32 ? from : 2 * from;
      },
      {64, 96, 80}, functions);
  // The lanes of one warp are at the barriers of both functions.
  gives(
      "mov.u64 %rd3, f;\nmov.u64 %rd4, g;\n" + std::string(kLow) +
          "selp.b64 %rd3, %rd3, %rd4, %p1;\n" + prototype("P", 2) +
          call("%r4", "%rd3", {"%r0", "%r0"}, "P") + kStore,
      [](unsigned t, unsigned n) {
        const unsigned from = (t + 40) % n;
        return from % 32 < 16 ? from : 2 * from;
      },
      {32, 64, 80}, functions);
}

TEST_CASE("lanes in different functions exchange values by shuffles") {
  const std::string shuffle = "shfl.sync.bfly.b32 %x, %a1, 16, 31, -1;\nmad.lo.u32 %x, %x, 2, ";
  const std::string functions = function("f", 2, shuffle + "1;\n") +
                                function("g", 2, "add.u32 %a1, %a1, 500;\n" + shuffle + "0;\n");
  gives(
      "mov.u64 %rd3, f;\nmov.u64 %rd4, g;\n" + std::string(kLow) +
          "selp.b64 %rd3, %rd3, %rd4, %p1;\n" + prototype("P", 2) +
          call("%r4", "%rd3", {"%r0", "%r0"}, "P") +
          "activemask.b32 %r5;\nand.b32 %r5, %r5, 1;\n"
          "add.u32 %r4, %r4, %r5;\n" +
          kStore,
      [](unsigned t, unsigned) {
        const bool low = t % 32 < 16;
        return ((t ^ 16) + (low ? 500 : 0)) * 2 + (low ? 1 : 0) + 1;
      },
      {32, 64}, functions);
}

TEST_CASE("lanes that return early meet the others in a vote after the call") {
  // f votes once for lanes below 16; lanes above return at once and vote after the call.
  const std::string f =
      function("f", 1,
               "mov.u32 %x, 0;\nsetp.ge.u32 %p0, %a0, 16;\n@%p0 bra DONE;\n"
               "setp.eq.u32 %p1, %a0, %a0;\nvote.sync.ballot.b32 %x, %p1, -1;\nDONE:\n");
  gives(
      "mov.u64 %rd3, f;\n" + prototype("P", 1) + call("%r4", "%rd3", {"%r1"}, "P") +
          std::string(kLow) + "@%p1 bra END;\nvote.sync.ballot.b32 %r4, %p1, -1;\nEND:\n" + kStore,
      [](unsigned t, unsigned n) { return existing(t, n) & 0xffff; }, {32, 20, 64}, f);
}

TEST_CASE("lanes of two calls that synchronise in one function return each to its call") {
  // Both branches call f, whose shuffle needs the whole warp.
  const std::string f =
      function("f", 1, "shfl.sync.bfly.b32 %t0, %a0, 16, 31, -1;\nadd.u32 %x, %t0, %a0;\n");
  gives(
      "mov.u64 %rd3, f;\n" + prototype("P", 1) + std::string(kLow) + "@%p1 bra LOW;\n" +
          "add.u32 %r3, %r0, 1000;\n" + call("%r4", "%rd3", {"%r3"}, "P") +
          "add.u32 %r4, %r4, 7;\nbra JOIN;\nLOW:\n" + call("%r4", "%rd3", {"%r0"}, "P") +
          "mul.lo.u32 %r4, %r4, 2;\nJOIN:\nactivemask.b32 %r5;\nand.b32 %r5, %r5, 1;\n"
          "add.u32 %r4, %r4, %r5;\n" +
          kStore,
      [](unsigned t, unsigned) {
        const unsigned sum = t + (t ^ 16) + 1000;
        return (t % 32 < 16 ? 2 * sum : sum + 7) + 1;
      },
      {32, 64}, f);
}

TEST_CASE("a shared variable of a function exists once, in place and out of line") {
  const std::string f =
      ".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %t<3>;\n.shared .u32 sum;\n"
      "ld.param.u32 %t0, [a];\natom.shared.add.u32 %t1, [sum], %t0;\nbar.sync 0;\n"
      "ld.shared.u32 %t2, [sum];\nbar.sync 0;\nst.param.b32 [r], %t2;\nret;\n}\n";
  gives(
      "mov.u64 %rd3, f;\n" + prototype("P", 1) + call("%r4", "%rd3", {"1"}, "P") +
          call("%r4", "f", {"1"}) + kStore,
      [](unsigned, unsigned n) { return 2 * n; }, {32, 20, 80}, f);
}

TEST_CASE("printf and malloc work in out-of-line functions") {
  const std::string text = kernel_text(
      prototype("P", 1) + "mov.u64 %rd3, f;\n" + call("%r4", "%rd3", {"%r0"}, "P") + kStore,
      ".extern .func (.param .b64 p) malloc(.param .b64 n);\n.func (.param .b32 r) f(.param .b32 "
      "a)\n{\n.reg .b32 %t<3>;\n.reg .b64 %d<2>;\nld.param.u32 %t0, [a];\n{\n.param .b64 n;\n"
      ".param .b64 p;\nst.param.b64 [n], 16;\ncall (p), malloc, (n);\nld.param.b64 %d0, [p];\n}\n"
      "st.u32 [%d0], %t0;\nld.u32 %t1, [%d0];\nadd.u32 %t1, %t1, 1;\nst.param.b32 [r], "
      "%t1;\nret;\n}\n");
  KernelRunner k(text);
  tessera::ptx::DeviceHeap heap(k.allocations.allocate("heap", 4096).begin, 4096);
  k.heap = &heap;
  k.run();
  for (unsigned i = 0; i < 32; ++i) CHECK(k.result<std::uint32_t>(i) == i + 1);
}

TEST_CASE("a call through a pointer that is no function's ends the run with the value") {
  const std::string go = prototype("P", 1) + call("%r4", "%rd3", {"%r0"}, "P");
  // Lane 5 has no pointer.
  CHECK_THAT(error_of(kernel("and.b32 %r2, %r1, 1;\n" + std::string(kLoadTarget) +
                                 "setp.eq.u32 %p1, %r1, 5;\nselp.b64 %rd3, 0, %rd3, %p1;\n" + go,
                             family(2))),
             Contains("kernel 'k', CTA (0,0,0), thread (5,0,0), test.ptx:") &&
                 Contains("'call (q), %rd3, (p0), P': call of a function at 0x0: no function has "
                          "this address"));
  CHECK_THAT(error_of(kernel("mov.u64 %rd3, f0;\nadd.u64 %rd3, %rd3, 4;\n" + go, family(2))),
             Contains("call of a function at 0x3000004: no function has this address"));
  CHECK_THAT(error_of(kernel("mov.u64 %rd3, other;\n" + go,
                             family(2) + function("other", 2, "mov.u32 %x, 0;\n"))),
             Contains("this is 'other', which does not fit the call's prototype"));
  CHECK_THAT(error_of(kernel("mov.u64 %rd3, away;\n" + go,
                             ".extern .func (.param .b32 r) away(.param .b32 a);\n")),
             Contains("this is 'away', which has no body in this or a linked file"));
  CHECK_THAT(error_of(kernel(
                 "mov.u64 %rd3, f1;\nF : .calltargets f0;\n" + call("%r4", "%rd3", {"%r0"}, "F"),
                 family(2))),
             Contains("this is 'f1', which does not fit the call's prototype or list of targets"));
}

TEST_CASE("a trap in a called function names its line") {
  const std::string error =
      error_of(kernel("mov.u64 %rd3, f;\n" + prototype("P", 1) + call("%r4", "%rd3", {"%r0"}, "P"),
                      function("f", 1, "setp.eq.u32 %p0, %a0, 9;\n@%p0 trap;\nmov.u32 %x, 1;\n")));
  CHECK_THAT(error, Contains("thread (9,0,0)") && Contains("trap"));
}

TEST_CASE("indirect calls whose targets cannot be known are refused") {
  const auto refusal = [](const std::string& body, const std::string& functions) {
    try {
      tessera::ptx::decode(tessera::ptx::parse(kernel(body, functions), "test.ptx"), "k");
    } catch (const tessera::InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const std::string target = "mov.u64 %rd3, f0;\n";
  CHECK_THAT(refusal(target + call("%r4", "%rd3", {"%r0"}), family(1)),
             Contains("needs the name of a .callprototype"));
  CHECK_THAT(
      refusal(target + prototype("P", 1) + call("%r4", "%rd3", {"%r0", "%r0"}, "P"), family(1)),
      Contains("the callee has 1 arguments"));
  CHECK_THAT(refusal("mov.u64 %rd3, k;\n", ""), Contains("'k' is a kernel"));
  CHECK_THAT(refusal("mov.u32 %r3, f0;\n", family(1)), Contains("has 64 bits"));
  // The first argument would replace the parameter that the second passes.
  const auto own = [](const std::string& passed) {
    return function(
        "f0", 2, "{\n.param .b32 q;\ncall (q), f0, (" + passed + ");\nld.param.b32 %x, [q];\n}\n");
  };
  const std::string swaps = call("%r4", "f0", {"%r0", "%r0"});
  CHECK_THAT(refusal(swaps, own("f0_1, f0_0")),
             Contains("'f0' passes its own parameter to itself at another place"));
  CHECK(refusal(swaps, own("f0_0, f0_1")) == "accepted");
}

}  // namespace tessera::calls_test
