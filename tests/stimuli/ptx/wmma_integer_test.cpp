// SPDX-License-Identifier: Apache-2.0
// wmma of 8-bit integers (PTX ISA 9.7.14) against a plain triple loop over the matrices in memory.

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <random>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::wmma_integer_test {

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

constexpr unsigned kDepth = 16;
constexpr unsigned kB = 4096;  ///< places in the input, bytes
constexpr unsigned kC = 8192;

struct Form {
  unsigned m = 16;
  unsigned n = 16;
  bool a_row = true;
  bool b_row = false;
  bool d_row = true;
  bool is_signed = false;
  bool saturates = false;
};

const char* layout(bool by_rows) { return by_rows ? "row" : "col"; }

std::string registers(const char* name, unsigned count) {
  std::string s = "{";
  for (unsigned i = 0; i < count; ++i) s += (i != 0 ? ", " : "") + (name + std::to_string(i));
  return s + "}";
}

std::string text_of(const Form& f) {
  const std::string shape = ".m" + std::to_string(f.m) + "n" + std::to_string(f.n) + "k16";
  const std::string type = f.is_signed ? ".s8" : ".u8";
  const std::string a = registers("%a", f.m / 8);
  const std::string b = registers("%b", f.n / 8);
  const std::string c = registers("%c", 8);
  const std::string d = registers("%d", 8);
  const std::string sync = ".sync.aligned.";
  return kernel_text(
      ".reg .b32 %a<8>;\n.reg .b32 %b<8>;\n.reg .b32 %c<8>;\n.reg .b32 %d<8>;\n"
      "wmma.load.a" +
      sync + layout(f.a_row) + shape + ".global" + type + " " + a + ", [%rd2];\nwmma.load.b" +
      sync + layout(f.b_row) + shape + ".global" + type + " " + b + ", [%rd2+4096];\nwmma.load.c" +
      sync + layout(f.d_row) + shape + ".global.s32 " + c + ", [%rd2+8192];\nwmma.mma" + sync +
      layout(f.a_row) + "." + layout(f.b_row) + shape + ".s32" + type + type + ".s32" +
      (f.saturates ? ".satfinite" : "") + " " + d + ", " + a + ", " + b + ", " + c +
      ";\nwmma.store.d" + sync + layout(f.d_row) + shape + ".global.s32 [%rd0], " + d + ";");
}

void check(const Form& f, unsigned seed) {
  INFO(text_of(f));
  KernelRunner runner(text_of(f));
  std::mt19937 random(seed);
  const auto byte = [&](unsigned i) { return static_cast<std::uint8_t>(i); };
  std::vector<std::uint8_t> a(f.m * kDepth);
  std::vector<std::uint8_t> b(kDepth * f.n);
  std::vector<std::int32_t> c(f.m * f.n);
  for (std::uint8_t& v : a) v = byte(random());
  for (std::uint8_t& v : b) v = byte(random());
  // Near both ends of the range, so that sums overflow.
  for (std::int32_t& v : c) {
    const auto off = static_cast<std::int32_t>(random() % (f.is_signed ? 30000 : 300000));
    v = (random() & 1) != 0 ? std::numeric_limits<std::int32_t>::max() - off
                            : std::numeric_limits<std::int32_t>::min() + off;
  }
  std::memcpy(runner.memory.at(runner.in), a.data(), a.size());
  std::memcpy(runner.memory.at(runner.in + kB), b.data(), b.size());
  std::memcpy(runner.memory.at(runner.in + kC), c.data(), 4 * c.size());
  runner.run();
  const auto number = [&](std::uint8_t v) {
    return f.is_signed && v >= 128 ? int{v} - 256 : int{v};
  };
  unsigned overflows = 0;
  for (unsigned i = 0; i < f.m; ++i) {
    for (unsigned j = 0; j < f.n; ++j) {
      const unsigned at = f.d_row ? i * f.n + j : j * f.m + i;
      std::int64_t sum = c[at];
      for (unsigned k = 0; k < kDepth; ++k) {
        sum += std::int64_t{number(a[f.a_row ? i * kDepth + k : k * f.m + i])} *
               number(b[f.b_row ? k * f.n + j : j * kDepth + k]);
      }
      std::int64_t expected = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
      if (expected != sum) {
        ++overflows;
        if (f.saturates) expected = sum > 0 ? 0x7fffffff : -std::int64_t{0x80000000};
      }
      std::int32_t got;
      std::memcpy(&got, runner.memory.at(runner.out + 4 * at), 4);
      INFO("row " << i << ", column " << j);
      CHECK(got == expected);
    }
  }
  CHECK(overflows > 10);
}

}  // namespace

TEST_CASE("wmma of 8-bit integers multiplies and adds in every shape and layout") {
  unsigned seed = 1;
  for (const unsigned m : {8u, 16u, 32u}) {
    for (unsigned bits = 0; bits < 32; ++bits) {
      Form f;
      f.m = m;
      f.n = 256 / m;
      f.a_row = (bits & 1) != 0;
      f.b_row = (bits & 2) != 0;
      f.d_row = (bits & 4) != 0;
      f.is_signed = (bits & 8) != 0;
      f.saturates = (bits & 16) != 0;
      check(f, seed++);
    }
  }
}

}  // namespace tessera::wmma_integer_test
