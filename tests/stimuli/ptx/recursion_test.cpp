// SPDX-License-Identifier: Apache-2.0
// Recursion: frames, preserved registers, synchronisation at different depths.

#include "stimuli/ptx/kernel.h"
#include "tests/stimuli/ptx/call_support.h"

namespace tessera::recursion_test {

using namespace tessera::test;
using Catch::Contains;

namespace {

/// f(n) = n < 2 ? n : f(n - 1) + f(n - 2).
const std::string& fibonacci() {
  static const std::string text = function(
      "fib", 1,
      "mov.u32 %x, %a0;\nsetp.lt.u32 %p0, %a0, 2;\n@%p0 bra DONE;\nsub.u32 %t0, %a0, 1;\n" +
          call("%t1", "fib", {"%t0"}) + "sub.u32 %t0, %a0, 2;\n" + call("%t2", "fib", {"%t0"}) +
          "add.u32 %x, %t1, %t2;\nDONE:\n");
  return text;
}
std::uint32_t fibonacci(unsigned n) {
  std::uint32_t a = 0;
  std::uint32_t b = 1;
  for (; n > 0; --n) std::swap(a, b), b += a;
  return a;
}

}  // namespace

TEST_CASE("lanes recurse to depths of their own") {
  gives(
      "and.b32 %r2, %r1, 7;\n" + call("%r4", "fib", {"%r2"}) +
          "activemask.b32 %r5;\nadd.u32 %r4, %r4, %r5;\n" + kStore,
      [](unsigned t, unsigned n) { return fibonacci(t % 8) + existing(t, n); }, {32, 20, 80, 1},
      fibonacci());
}

TEST_CASE("a guarded recursive call recurses for the lanes of the guard") {
  gives(
      std::string(kLow) + "mov.u32 %r4, 99;\nand.b32 %r2, %r1, 7;\n" +
          call("%r4", "fib", {"%r2"}, "", "@%p1 ") + kStore,
      [](unsigned t, unsigned) { return t % 32 < 16 ? fibonacci(t % 8) : 99u; }, {32, 20, 80, 1},
      fibonacci());
}

TEST_CASE("a recursive call preserves registers of every kind") {
  // All are read after the recursive call: 3 of 64 bits, 5 of 32, 3 of 16, 2 of 8 bits, a vector
  // and 35 predicates.
  std::string before;
  std::string after;
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    before += "cvt.u64.u32 %w" + n + ", %a0;\nmul.lo.u64 %w" + n + ", %w" + n + ", " +
              std::to_string(10000000019 + i) + ";\n";
    after += "shr.u64 %d1, %w" + n + ", 7;\ncvt.u32.u64 %t0, %d1;\nmad.lo.u32 %x, %x, 5, %t0;\n";
    before += "add.u32 %t1, %a0, " + std::to_string(77 + i) + ";\ncvt.u16.u32 %h" + n + ", %t1;\n";
    after += "cvt.u32.u16 %t0, %h" + n + ";\nmad.lo.u32 %x, %x, 5, %t0;\n";
  }
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    before += "mad.lo.u32 %v" + n + ", %a0, 17, " + n + ";\n";
    after += "mad.lo.u32 %x, %x, 5, %v" + n + ";\n";
  }
  for (int i = 0; i < 2; ++i) {
    const std::string n = std::to_string(i);
    before += "add.u32 %t1, %a0, " + std::to_string(200 + i) + ";\ncvt.u8.u32 %b" + n + ", %t1;\n";
    after += "cvt.u32.u8 %t0, %b" + n + ";\nmad.lo.u32 %x, %x, 5, %t0;\n";
  }
  before += "add.u32 %q.x, %a0, 1;\nadd.u32 %q.w, %a0, 4;\n";
  after += "mad.lo.u32 %x, %x, 5, %q.x;\nmad.lo.u32 %x, %x, 5, %q.w;\n";
  for (int i = 0; i < 35; ++i) {
    const std::string n = std::to_string(i);
    before += "add.u32 %t1, %a0, " + n + ";\nand.b32 %t1, %t1, " + std::to_string(1 << i % 3) +
              ";\nsetp.ne.u32 %q" + n + ", %t1, 0;\n";
    after += "selp.u32 %t0, " + n + ", 1, %q" + n + ";\nmad.lo.u32 %x, %x, 3, %t0;\n";
  }
  const std::string f = function(
      "f", 1,
      "mov.u32 %x, 11;\nsetp.eq.u32 %p0, %a0, 0;\n@%p0 bra DONE;\n" + before +
          "sub.u32 %t2, %a0, 1;\n" + call("%x", "f", {"%t2"}) + after + "DONE:\n",
      ".reg .b64 %w<3>;\n.reg .b32 %v<5>;\n.reg .b16 %h<3>;\n.reg .b8 %b<2>;\n.reg .v4 .b32 %q;\n"
      ".reg .pred %q<35>;\n");
  const auto value = [](const auto& self, std::uint32_t a) -> std::uint32_t {
    if (a == 0) return 11;
    std::uint32_t x = self(self, a - 1);
    for (std::uint32_t i = 0; i < 3; ++i) {
      x = x * 5 + static_cast<std::uint32_t>((std::uint64_t{a} * (10000000019 + i)) >> 7);
      x = x * 5 + ((a + 77 + i) & 0xffff);
    }
    for (std::uint32_t i = 0; i < 5; ++i) x = x * 5 + a * 17 + i;
    for (std::uint32_t i = 0; i < 2; ++i) x = x * 5 + ((a + 200 + i) & 0xff);
    x = (x * 5 + a + 1) * 5 + a + 4;
    for (std::uint32_t i = 0; i < 35; ++i) {
      x = x * 3 + (((a + i) & (1u << i % 3)) != 0 ? i : 1);
    }
    return x;
  };
  gives(
      "and.b32 %r2, %r0, 3;\n" + call("%r4", "f", {"%r2"}) + kStore,
      [&](unsigned t, unsigned) { return value(value, t & 3); }, {32, 20, 80, 1}, f);
}

TEST_CASE("arguments that a function reads after its recursive call are its own") {
  // f(n, k) = n == 0 ? k : f(n - 1, 3 k) + k + n, with k and n read from their .param variables.
  const std::string f =
      ".func (.param .b32 r) f(.param .b32 n, .param .b32 k)\n{\n.reg .b32 %t<5>;\n.reg .pred "
      "%p;\nld.param.b32 %t0, [n];\nld.param.b32 %t1, [k];\nsetp.eq.u32 %p, %t0, 0;\n@%p bra "
      "DONE;\nsub.u32 %t0, %t0, 1;\nmul.lo.u32 %t1, %t1, 3;\n{\n.param .b32 a;\n.param .b32 b;\n"
      ".param .b32 q;\nst.param.b32 [a], %t0;\nst.param.b32 [b], %t1;\ncall (q), f, (a, b);\n"
      "ld.param.b32 %t1, [q];\n}\nld.param.b32 %t2, [n];\nld.param.b16 %h, [k];\n"
      "cvt.u32.u16 %t3, %h;\nadd.u32 %t1, %t1, %t2;\nadd.u32 %t1, %t1, %t3;\nDONE:\n"
      "st.param.b32 [r], %t1;\nret;\n}\n";
  std::string text = f;
  text.replace(text.find(".reg .pred"), 10, ".reg .b16 %h;\n.reg .pred");
  const auto value = [](const auto& self, std::uint32_t n, std::uint32_t k) -> std::uint32_t {
    return n == 0 ? k : self(self, n - 1, 3 * k) + n + (k & 0xffff);
  };
  gives(
      "and.b32 %r2, %r1, 7;\nadd.u32 %r3, %r0, 5;\n" + call("%r4", "f", {"%r2", "%r3"}) + kStore,
      [&](unsigned t, unsigned) { return value(value, t % 32 % 8, t + 5); }, {32, 20, 80, 1}, text);
}

TEST_CASE("a parameter array and a local array are the activation's own") {
  // f(s[4], n): fills a local array, recurses with a changed copy of s, then reads both.
  std::string f =
      ".func (.param .b32 r) f(.param .align 8 .b8 s[16], .param .b32 n)\n{\n.reg .b32 %t<8>;\n"
      ".reg .b64 %d<4>;\n.reg .pred %p;\n.local .align 16 .b8 mine[32];\n"
      "mov.b64 %d0, s;\nmov.u64 %d1, mine;\nld.param.u32 %t0, [n];\nand.b32 %t1, %t0, 3;\n"
      "mul.wide.u32 %d2, %t1, 4;\nadd.u64 %d0, %d0, %d2;\nadd.u64 %d1, %d1, %d2;\n"
      "ld.param.u32 %t2, [%d0];\nst.local.u32 [%d1+16], %t2;\nst.local.u32 [mine+4], %t0;\n"
      "mov.u32 %t3, 1;\nsetp.eq.u32 %p, %t0, 0;\n@%p bra DONE;\n{\n"
      ".param .align 8 .b8 a[16];\n.param .b32 b;\n.param .b32 q;\n";
  for (int k = 0; k < 4; ++k) {
    const std::string at = std::to_string(4 * k);
    f += "ld.param.u32 %t4, [s+" + at + "];\nadd.u32 %t4, %t4, %t0;\nst.param.b32 [a+" + at +
         "], %t4;\n";
  }
  f += "sub.u32 %t5, %t0, 1;\nst.param.b32 [b], %t5;\ncall (q), f, (a, b);\n"
       "ld.param.b32 %t3, [q];\n}\nDONE:\nld.local.u32 %t6, [%d1+16];\nld.param.u32 %t7, [%d0];\n"
       "mad.lo.u32 %t3, %t3, 3, %t6;\nmad.lo.u32 %t3, %t3, 3, %t7;\nld.local.u32 %t6, [mine+4];\n"
       "mad.lo.u32 %t3, %t3, 3, %t6;\nst.param.b32 [r], %t3;\nret;\n}\n";
  std::string start =
      "{\n.param .align 8 .b8 a[16];\n.param .b32 b;\n.param .b32 q;\n"
      "and.b32 %r2, %r1, 7;\nst.param.b32 [b], %r2;\n";
  for (int k = 0; k < 4; ++k) {
    start += "add.u32 %r3, %r0, " + std::to_string(10 * k) + ";\nst.param.b32 [a+" +
             std::to_string(4 * k) + "], %r3;\n";
  }
  using Words = std::array<std::uint32_t, 4>;
  const auto value = [](const auto& self, Words s, std::uint32_t n) -> std::uint32_t {
    Words next = s;
    for (auto& w : next) w += n;
    const std::uint32_t below = n == 0 ? 1 : self(self, next, n - 1);
    return ((below * 3 + s[n & 3]) * 3 + s[n & 3]) * 3 + n;
  };
  gives(
      start + "call (q), f, (a, b);\nld.param.b32 %r4, [q];\n}\n" + kStore,
      [&](unsigned t, unsigned) {
        return value(value, Words{t, t + 10, t + 20, t + 30}, t % 32 % 8);
      },
      {32, 20, 80, 1}, f);
}

TEST_CASE("functions recurse through pointers to each other") {
  // even(n) = n == 0 ? 1 : table[1](n - 1), odd(n) = n == 0 ? 0 : table[0](n - 1).
  const auto step = [](const std::string& name, const char* at_zero, const char* other) {
    return function(name, 1,
                    "mov.u32 %x, " + std::string(at_zero) +
                        ";\nsetp.eq.u32 %p0, %a0, 0;\n@%p0 bra DONE;\nsub.u32 %t0, %a0, 1;\n"
                        "mov.u64 %d0, table;\nld.global.u64 %d1, [%d0+" +
                        other + "];\n" + prototype("P", 1) + call("%x", "%d1", {"%t0"}, "P") +
                        "DONE:\n");
  };
  gives(
      "mov.u64 %rd3, table;\nld.global.u64 %rd3, [%rd3];\n" + prototype("P", 1) +
          call("%r4", "%rd3", {"%r1"}, "P") + kStore,
      [](unsigned t, unsigned) { return t % 2 == 0 ? 1u : 0u; }, {32, 20, 80, 1},
      step("even", "1", "8") + step("odd", "0", "0") +
          ".global .align 8 .u64 table[2] = {even, odd};\n");
}

TEST_CASE("the whole warp shuffles at every depth of a recursion") {
  // f(n, v) = n == 0 ? v : f(n - 1, v + shfl(v, lane ^ n)).
  const std::string f = function(
      "f", 2,
      "mov.u32 %x, %a1;\nsetp.eq.u32 %p0, %a0, 0;\n@%p0 bra DONE;\n"
      "shfl.sync.bfly.b32 %t0, %a1, %a0, 31, -1;\nadd.u32 %t1, %t0, %a1;\nsub.u32 %t2, %a0, 1;\n" +
          call("%x", "f", {"%t2", "%t1"}) + "add.u32 %x, %x, %a0;\nDONE:\n");
  gives(
      "add.u32 %r2, %r0, 3;\n" + call("%r4", "f", {"5", "%r2"}) + kStore,
      [](unsigned t, unsigned) {
        std::array<std::uint32_t, 32> v;
        for (unsigned i = 0; i < 32; ++i) v[i] = t / 32 * 32 + i + 3;
        for (unsigned n = 5; n > 0; --n) {
          const auto old = v;
          for (unsigned i = 0; i < 32; ++i) v[i] = old[i] + old[i ^ n];
        }
        return v[t % 32] + 15;
      },
      {32, 64}, f);
}

TEST_CASE("lanes at different depths meet in one instruction") {
  // Lane l votes l % 4 times on its way down, and the rest of 4 times after the recursion. Each
  // vote of round i is of the lanes with l % 4 > i. f(n, i, v) = n == 0 ? v : f(n - 1, i + 1, 3 v +
  // vote).
  const std::string vote = "setp.gt.u32 %p1, %a3, %a1;\nvote.sync.ballot.b32 %t0, %p1, -1;\n";
  const std::string f =
      function("f", 4,
               "mov.u32 %x, %a2;\nsetp.eq.u32 %p0, %a0, 0;\n@%p0 bra DONE;\n" + vote +
                   "mad.lo.u32 %t1, %a2, 3, %t0;\nsub.u32 %t2, %a0, 1;\nadd.u32 %t3, %a1, 1;\n" +
                   call("%x", "f", {"%t2", "%t3", "%t1", "%a3"}) + "add.u32 %x, %x, %a0;\nDONE:\n");
  gives(
      "and.b32 %r2, %r1, 3;\n" + call("%r4", "f", {"%r2", "0", "0", "%r2"}) +
          "mov.u32 %r5, %r2;\nMORE:\nsetp.eq.u32 %p2, %r5, 4;\n@%p2 bra END;\n"
          "setp.gt.u32 %p1, %r2, %r5;\nvote.sync.ballot.b32 %r6, %p1, -1;\n"
          "mad.lo.u32 %r4, %r4, 3, %r6;\nadd.u32 %r5, %r5, 1;\nbra MORE;\nEND:\n" +
          kStore,
      [](unsigned t, unsigned n) {
        const unsigned depth = t % 4;
        const auto ballot = [&](unsigned i) {
          const std::uint32_t lanes[] = {0xeeeeeeee, 0xcccccccc, 0x88888888, 0};
          return lanes[i] & existing(t, n);
        };
        std::uint32_t v = 0;
        for (unsigned i = 0; i < depth; ++i) v = 3 * v + ballot(i);
        v += depth * (depth + 1) / 2;
        for (unsigned i = depth; i < 4; ++i) v = 3 * v + ballot(i);
        return v;
      },
      {32, 20, 80, 64}, f);
}

TEST_CASE("all warps of a CTA meet at the barriers of a recursion") {
  // f(n): adds 1 to a shared counter, waits, reads it, waits, recurses.
  const std::string f =
      ".shared .align 4 .u32 counter;\n" +
      function(
          "f", 1,
          "mov.u32 %x, 0;\nsetp.eq.u32 %p0, %a0, 0;\n@%p0 bra DONE;\n"
          "atom.shared.add.u32 %t0, [counter], 1;\nbar.sync 0;\nld.shared.u32 %t1, [counter];\n"
          "bar.sync 0;\nsub.u32 %t2, %a0, 1;\n" +
              call("%t3", "f", {"%t2"}) + "mad.lo.u32 %x, %t3, 1000, %t1;\nDONE:\n");
  gives(
      call("%r4", "f", {"3"}) + kStore,
      [](unsigned, unsigned n) { return (3 * n * 1000 + 2 * n) * 1000 + n; }, {32, 20, 80, 96}, f);
}

TEST_CASE("lanes can end in the depth of a recursion") {
  // Lane l recurses l % 8 deep; at the bottom of depth 5 it ends.
  const std::string f = function(
      "f", 2,
      "mov.u32 %x, 1;\nsetp.ne.u32 %p0, %a0, 0;\n@%p0 bra DOWN;\nsetp.eq.u32 %p1, %a1, 5;\n"
      "@%p1 exit;\nbra DONE;\nDOWN:\nsub.u32 %t0, %a0, 1;\n" +
          call("%x", "f", {"%t0", "%a1"}) + "add.u32 %x, %x, %a0;\nDONE:\n");
  gives(
      "and.b32 %r2, %r1, 7;\n" + call("%r4", "f", {"%r2", "%r2"}) +
          "activemask.b32 %r5;\nadd.u32 %r4, %r4, %r5;\n" + kStore,
      [](unsigned t, unsigned n) {
        const unsigned d = t % 8;
        return d == 5 ? kUnwritten : 1 + d * (d + 1) / 2 + (existing(t, n) & 0xdfdfdfdf);
      },
      {32, 20, 80, 1}, f);
}

TEST_CASE("the registers of a thread are those of its largest function") {
  const auto registers = [](const std::string& body, const std::string& functions) {
    return tessera::ptx::decode(tessera::ptx::parse(kernel(body, functions), "test.ptx"), "k")
        ->registers_per_thread;
  };
  // 40 values are live at one place of the function, and at none of the kernel.
  std::string wide = "mov.u32 %x, 0;\n";
  std::string sum;
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(i);
    wide += "add.u32 %v" + n + ", %a0, " + n + ";\n";
    sum += "mad.lo.u32 %x, %x, 3, %v" + n + ";\n";
  }
  const std::string big = function("big", 1, wide + sum, ".reg .b32 %v<40>;\n");
  const std::string go = prototype("P", 1) + call("%r4", "%rd3", {"%r0"}, "P") + kStore;
  CHECK(registers("mov.u64 %rd3, small;\n" + go, function("small", 1, "mov.u32 %x, 1;\n")) == 16);
  // 40 values, %x, 4 of the stack pointer and the return address, 6 extra: 51, in units of 8.
  CHECK(registers("mov.u64 %rd3, big;\n" + go, big) == 56);
}

}  // namespace tessera::recursion_test
