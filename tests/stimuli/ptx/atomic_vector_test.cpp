// SPDX-License-Identifier: Apache-2.0
// Atomics on vectors, on packed 16-bit floats and on 128 bits (PTX ISA 9.7.13.5), in both modes of
// values. Small integers are exact in every format, so that the order of the lanes does not matter.

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::atomic_vector_test {

using tessera::test::CarriedRunner;
using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

/// A small integer as f32, f16 or bf16.
std::uint32_t encode(const std::string& type, int v) {
  const auto f = static_cast<float>(v);
  std::uint32_t b;
  std::memcpy(&b, &f, 4);
  if (type == "f32") return b;
  if (type == "bf16") return b >> 16;
  if (v == 0) return 0;
  const std::uint32_t exponent = (b >> 23 & 0xff) - 112;
  return (b >> 16 & 0x8000u) | exponent << 10 | (b >> 13 & 0x3ffu);
}

struct Form {
  std::string type;    ///< element: f32, f16, bf16
  unsigned elements;   ///< of a lane's operand
  unsigned registers;  ///< of a lane's operand
  std::string operation;
  bool returns;
};

std::string list(const char* prefix, unsigned first, unsigned count) {
  std::string s = count == 1 ? "" : "{";
  for (unsigned i = 0; i < count; ++i) s += (i ? ", " : "") + (prefix + std::to_string(first + i));
  return s + (count == 1 ? "" : "}");
}

unsigned element_bytes(const Form& f) { return f.type == "f32" ? 4 : 2; }

/// Lane i updates target i / 4 by its operand at `in` + 16 i. The old value goes to `out` + 16 i,
/// the targets begin at `in` + 4096.
std::string kernel(const Form& f) {
  const unsigned bytes = element_bytes(f) * f.elements / f.registers;  // of a register
  const char* const reg = bytes == 2 ? "%rs" : f.type == "f32" ? "%f" : "%r";
  const char* const load = bytes == 2 ? ".b16 " : ".b32 ";
  const unsigned first = f.type == "f32" ? 9 : 1;
  const std::string type = f.type + (bytes == 4 && f.type != "f32" ? "x2" : "");
  const std::string vector = f.registers > 1 ? ".v" + std::to_string(f.registers) : "";
  std::string body =
      ".reg .b16 %rt<9>;\nshl.b32 %r20, %r0, 4;\ncvt.u64.u32 %rd4, %r20;\n"
      "add.u64 %rd5, %rd4, %rd2;\nadd.u64 %rd6, %rd4, %rd0;\n"
      "shr.u32 %r21, %r0, 2;\nshl.b32 %r21, %r21, 4;\ncvt.u64.u32 %rd7, %r21;\n"
      "add.u64 %rd7, %rd7, %rd2;\n";
  for (unsigned i = 0; i < f.registers; ++i) {
    body += std::string("ld.global") + load + reg + std::to_string(first + i) + ", [%rd5+" +
            std::to_string(bytes * i) + "];\n";
  }
  const std::string operand = list(reg, first, f.registers);
  // The result goes to the operand's registers.
  body += (f.returns ? "atom" : "red") + std::string(".global.") + f.operation +
          (f.type == "f32" ? "" : ".noftz") + vector + "." + type + " " +
          (f.returns ? operand + ", " : "") + "[%rd7+4096], " + operand + ";\n";
  for (unsigned i = 0; i < f.registers && f.returns; ++i) {
    body += std::string("st.global") + load + "[%rd6+" + std::to_string(bytes * i) + "], " + reg +
            std::to_string(first + i) + ";\n";
  }
  return kernel_text(body);
}

void check(const Form& f) {
  const std::string text = kernel(f);
  for (const bool carried : {false, true}) {
    KernelRunner k(text);
    std::mt19937 random(f.elements * 7 + static_cast<unsigned>(f.operation[1]));
    const unsigned size = element_bytes(f);
    std::array<std::array<int, 8>, 64> operand{};
    std::array<std::array<int, 8>, 16> start{};
    const auto put = [&](Address at, const std::array<int, 8>& values) {
      for (unsigned e = 0; e < f.elements; ++e) {
        const std::uint32_t bits = encode(f.type, values[e]);
        std::memcpy(k.memory.at(at + size * e), &bits, size);
      }
    };
    for (unsigned i = 0; i < 64; ++i) {
      for (int& v : operand[i]) v = static_cast<int>(random() % 15) - 7;
      put(k.in + 16 * i, operand[i]);
    }
    for (unsigned i = 0; i < 16; ++i) {
      for (int& v : start[i]) v = static_cast<int>(random() % 15) - 7;
      put(k.in + 4096 + 16 * i, start[i]);
    }
    if (carried)
      k.run_carried({64, 1, 1}, {1, 1, 1}, 6);
    else
      k.run({64, 1, 1});
    const auto combine = [&](int a, int b) {
      return f.operation == "add" ? a + b : f.operation == "min" ? std::min(a, b) : std::max(a, b);
    };
    for (unsigned i = 0; i < 16; ++i) {
      for (unsigned e = 0; e < f.elements; ++e) {
        // The lanes of a warp are performed in ascending order.
        int value = start[i][e];
        for (unsigned lane = 4 * i; lane < 4 * i + 4; ++lane) {
          if (f.returns) {
            std::uint32_t old = 0;
            std::memcpy(&old, k.memory.at(k.out + 16 * lane + size * e), size);
            INFO(text << (carried ? "carried" : "functional") << ", lane " << lane << ", element "
                      << e);
            REQUIRE(old == encode(f.type, value));
          }
          value = combine(value, operand[lane][e]);
        }
        std::uint32_t left = 0;
        std::memcpy(&left, k.memory.at(k.in + 4096 + 16 * i + size * e), size);
        INFO(text << (carried ? "carried" : "functional") << ", target " << i << ", element " << e);
        REQUIRE(left == encode(f.type, value));
      }
    }
  }
}

}  // namespace

TEST_CASE("vector and packed atomics update each element and return the old ones") {
  for (const bool returns : {false, true}) {
    for (const unsigned n : {2u, 4u}) check({"f32", n, n, "add", returns});
    for (const std::string type : {"f16", "bf16"}) {
      check({type, 1, 1, "add", returns});
      check({type, 2, 1, "add", returns});
      for (const std::string operation : {"add", "min", "max"}) {
        for (const unsigned n : {2u, 4u, 8u}) check({type, n, n, operation, returns});
        for (const unsigned n : {2u, 4u}) check({type, 2 * n, n, operation, returns});
      }
    }
  }
}

TEST_CASE("exchanges of 128 bits are atomic as a whole, in global and in shared memory") {
  // Each lane exchanges {index, ~index} with one word, so that every value appears once.
  const auto body = [](const std::string& at) {
    return ".reg .b128 %q<3>;\nmov.b32 %r10, 0;\ncvt.u64.u32 %rd4, %r0;\nnot.b64 %rd5, %rd4;\n"
           "mov.b128 %q1, {%rd4, %rd5};\n" +
           at +
           "mov.b128 {%rd6, %rd7}, %q2;\nst.global.u64 [%rd1], %rd6;\nadd.u64 %rd6, %rd6, 1;\n"
           "add.u64 %rd6, %rd6, %rd7;\nst.global.u64 [%rd1+4096], %rd6;\n";
  };
  const std::string global = body("atom.global.exch.b128 %q2, [%rd2], %q1;\n");
  const std::string shared = body(
      "mov.u64 %rd8, 500;\nnot.b64 %rd9, %rd8;\nsetp.eq.u32 %p1, %r0, 0;\n"
      "@%p1 st.shared.v2.u64 [cell], {%rd8, %rd9};\nbar.sync 0;\n"
      "atom.shared.exch.b128 %q2, [cell], %q1;\n");
  for (const std::string& text : {global, shared}) {
    for (const bool carried : {false, true}) {
      KernelRunner k(kernel_text(text, ".shared .align 16 .b8 cell[16];\n"));
      k.set_input<std::uint64_t>(0, 500);
      k.set_input<std::uint64_t>(1, ~std::uint64_t{500});
      if (carried)
        k.run_carried({64, 1, 1}, {1, 1, 1}, 9);
      else
        k.run({64, 1, 1});
      std::vector<std::uint64_t> seen;
      for (unsigned i = 0; i < 64; ++i) {
        seen.push_back(k.result<std::uint64_t>(i));
        REQUIRE(k.result<std::uint64_t>(512 + i) == 0);  // low + 1 + high: of one exchange
      }
      std::sort(seen.begin(), seen.end());
      CHECK(std::unique(seen.begin(), seen.end()) == seen.end());
      CHECK(seen.back() == 500);
    }
  }
}

TEST_CASE("compare-and-swap of 128 bits compares both halves") {
  // Lane i expects {i, 0} and swaps in {i + 1, 0}: of the lanes in order, each succeeds; a lane
  // that expects another upper half does not.
  const std::string body =
      ".reg .b128 %q<4>;\ncvt.u64.u32 %rd4, %r0;\nadd.u64 %rd5, %rd4, 1;\nmov.u64 %rd6, 0;\n"
      "setp.eq.u32 %p1, %r0, 5;\nselp.u64 %rd7, 1, 0, %p1;\n"
      "mov.b128 %q1, {%rd4, %rd7};\nmov.b128 %q2, {%rd5, %rd6};\n"
      "atom.global.cas.b128 %q3, [%rd2], %q1, %q2;\nmov.b128 {%rd8, %rd9}, %q3;\n"
      "st.global.u64 [%rd1], %rd8;\n";
  for (const bool carried : {false, true}) {
    KernelRunner k(kernel_text(body));
    if (carried)
      k.run_carried({32, 1, 1}, {1, 1, 1}, 3);
    else
      k.run();
    // The lanes of a warp are performed in ascending order.
    for (unsigned i = 0; i < 32; ++i) REQUIRE(k.result<std::uint64_t>(i) == std::min(i, 5u));
  }
}

TEST_CASE("a vector atomic is one access of up to 16 bytes a lane") {
  KernelRunner k(
      kernel_text("shl.b32 %r20, %r0, 4;\ncvt.u64.u32 %rd4, %r20;\nadd.u64 %rd5, %rd4, %rd2;\n"
                  "red.global.add.v4.f32 [%rd5], {%f1, %f2, %f3, %f4};\n"
                  "red.global.add.noftz.v2.bf16 [%rd5], {%rs1, %rs2};\n"));
  const auto program = k.program({1, 1, 1}, {32, 1, 1}, false);
  CarriedRunner runner(*program, k.memory, 1);
  runner.run();
  REQUIRE(runner.seen.size() == 2);
  CHECK(runner.seen[0].kind == AccessKind::kAtomic);
  CHECK(runner.seen[0].lane_bytes == 16);
  CHECK(runner.seen[1].lane_bytes == 4);
  CHECK(runner.seen[0].scope == CacheScope::kBypassL1);
}

TEST_CASE("a vector atomic must be aligned to its size") {
  KernelRunner k(kernel_text("red.global.add.v4.f32 [%rd2+8], {%f1, %f2, %f3, %f4};\n"));
  CHECK_THROWS_WITH(k.run({1, 1, 1}),
                    Catch::Contains("atomic of 16 bytes") && Catch::Contains("is not aligned"));
}

TEST_CASE("16-bit atomics: NaN, zeros, ties and subnormals") {
  const auto apply = [](AtomicOp op, AtomicType type, std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(apply_atomic(op, type, a, b, 0));
  };
  // 1 + 2^-8 is a tie of bfloat16; a sum of exponents far apart is rounded once.
  CHECK(apply(AtomicOp::kAdd, AtomicType::kBf16, 0x3f80, 0x3b80) == 0x3f80);
  CHECK(apply(AtomicOp::kAdd, AtomicType::kBf16, 0x3f81, 0x3b80) == 0x3f82);
  CHECK(apply(AtomicOp::kAdd, AtomicType::kBf16, 0x3b80, 0x3f80) == 0x3f80);
  CHECK(apply(AtomicOp::kAdd, AtomicType::kBf16, 0x0001, 0x0001) == 0x0002);
  CHECK(apply(AtomicOp::kAdd, AtomicType::kBf16, 0x7f80, 0xff80) == 0x7fff);
  CHECK(apply(AtomicOp::kAdd, AtomicType::kBf16, 0x7f7f, 0x7f7f) == 0x7f80);
  CHECK(apply(AtomicOp::kMin, AtomicType::kF16, 0x0000, 0x8000) == 0x8000);
  CHECK(apply(AtomicOp::kMax, AtomicType::kF16, 0x8000, 0x0000) == 0x0000);
  CHECK(apply(AtomicOp::kMin, AtomicType::kF16, 0x7e00, 0x3c00) == 0x3c00);
  CHECK(apply(AtomicOp::kMax, AtomicType::kBf16, 0x3f80, 0x7fc0) == 0x3f80);
  CHECK(apply(AtomicOp::kMax, AtomicType::kBf16, 0x7fc0, 0xffc0) == 0x7fff);
  CHECK(apply(AtomicOp::kAdd, AtomicType::kF32x2, 0x3f80000040000000, 0x3f8000003f800000) ==
        0x4000000040400000);
  CHECK(apply(AtomicOp::kMin, AtomicType::kF16x4, 0x3c00400042000000, 0x4000bc0042008000) ==
        0x3c00bc0042008000);
}

}  // namespace tessera::atomic_vector_test
