// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics in every space and width, in both modes of values.

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::memory_access_test {

using tessera::test::CarriedRunner;
using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

/// Runs the text in both modes on the same random input and compares the whole output; returns it.
std::vector<std::uint64_t> both_modes(const std::string& text, Dim3 block, Dim3 grid,
                                      std::uint32_t dynamic_shared = 0) {
  std::vector<std::vector<std::uint64_t>> results;
  for (const bool carried : {false, true}) {
    KernelRunner k(text);
    k.dynamic_shared = dynamic_shared;
    std::mt19937_64 random(8);
    for (unsigned i = 0; i < 8192; ++i) k.set_input<std::uint64_t>(i, random());
    if (carried)
      k.run_carried(block, grid, 21);
    else
      k.run(block, grid);
    std::vector<std::uint64_t> out(8192);
    std::memcpy(out.data(), k.memory.at(k.out), 65536);
    results.push_back(out);
  }
  REQUIRE(results[0] == results[1]);
  return results[0];
}

std::vector<std::uint64_t> input() {
  std::mt19937_64 random(8);
  std::vector<std::uint64_t> v(8192);
  for (auto& x : v) x = random();
  return v;
}

std::string message(KernelRunner& k, Dim3 block = {32, 1, 1}, Dim3 grid = {1, 1, 1}) {
  try {
    k.run(block, grid);
  } catch (const RunError& e) {
    return e.what();
  }
  return "ran";
}

}  // namespace

TEST_CASE("narrow loads extend by their type") {
  const std::string body =
      "mul.wide.u32 %rd9, %r0, 8;\nadd.u64 %rd8, %rd2, %rd9;\nshl.b64 %rd9, %rd9, 3;\n"
      "add.u64 %rd10, %rd0, %rd9;\n"
      "ld.global.s8 %r1, [%rd8+1];\nst.global.u32 [%rd10], %r1;\n"
      "ld.global.u8 %r1, [%rd8+1];\nst.global.u32 [%rd10+4], %r1;\n"
      "ld.global.s16 %rd11, [%rd8+2];\nst.global.u64 [%rd10+8], %rd11;\n"
      "ld.global.s8 %rs1, [%rd8+3];\nst.global.u16 [%rd10+16], %rs1;\ncvt.u32.u16 %r2, %rs1;\n"
      "st.global.u32 [%rd10+20], %r2;\n"
      "ld.global.s32 %rd12, [%rd8+4];\nst.global.u64 [%rd10+24], %rd12;\n"
      "ld.global.u64 %rd13, [%rd8];\nst.global.u8 [%rd10+32], %rd13;\nst.global.u16 [%rd10+34], "
      "%rd13;\n"
      "st.global.u32 [%rd10+36], %rd13;\n";
  const auto out = both_modes(kernel_text(body), {64, 1, 1}, {1, 1, 1});
  const auto in = input();
  for (unsigned i = 0; i < 64; ++i) {
    const auto byte = [&](unsigned b) { return static_cast<std::uint8_t>(in[i] >> (8 * b)); };
    const std::uint64_t* o = out.data() + std::size_t{8} * i;
    REQUIRE(static_cast<std::uint32_t>(o[0]) ==
            static_cast<std::uint32_t>(static_cast<std::int8_t>(byte(1))));
    REQUIRE((o[0] >> 32) == byte(1));
    REQUIRE(o[1] == static_cast<std::uint64_t>(static_cast<std::int16_t>(in[i] >> 16)));
    REQUIRE((o[2] & 0xffff) == static_cast<std::uint16_t>(static_cast<std::int8_t>(byte(3))));
    REQUIRE((o[2] >> 32) == static_cast<std::uint16_t>(static_cast<std::int8_t>(byte(3))));
    REQUIRE(o[3] ==
            static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(in[i] >> 32)}));
    REQUIRE((o[4] & 0xff) == byte(0));
    REQUIRE((o[4] >> 16 & 0xffff) == (in[i] & 0xffff));
    REQUIRE((o[4] >> 32) == (in[i] & 0xffffffffu));
  }
}

TEST_CASE("vector loads and stores keep their element order") {
  const std::string body =
      "mul.wide.u32 %rd9, %r0, 16;\nadd.u64 %rd8, %rd2, %rd9;\nadd.u64 %rd10, %rd0, %rd9;\n"
      "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd8];\nst.global.v4.f32 [%rd10], {%f4, %f3, %f2, "
      "%f1};\n"
      "ld.global.nc.v2.u64 {%rd11, %rd12}, [%rd8];\nst.global.v2.u64 [%rd10+2048], {%rd12, "
      "%rd11};\n"
      "ld.global.v4.u8 {%rs1, %rs2, %rs3, %rs4}, [%rd8];\nst.global.v4.u8 [%rd10+4096], {%rs4, "
      "%rs3, %rs2, %rs1};\n"
      "ld.global.v2.u32 {%r1, _}, [%rd8];\nst.global.u32 [%rd10+4100], %r1;\n";
  const auto out = both_modes(kernel_text(body), {96, 1, 1}, {1, 1, 1});
  const auto in = input();
  for (unsigned i = 0; i < 96; ++i) {
    const auto swap = [](std::uint64_t v) { return v << 32 | v >> 32; };
    REQUIRE(out[2 * i] == swap(in[2 * i + 1]));
    REQUIRE(out[2 * i + 1] == swap(in[2 * i]));
    REQUIRE(out[256 + 2 * i] == in[2 * i + 1]);
    REQUIRE(static_cast<std::uint32_t>(out[512 + 2 * i]) ==
            __builtin_bswap32(static_cast<std::uint32_t>(in[2 * i])));
    REQUIRE((out[512 + 2 * i] >> 32) == (in[2 * i] & 0xffffffffu));
  }
}

TEST_CASE("global atomics return the old value and leave the new one") {
  // Every lane adds to one of four counters; the old values are a permutation of the sums.
  const std::string body =
      "and.b32 %r1, %r0, 3;\nmul.wide.u32 %rd9, %r1, 8;\nadd.u64 %rd9, %rd0, %rd9;\n"
      "atom.global.add.u32 %r2, [%rd9+4096], 3;\nred.global.add.u64 [%rd9+4160], 5;\n"
      "atom.global.max.s32 %r3, [%rd9+4224], %r0;\natom.global.inc.u32 %r4, [%rd9+4288], 6;\n"
      "atom.global.exch.b32 _, [%rd9+4352], 77;\nmov.f32 %f1, 0f3F000000;\n"
      "atom.global.add.f32 %f2, [%rd9+4416], %f1;\nst.global.u32 [%rd1], %r2;\n";
  const auto out = both_modes(kernel_text(body + ""), {1, 1, 1}, {1, 1, 1});
  CHECK(out[0] == 0);
  for (const bool carried : {false, true}) {
    KernelRunner k(kernel_text(body));
    if (carried)
      k.run_carried({128, 1, 1}, {2, 1, 1}, 5);
    else
      k.run({128, 1, 1}, {2, 1, 1});
    std::vector<std::vector<std::uint32_t>> old(4);
    for (unsigned i = 0; i < 256; ++i) old[i & 3].push_back(k.result<std::uint32_t>(i));
    for (unsigned c = 0; c < 4; ++c) {
      std::sort(old[c].begin(), old[c].end());
      for (unsigned i = 0; i < 64; ++i) REQUIRE(old[c][i] == 3 * i);
      REQUIRE(k.result<std::uint32_t>(512 + c) == 192);
      REQUIRE(k.result<std::uint64_t>(520 + c) == 320);
      REQUIRE(k.result<std::int32_t>(528 + c) == static_cast<int>(252 + c));
      REQUIRE(k.result<std::uint32_t>(536 + c) == 64 % 7);
      REQUIRE(k.result<std::uint32_t>(544 + c) == 77);
      REQUIRE(k.result<float>(552 + c) == 32.0f);
    }
  }
}

TEST_CASE("compare and swap builds a float addition") {
  const std::string body =
      "mul.wide.u32 %rd9, %r0, 0;\nadd.u64 %rd9, %rd0, %rd9;\nld.global.u32 %r1, [%rd9];\n"
      "L:\nmov.b32 %f1, %r1;\nadd.f32 %f2, %f1, 0f3F800000;\nmov.b32 %r2, %f2;\n"
      "atom.global.cas.b32 %r3, [%rd9], %r1, %r2;\nsetp.ne.u32 %p1, %r3, %r1;\nmov.u32 %r1, %r3;\n"
      "@%p1 bra L;\n";
  const auto out = both_modes(kernel_text(body), {64, 1, 1}, {3, 1, 1});
  float sum;
  std::memcpy(&sum, out.data(), 4);
  CHECK(sum == 192.0f);
}

TEST_CASE("apply_atomic follows the ISA for each operation") {
  const auto f = [](float v) {
    std::uint32_t b;
    std::memcpy(&b, &v, 4);
    return std::uint64_t{b};
  };
  CHECK(apply_atomic(AtomicOp::kAdd, AtomicType::kU32, 0xffffffff, 2, 0) == 1);
  CHECK(apply_atomic(AtomicOp::kAdd, AtomicType::kF32, f(1.5f), f(2.25f), 0) == f(3.75f));
  CHECK(apply_atomic(AtomicOp::kMin, AtomicType::kS32, 1, 0xffffffff, 0) == 0xffffffff);
  CHECK(apply_atomic(AtomicOp::kMin, AtomicType::kU32, 1, 0xffffffff, 0) == 1);
  CHECK(apply_atomic(AtomicOp::kMax, AtomicType::kS64, ~std::uint64_t{0}, 5, 0) == 5);
  CHECK(apply_atomic(AtomicOp::kInc, AtomicType::kU32, 6, 6, 0) == 0);
  CHECK(apply_atomic(AtomicOp::kInc, AtomicType::kU32, 5, 6, 0) == 6);
  CHECK(apply_atomic(AtomicOp::kDec, AtomicType::kU32, 0, 6, 0) == 6);
  CHECK(apply_atomic(AtomicOp::kDec, AtomicType::kU32, 9, 6, 0) == 6);
  CHECK(apply_atomic(AtomicOp::kDec, AtomicType::kU32, 3, 6, 0) == 2);
  CHECK(apply_atomic(AtomicOp::kAnd, AtomicType::kB32, 12, 10, 0) == 8);
  CHECK(apply_atomic(AtomicOp::kXor, AtomicType::kB64, 12, 10, 0) == 6);
  CHECK(apply_atomic(AtomicOp::kCompareAndSwap, AtomicType::kB32, 4, 9, 4) == 9);
  CHECK(apply_atomic(AtomicOp::kCompareAndSwap, AtomicType::kB32, 4, 9, 5) == 4);
  // Halves 1.0 and 2.0 plus halves 1.0 and 0.5.
  CHECK(apply_atomic(AtomicOp::kAdd, AtomicType::kF16x2, 0x40003c00, 0x38003c00, 0) == 0x41004000);
}

TEST_CASE("atomics of 16 bits leave the other half of the word alone") {
  // Two lanes meet in each half: cas finds its value once, halves are added up.
  const std::string body =
      "and.b32 %r1, %r0, 7;\nmul.wide.u32 %rd9, %r1, 2;\nadd.u64 %rd9, %rd9, %rd2;\n"
      "cvt.u16.u32 %rs1, %r1;\nmov.u16 %rs2, 4660;\n"
      "atom.global.cas.b16 %rs3, [%rd9], %rs1, %rs2;\n"
      "mov.b16 %rs4, 0x3c00;\natom.global.add.noftz.f16 %rs5, [%rd9+64], %rs4;\n"
      "cvt.u32.u16 %r2, %rs3;\ncvt.u32.u16 %r3, %rs5;\nshl.b32 %r3, %r3, 16;\n"
      "or.b32 %r2, %r2, %r3;\nst.global.u32 [%rd1], %r2;\n";
  for (const bool carried : {false, true}) {
    KernelRunner k(kernel_text(body));
    for (unsigned i = 0; i < 8; ++i) {
      k.set_input<std::uint16_t>(i, static_cast<std::uint16_t>(i == 5 ? 99 : i));
      k.set_input<std::uint16_t>(32 + i, 0x4000);  // 2.0
    }
    if (carried)
      k.run_carried({16, 1, 1}, {1, 1, 1}, 3);
    else
      k.run({16, 1, 1});
    for (unsigned i = 0; i < 8; ++i) {
      INFO((carried ? "carried " : "functional ") << i);
      std::uint16_t left = 0;
      std::memcpy(&left, k.memory.at(k.in + 2 * i), 2);
      CHECK(left == (i == 5 ? 99 : 0x1234));
      std::memcpy(&left, k.memory.at(k.in + 64 + 2 * i), 2);
      CHECK(left == 0x4400);  // 4.0
      const std::uint32_t first = i == 5 ? 99 : i;
      const std::uint32_t second = i == 5 ? 99 : 0x1234;
      CHECK(k.result<std::uint32_t>(i) == (first | 0x4000u << 16));
      CHECK(k.result<std::uint32_t>(i + 8) == (second | 0x4200u << 16));  // 3.0
    }
  }
}

TEST_CASE("shared memory: static, dynamic, atomics, generic addresses") {
  const std::string scope =
      ".extern .shared .align 16 .b8 dyn[];\n.shared .align 4 .u32 counter;\n"
      ".global .align 4 .u32 table[4] = {10, 20, 30, 40};\n.const .align 8 .u64 wide = "
      "123456789012;\n";
  const std::string body =
      "mov.u32 %r5, %tid.x;\nmov.u32 %r6, dyn;\nshl.b32 %r7, %r5, 2;\nadd.u32 %r8, %r6, %r7;\n"
      "st.shared.u32 [%r8+4], %r5;\nmov.u32 %r9, 0;\nst.shared.u32 [counter], %r9;\nbar.sync 0;\n"
      "atom.shared.add.u32 %r10, [counter], 1;\nbar.sync 0;\nld.shared.u32 %r11, [counter];\n"
      "xor.b32 %r12, %r5, 63;\nmul.wide.u32 %rd11, %r12, 4;\nmov.u64 %rd10, dyn;\n"
      "cvta.shared.u64 %rd12, %rd10;\nadd.u64 %rd12, %rd12, %rd11;\nld.u32 %r13, [%rd12+4];\n"
      "isspacep.shared %p1, %rd12;\nselp.u32 %r14, 1, 0, %p1;\nisspacep.global %p1, %rd12;\n"
      "selp.u32 %r15, 2, 0, %p1;\nadd.u32 %r14, %r14, %r15;\n"
      "cvta.to.shared.u64 %rd13, %rd12;\nld.shared.u32 %r16, [%rd13+4];\nadd.u32 %r13, %r13, "
      "%r16;\n"
      "and.b32 %r17, %r5, 3;\nmul.wide.u32 %rd14, %r17, 4;\nmov.u64 %rd15, table;\n"
      "add.u64 %rd15, %rd15, %rd14;\nld.global.u32 %r18, [%rd15];\nld.global.u32 %r19, [table+8];\n"
      "mov.u64 %rd17, table+12;\nld.global.u32 %r21, [%rd17+-4];\nadd.u32 %r19, %r19, %r21;\n"
      "add.u32 %r18, %r18, %r19;\nld.const.u64 %rd16, [wide];\ncvt.u32.u64 %r20, %rd16;\n"
      "add.u32 %r18, %r18, %r20;\nmad.lo.u32 %r11, %r11, 1000, %r14;\nadd.u32 %r18, %r18, %r11;\n"
      "st.global.v2.u32 [%rd1], {%r13, %r18};\n";
  const auto out = both_modes(kernel_text(body, scope), {64, 1, 1}, {2, 1, 1}, 260);
  for (unsigned i = 0; i < 128; ++i) {
    const unsigned t = i % 64;
    REQUIRE((out[i] & 0xffffffffu) == 2 * (t ^ 63));
    const std::uint32_t want =
        (10 * (t % 4 + 1)) + 60 + static_cast<std::uint32_t>(123456789012ull) + 64 * 1000 + 1;
    REQUIRE((out[i] >> 32) == want);
  }
}

TEST_CASE("local memory is private to each thread") {
  const std::string body =
      ".local .align 4 .b8 depot[64];\n.reg .b64 %SP;\n"
      "mov.u64 %SP, depot;\ncvta.local.u64 %rd20, %SP;\nand.b32 %r1, %r0, 15;\n"
      "mul.wide.u32 %rd9, %r1, 4;\nadd.u64 %rd10, %SP, %rd9;\nadd.u64 %rd11, %rd20, %rd9;\n"
      "st.local.u32 [%rd10], %r0;\nst.local.u32 [depot+60], 5;\nld.u32 %r2, [%rd11];\n"
      "ld.local.u32 %r3, [%rd20+-2147483588];\nst.global.v2.u32 [%rd1], {%r2, %r3};\n";
  const auto out = both_modes(kernel_text(body), {64, 1, 1}, {2, 1, 1});
  for (unsigned i = 0; i < 128; ++i) {
    REQUIRE((out[i] & 0xffffffffu) == (i % 16 == 15 ? 5 : i));
    REQUIRE((out[i] >> 32) == 5);
  }
}

TEST_CASE("parameters: structures by offset and by register address") {
  const std::string text =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[24])\n{\n.reg .b32 %r<9>;\n"
      ".reg .b64 %rd<9>;\n.reg .b16 %rs<3>;\nld.param.u64 %rd1, [out];\nld.param.v2.u32 {%r1, "
      "%r2}, [s+8];\n"
      "ld.param.s8 %rs1, [s+3];\nmov.u32 %r3, %tid.x;\nmul.wide.u32 %rd2, %r3, 8;\nadd.u64 %rd1, "
      "%rd1, %rd2;\n"
      "mov.b64 %rd3, s;\nmul.wide.u32 %rd4, %r3, 1;\nadd.u64 %rd3, %rd3, %rd4;\nld.param.u8 %r4, "
      "[%rd3+16];\n"
      "cvt.s32.s16 %r5, %rs1;\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r5;\n"
      "st.global.v2.u32 [%rd1], {%r1, %r4};\nret;\n}\n";
  KernelRunner k(text);
  std::array<std::uint8_t, 24> s{};
  for (unsigned i = 0; i < 24; ++i) s[i] = static_cast<std::uint8_t>(250 - 7 * i);
  ptx::MemoryView view;
  view.allocations = &k.allocations;
  view.flat = &k.memory;
  LaunchRequest request;
  request.block = {8, 1, 1};
  request.arguments = {KernelArgument::of(k.out), KernelArgument::of(s)};
  run_functionally(*ptx::make_program(ptx::decode(k.module, "k"), request, view));
  std::uint32_t a;
  std::uint32_t b;
  std::memcpy(&a, s.data() + 8, 4);
  std::memcpy(&b, s.data() + 12, 4);
  for (unsigned i = 0; i < 8; ++i) {
    const auto got = k.result<std::uint64_t>(i);
    REQUIRE(static_cast<std::uint32_t>(got) ==
            a + b + static_cast<std::uint32_t>(static_cast<std::int8_t>(s[3])));
    REQUIRE((got >> 32) == s[16 + i]);
  }
}

TEST_CASE("accesses beyond an allocation name the thread and the allocation") {
  KernelRunner k(kernel_text("mul.wide.u32 %rd9, %r0, 4;\nadd.u64 %rd9, %rd0, %rd9;\n"
                             "st.global.u32 [%rd9+4000], %r0;\n"),
                 4096);
  const std::string m = message(k);
  INFO(m);
  CHECK(m.find("kernel 'k', CTA (0,0,0), thread (24,0,0), test.ptx:") == 0);
  CHECK(m.find("'st.global.u32 [%rd9+4000], %r0': store of 4 bytes at 0x1") != std::string::npos);
  CHECK(m.find("0 bytes past the end of 'out' (4096 bytes)") != std::string::npos);
}

TEST_CASE("other bad accesses") {
  KernelRunner past(kernel_text("ld.global.u32 %r1, [%rd0+4108];\n"), 4096);
  CHECK(message(past).find("12 bytes past the end of 'out' (4096 bytes)") != std::string::npos);
  KernelRunner over(kernel_text("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+4096];\n"), 4104);
  CHECK(message(over).find("runs over the end of 'out' (4104 bytes)") != std::string::npos);
  KernelRunner null(kernel_text("mov.u64 %rd5, 16;\nld.global.u32 %r1, [%rd5];\n"));
  CHECK(message(null).find("below every allocation") != std::string::npos);
  KernelRunner skew(kernel_text("ld.global.u64 %rd5, [%rd0+4];\n"));
  CHECK(message(skew).find("not aligned") != std::string::npos);
  KernelRunner shared(
      kernel_text("mov.u32 %r1, 64;\nld.shared.u32 %r2, [%r1];\n", ".shared .b8 s[64];\n"));
  CHECK(message(shared).find("out of bounds of shared memory") != std::string::npos);
  KernelRunner mixed(
      kernel_text("setp.eq.u32 %p1, %r0, 3;\n@%p1 mov.u64 %rd1, 0x1000000;\n"
                  "ld.u32 %r2, [%rd1];\n"));
  CHECK(message(mixed).find("thread (3,0,0)") != std::string::npos);
  CHECK(message(mixed).find("out of bounds of shared memory, which has 0 bytes") !=
        std::string::npos);
  // Bounds hold after accesses that were right.
  KernelRunner later(kernel_text("mul.wide.u32 %rd9, %r0, 8;\nadd.u64 %rd9, %rd0, %rd9;\n"
                                 "ld.global.u64 %rd5, [%rd9];\n"),
                     8 * 63);
  CHECK(message(later, {32, 1, 1}, {2, 1, 1}).find("thread (31,0,0)") != std::string::npos);
  KernelRunner before(
      kernel_text("mov.u32 %r5, %tid.x;\nmul.wide.u32 %rd9, %r5, 8;\n"
                  "mul.wide.u32 %rd10, %r31, 32;\nsub.u64 %rd9, %rd9, %rd10;\n"
                  "add.u64 %rd9, %rd0, %rd9;\nld.global.u64 %rd5, [%rd9];\n"));
  CHECK(message(before, {32, 1, 1}, {2, 1, 1}).find("CTA (1,0,0), thread (0,0,0)") !=
        std::string::npos);
  // Lanes that are masked off may hold any address.
  KernelRunner elsewhere(
      kernel_text("setp.eq.u32 %p1, %r0, 3;\n@!%p1 mov.u64 %rd1, 0x1000000;\n"
                  "@%p1 ld.u32 %r2, [%rd1];\n"));
  CHECK(message(elsewhere) == "ran");
  KernelRunner off(
      kernel_text("setp.eq.u32 %p1, %r0, 3;\n@!%p1 mov.u64 %rd1, 1;\n"
                  "@%p1 ld.global.u32 %r2, [%rd1];\n"));
  CHECK(message(off) == "ran");
}

TEST_CASE("the memory operations that an SM sees") {
  const std::string body =
      "ld.global.u32 %r1, [%rd0];\nld.global.nc.u32 %r2, [%rd0];\nld.volatile.global.u32 %r3, "
      "[%rd0];\n"
      "ld.global.cg.u32 %r4, [%rd0];\nld.relaxed.cta.global.u32 %r5, [%rd0];\n"
      "ld.acquire.gpu.global.u32 %r6, [%rd0];\nst.release.gpu.global.u32 [%rd0], %r1;\n"
      "membar.gl;\n.shared .b8 s[8];\nst.shared.u64 [s], %rd0;\n"
      "setp.lt.u32 %p1, %r0, 4;\n@%p1 st.global.v2.u32 [%rd1], {%r1, %r2};\n";
  KernelRunner k(kernel_text(body));
  const auto program = k.program({1, 1, 1}, {32, 1, 1}, false);
  CarriedRunner runner(*program, k.memory, 1);
  runner.run();
  const auto& seen = runner.seen;
  REQUIRE(seen.size() == 9);
  CHECK(seen[0].scope == CacheScope::kL1);
  CHECK(!seen[0].read_only);
  CHECK(!seen[0].values_done);
  CHECK(seen[1].read_only);
  CHECK(seen[2].scope == CacheScope::kBypassL1);
  CHECK(seen[3].scope == CacheScope::kBypassL1);
  CHECK(seen[4].scope == CacheScope::kL1);
  CHECK(seen[5].scope == CacheScope::kBypassL1);
  CHECK(seen[6].kind == AccessKind::kStore);
  CHECK(seen[7].space == Space::kShared);
  CHECK(seen[7].values_done);
  CHECK(seen[7].lane_bytes == 8);
  CHECK(seen[8].active == 0xf);
  CHECK(seen[8].lane_bytes == 8);
  CHECK(seen[8].address[3] == k.out + 24);
  // acquire, release and membar
  CHECK(runner.fences == 3);
}

TEST_CASE("the reserved region of shared memory is apart from the kernel's own variables") {
  // 60 bytes of static shared memory, region 1, then the dynamic array.
  KernelRunner runner(
      kernel_text("mov.u32 %r1, %reserved_smem_offset_1;\nmov.u32 %r2, fixed;\n"
                  "mov.u32 %r3, dynamic;\nst.global.u32 [%rd1], %r1;\n"
                  "st.global.u32 [%rd1+4], %r3;\nst.shared.u32 [%r1+1020], %r0;",
                  ".shared .align 4 .b8 fixed[60];\n"
                  ".extern .shared .align 16 .b8 dynamic[];\n"));
  runner.dynamic_shared = 16;
  runner.run({1, 1, 1});
  CHECK(runner.result<unsigned>(0) == 64);
  unsigned dynamic = 0;
  std::memcpy(&dynamic, runner.memory.at(runner.out + 4), 4);
  CHECK(dynamic == 64 + 1024);
}

}  // namespace tessera::memory_access_test
