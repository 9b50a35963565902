// SPDX-License-Identifier: Apache-2.0
// SIMD video instructions (PTX ISA 9.7.17) against arithmetic on single parts.

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/stimuli/ptx/kernel_runner.h"

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

int part_of(std::uint32_t v, unsigned bits, unsigned i, bool is_signed) {
  const int bare = static_cast<int>(v >> (bits * i) & ((1u << bits) - 1));
  return is_signed && bare >= 1 << (bits - 1) ? bare - (1 << bits) : bare;
}

int combined(const std::string& operation, int a, int b) {
  if (operation == "vadd") return a + b;
  if (operation == "vsub") return a - b;
  if (operation == "vabsdiff") return std::abs(a - b);
  return operation == "vmin" ? std::min(a, b) : std::max(a, b);
}

}  // namespace

TEST_CASE("video instructions of two and four parts compute each part by itself") {
  std::mt19937 random(7);
  for (const std::string operation : {"vadd", "vsub", "vabsdiff", "vmin", "vmax"}) {
    for (unsigned bits = 0; bits < 48; ++bits) {
      const unsigned parts = (bits & 1) != 0 ? 2 : 4;
      const bool d_signed = (bits & 2) != 0;
      const bool a_signed = (bits & 4) != 0;
      const bool b_signed = (bits & 8) != 0;
      const char* const mode = bits < 16 ? "" : bits < 32 ? ".sat" : ".add";
      const auto type = [](bool s) { return s ? ".s32" : ".u32"; };
      const std::string text = operation + std::to_string(parts) + type(d_signed) + type(a_signed) +
                               type(b_signed) + mode + " %r4, %r1, %r2, %r3;";
      INFO(text);
      KernelRunner runner(
          kernel_text("mad.lo.u32 %r5, %r0, 12, 0;\ncvt.u64.u32 %rd3, %r5;\n"
                      "add.u64 %rd3, %rd3, %rd2;\nld.global.u32 %r1, [%rd3];\n"
                      "ld.global.u32 %r2, [%rd3+4];\nld.global.u32 %r3, [%rd3+8];\n" +
                      text + "\nst.global.u32 [%rd1], %r4;"));
      std::array<std::uint32_t, 96> in{};
      for (std::uint32_t& v : in) v = static_cast<std::uint32_t>(random());
      for (unsigned i = 0; i < in.size(); ++i) runner.set_input(i, in[i]);
      runner.run();
      const unsigned width = 32 / parts;
      for (unsigned lane = 0; lane < 32; ++lane) {
        std::uint32_t packed = 0;
        std::uint32_t sum = in[3 * lane + 2];
        for (unsigned i = 0; i < parts; ++i) {
          int t = combined(operation, part_of(in[3 * lane], width, i, a_signed),
                           part_of(in[3 * lane + 1], width, i, b_signed));
          sum += static_cast<std::uint32_t>(t);
          if (bits >= 16) {
            t = std::clamp(t, d_signed ? -(1 << (width - 1)) : 0,
                           (1 << (d_signed ? width - 1 : width)) - 1);
          }
          packed |= (static_cast<std::uint32_t>(t) & ((1u << width) - 1)) << (width * i);
        }
        CHECK(runner.result<std::uint32_t>(lane) == (bits >= 32 ? sum : packed));
      }
    }
  }
}

TEST_CASE("video instructions with selectors are refused") {
  const auto module = tessera::ptx::parse(
      kernel_text("vabsdiff4.u32.u32.u32 %r1, %r2.b7610, %r3, %r4;"), "test.ptx");
  CHECK_THROWS_WITH(tessera::ptx::decode(module, "k"), Catch::Contains("without masks"));
}
