// SPDX-License-Identifier: Apache-2.0
// The stack of a thread: frames in local memory, overflow, alloca.

#include "tests/stimuli/ptx/call_support.h"

namespace tessera::stack_test {

using namespace tessera::test;
using Catch::Contains;

namespace {

/// down(n) = n == 0 ? 0 : down(n - 1) + n: the frame has the return address and n, 16 bytes.
const std::string& down() {
  static const std::string text =
      function("down", 1,
               "mov.u32 %x, 0;\nsetp.eq.u32 %p0, %a0, 0;\n@%p0 bra DONE;\nsub.u32 %t0, %a0, 1;\n" +
                   call("%t1", "down", {"%t0"}) + "add.u32 %x, %t1, %a0;\nDONE:\n");
  return text;
}

struct LocalAccess {
  AccessKind kind;
  unsigned bytes;
  std::uint32_t active;
  /// Byte offset in the thread's local memory, of the first active lane.
  std::uint64_t offset;
  bool operator==(const LocalAccess& o) const {
    return kind == o.kind && bytes == o.bytes && active == o.active && offset == o.offset;
  }
};

std::vector<LocalAccess> local_accesses(const std::string& text) {
  KernelRunner k(text);
  const auto program = k.program({1, 1, 1}, {32, 1, 1}, false);
  CarriedRunner runner(*program, k.memory, 1);
  runner.run();
  std::vector<LocalAccess> out;
  for (const CarriedRunner::Seen& s : runner.seen) {
    if (s.space != Space::kLocal) continue;
    const auto lane = static_cast<unsigned>(__builtin_ctz(s.active));
    // The words of consecutive lanes are contiguous.
    out.push_back({s.kind, s.lane_bytes, s.active, (s.address[lane] / 4 - lane) / 32 * 4});
  }
  return out;
}

std::string alloca_kernel(const std::string& body, const std::string& functions = {}) {
  return kernel(body, functions);
}

}  // namespace

TEST_CASE("a recursive call stores its registers in the frame and loads them after it") {
  // Lanes with odd index recurse once more: depth 1 and 2. The kernel has 12 bytes of .param
  // variables for its call and the function's parameter and result, in 16-byte units: 32 bytes.
  const auto seen = local_accesses(
      kernel("and.b32 %r2, %r1, 1;\nadd.u32 %r2, %r2, 1;\n" + call("%r4", "down", {"%r2"}) + kStore,
             down()));
  REQUIRE(seen.size() == 8);
  const std::uint32_t all = 0xffffffff;
  const std::uint32_t odd = 0xaaaaaaaa;
  const std::uint64_t first = seen[0].offset;
  const AccessKind store = AccessKind::kStore;
  const AccessKind load = AccessKind::kLoad;
  CHECK(seen[0] == LocalAccess{store, 8, all, first});
  CHECK(seen[1] == LocalAccess{store, 4, all, first + 8});
  // The frame of the second activation is below the first one's.
  CHECK(seen[2] == LocalAccess{store, 8, odd, first - 16});
  CHECK(seen[3] == LocalAccess{store, 4, odd, first - 8});
  CHECK(seen[4] == LocalAccess{load, 8, odd, first - 16});
  CHECK(seen[5] == LocalAccess{load, 4, odd, first - 8});
  CHECK(seen[6] == LocalAccess{load, 8, all, first});
  CHECK(seen[7] == LocalAccess{load, 4, all, first + 8});
}

TEST_CASE("values that are not read after a call are not stored") {
  // The function reads only its own result after the call; the return address is all that it keeps.
  const auto seen = local_accesses(
      kernel(call("%r4", "f", {"2"}) + kStore,
             function("f", 1,
                      "mov.u32 %x, 7;\nmul.lo.u32 %t3, %a0, 5;\nsetp.eq.u32 %p0, %t3, 0;\n"
                      "@%p0 bra DONE;\nsub.u32 %t0, %a0, 1;\n" +
                          call("%x", "f", {"%t0"}) + "DONE:\n")));
  REQUIRE(seen.size() == 4);
  for (const LocalAccess& a : seen) CHECK(a.bytes == 8);
}

TEST_CASE("a leaf function that is called by a pointer has no frame") {
  CHECK(local_accesses(kernel("mov.u64 %rd3, f;\n" + prototype("P", 1) +
                                  call("%r4", "%rd3", {"%r0"}, "P") + kStore,
                              function("f", 1, "add.u32 %x, %a0, 1;\n")))
            .empty());
}

TEST_CASE("neighbouring registers share vector accesses of up to 16 bytes") {
  // Kept over the call: three values of 64 bits with the return address, and five of 32 bits.
  std::string before = "cvt.u64.u32 %d0, %a0;\nadd.u64 %d1, %d0, 1;\nadd.u64 %d2, %d0, 2;\n";
  std::string after =
      "add.u64 %d0, %d0, %d1;\nadd.u64 %d0, %d0, %d2;\ncvt.u32.u64 %t0, %d0;\n"
      "add.u32 %x, %x, %t0;\n";
  for (int i = 1; i < 6; ++i) {
    const std::string n = std::to_string(i);
    before += "add.u32 %t" + n + ", %a0, " + n + ";\n";
    after += "add.u32 %x, %x, %t" + n + ";\n";
  }
  const auto seen = local_accesses(kernel(
      call("%r4", "f", {"1"}) + kStore,
      function("f", 1,
               "mov.u32 %x, 0;\nsetp.eq.u32 %p0, %a0, 0;\n@%p0 bra DONE;\n" + before +
                   "sub.u32 %t0, %a0, 1;\n" + call("%x", "f", {"%t0"}) + after + "DONE:\n")));
  std::vector<unsigned> bytes;
  for (const LocalAccess& a : seen) bytes.push_back(a.bytes);
  CHECK(bytes == std::vector<unsigned>{16, 16, 16, 4, 16, 16, 16, 4});
  CHECK(seen[3].offset == seen[0].offset + 48);
}

TEST_CASE("a stack overflow names the kernel, the thread, the line and the sizes") {
  // 1024 bytes are 64 frames of 16 bytes; thread 3 needs one more.
  const auto text = [](unsigned extra) {
    return kernel("setp.eq.u32 %p1, %r1, 3;\nselp.b32 %r2, " + std::to_string(63 + extra) +
                      ", 2, %p1;\n" + call("%r4", "down", {"%r2"}) + kStore,
                  down());
  };
  CHECK(error_of(text(0)).empty());
  CHECK_THAT(error_of(text(1)),
             Contains("kernel 'k', CTA (0,0,0), thread (3,0,0), test.ptx:") &&
                 Contains("call (q), down, (p0)") &&
                 Contains("stack overflow: the frame of 'down' needs 16 bytes, and 1024 of 1024 "
                          "bytes are in use"));
}

TEST_CASE("a larger stack holds a deeper recursion") {
  const std::string text = kernel(call("%r4", "down", {"1000"}) + kStore, down());
  CHECK_THAT(error_of(text), Contains("stack overflow"));
  CHECK_THAT(error_of(text, 32, 16 * 1000), Contains("16000 of 16000 bytes are in use"));
  CHECK(error_of(text, 32, 16 * 1001).empty());
  KernelRunner k(text);
  k.stack_bytes = 1 << 19;
  CHECK_THROWS_WITH(k.run(), Contains("524288 bytes of stack; at most 524288 bytes"));
}

TEST_CASE("endless recursion without values of its own overflows the stack") {
  CHECK_THAT(error_of(kernel("call f, ();\n", ".func f()\n{\ncall f, ();\nret;\n}\n")),
             Contains("stack overflow: the frame of 'f' needs 16 bytes"));
}

TEST_CASE("a return address that the program has overwritten is an error") {
  // The function writes 32 bytes over the end of its array of 16.
  const std::string f =
      ".func f(.param .b32 n)\n{\n.reg .b32 %t<2>;\n.reg .pred %p;\n.local .align 16 .b8 a[16];\n"
      "ld.param.u32 %t0, [n];\nsetp.eq.u32 %p, %t0, 0;\n@%p bra DONE;\n{\n.param .b32 m;\n"
      "st.param.b32 [m], 0;\ncall f, (m);\n}\nret;\nDONE:\nst.local.v4.u32 [a+32], {7, 7, 7, 7};\n"
      "st.local.v4.u32 [a+48], {7, 7, 7, 7};\nret;\n}\n";
  CHECK_THAT(error_of(kernel("{\n.param .b32 m;\nst.param.b32 [m], 1;\ncall f, (m);\n}\n", f)),
             Contains("the return address in the frame of 'f' was overwritten with "
                      "0x700000007"));
}

TEST_CASE("alloca gives each thread memory of the size that it asks for") {
  // Lane l fills l % 8 + 1 words and sums them in reverse.
  gives(
      "and.b32 %r2, %r1, 7;\nadd.u32 %r2, %r2, 1;\nmul.wide.u32 %rd3, %r2, 4;\n"
      "alloca.u64 %rd4, %rd3, 16;\nmov.u32 %r3, 0;\nmov.u64 %rd5, %rd4;\nFILL:\n"
      "mad.lo.u32 %r5, %r3, %r0, 3;\nst.local.u32 [%rd5], %r5;\nadd.u64 %rd5, %rd5, 4;\n"
      "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r2;\n@%p1 bra FILL;\nmov.u32 %r4, 0;\n"
      "cvta.local.u64 %rd5, %rd5;\nSUM:\nadd.u64 %rd5, %rd5, -4;\nld.u32 %r5, [%rd5];\n"
      "mad.lo.u32 %r4, %r4, 3, %r5;\nsub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p1, %r3, 0;\n"
      "@%p1 bra SUM;\n" +
          std::string(kStore),
      [](unsigned t, unsigned) {
        std::uint32_t v = 0;
        for (unsigned i = t % 32 % 8 + 1; i-- > 0;) v = v * 3 + i * t + 3;
        return v;
      });
}

TEST_CASE("the memory of alloca is free again after stackrestore and at the end of a function") {
  // 100 rounds of 512 bytes, and 100 calls of functions with 512 bytes, in 1024 bytes of stack.
  const std::string f = function("f", 1,
                                 "alloca.u64 %d0, 512;\nst.local.u32 [%d0+4], %a0;\n"
                                 "ld.local.u32 %x, [%d0+4];\nadd.u32 %x, %x, 1;\n");
  gives(
      "mov.u32 %r2, 0;\nmov.u32 %r4, 0;\nstacksave.u32 %r7;\nLOOP:\nstacksave.u64 %rd5;\n"
      "alloca.u64 %rd4, 512;\nst.local.u32 [%rd4], %r4;\n" +
          call("%r4", "f", {"%r4"}) +
          "ld.local.u32 %r3, [%rd4];\nadd.u32 %r4, %r4, %r3;\nand.b32 %r4, %r4, 0xffff;\n"
          "stackrestore.u64 %rd5;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 100;\n"
          "@%p1 bra LOOP;\nstacksave.u32 %r8;\nsub.u32 %r8, %r8, %r7;\nadd.u32 %r4, %r4, %r8;\n" +
          kStore,
      [](unsigned, unsigned) {
        std::uint32_t v = 0;
        for (int i = 0; i < 100; ++i) v = (v + 1 + v) & 0xffff;
        return v;
      },
      {32, 20, 1}, f);
}

TEST_CASE("recursive functions with alloca keep their memory and their registers") {
  // f(n): an array of n words, written before and read after the recursion.
  const std::string f = function(
      "f", 1,
      "mov.u32 %x, 1;\nsetp.eq.u32 %p0, %a0, 0;\n@%p0 bra DONE;\nmul.wide.u32 %d0, %a0, 4;\n"
      "alloca.u64 %d1, %d0, 4;\nst.local.u32 [%d1], %a0;\nmul.lo.u32 %t1, %a0, 9;\n"
      "add.u64 %d2, %d1, %d0;\nst.local.u32 [%d2+-4], %t1;\nst.local.u32 [own+4], %t1;\n"
      "sub.u32 %t0, %a0, 1;\n" +
          call("%x", "f", {"%t0"}) +
          "ld.local.u32 %t2, [%d2+-4];\nmad.lo.u32 %x, %x, 3, %t2;\nld.local.u32 %t2, [own+4];\n"
          "mad.lo.u32 %x, %x, 3, %t2;\nadd.u32 %x, %x, %t1;\nDONE:\n",
      ".local .align 8 .b8 own[8];\n");
  const auto value = [](const auto& self, std::uint32_t n) -> std::uint32_t {
    return n == 0 ? 1 : (self(self, n - 1) * 3 + 9 * n) * 3 + 9 * n + 9 * n;
  };
  gives(
      "and.b32 %r2, %r1, 7;\n" + call("%r4", "f", {"%r2"}) + kStore,
      [&](unsigned t, unsigned) { return value(value, t % 32 % 8); }, {32, 20, 80, 1}, f);
}

TEST_CASE("an alloca that does not fit the stack is an error") {
  CHECK_THAT(
      error_of(alloca_kernel("mul.wide.u32 %rd3, %r1, 40;\nalloca.u64 %rd4, %rd3;\n")),
      Contains("thread (26,0,0)") &&
          Contains("stack overflow: alloca needs 1040 bytes, and 0 of 1024 bytes are in use"));
}

}  // namespace tessera::stack_test
