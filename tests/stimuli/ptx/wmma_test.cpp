// SPDX-License-Identifier: Apache-2.0
// wmma (PTX ISA 9.7.14) against a plain triple loop over the matrices in memory. The fragments'
// layout is the interpreter's own, so that only what is loaded and stored is compared.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "common/error.h"
#include "stimuli/ptx/read_only.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::wmma_test {

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

/// A finite half by its definition.
float half_value(std::uint16_t h) {
  const int exponent = h >> 10 & 31;
  const int fraction = h & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>((h & 0x8000) != 0 ? -magnitude : magnitude);
}

/// The nearest half, ties to the even one, by search.
std::uint16_t nearest_half(double v) {
  const double magnitude = std::fabs(v);
  if (magnitude >= 65520) return static_cast<std::uint16_t>(v < 0 ? 0xfc00 : 0x7c00);
  int low = 0;
  int high = 0x7bff;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (half_value(static_cast<std::uint16_t>(middle)) <= magnitude) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const double below = magnitude - half_value(static_cast<std::uint16_t>(low));
  const double next = low == 0x7bff ? 65536 : half_value(static_cast<std::uint16_t>(low + 1));
  const double above = next - magnitude;
  if (above < below || (above == below && low % 2 == 1)) ++low;
  return static_cast<std::uint16_t>(low | (std::signbit(v) ? 0x8000 : 0));
}

struct Form {
  unsigned m = 16;
  unsigned n = 16;
  bool a_row = true;
  bool b_row = false;
  bool c_row = true;
  bool d_row = true;
  bool c_single = true;
  bool d_single = true;
  bool shared = false;   ///< A is loaded from shared memory
  bool generic = false;  ///< the other accesses name no space
  bool strides = true;   ///< given, and longer than a line
  bool bfloat = false;
};

constexpr unsigned kDepth = 16;
constexpr unsigned kA = 0;  ///< places of the operands in the input, bytes
constexpr unsigned kB = 4096;
constexpr unsigned kC = 8192;
constexpr unsigned kPad = 8;  ///< elements between lines

const char* layout(bool row) { return row ? "row" : "col"; }

std::string registers(const char* prefix, unsigned first, unsigned count) {
  std::string s = "{";
  for (unsigned i = 0; i < count; ++i) s += (i ? ", " : "") + (prefix + std::to_string(first + i));
  return s + "}";
}

unsigned line_of(bool by_rows, unsigned rows, unsigned columns, bool pad) {
  return (by_rows ? columns : rows) + (pad ? kPad : 0);
}

std::string text_of(const Form& f) {
  const std::string shape = ".m" + std::to_string(f.m) + "n" + std::to_string(f.n) + "k16";
  const std::string space = f.generic ? "" : ".global";
  const std::string in = f.bfloat ? ".bf16" : ".f16";
  const auto stride = [&](bool by_rows, unsigned rows, unsigned columns) {
    return f.strides ? ", " + std::to_string(line_of(by_rows, rows, columns, true)) : std::string();
  };
  const auto type = [](bool single) { return single ? "f32" : "f16"; };
  const unsigned a_count = f.bfloat ? f.m / 4 : 8;
  const unsigned b_count = f.bfloat ? f.n / 4 : 8;
  const std::string a = registers("%a", 0, a_count);
  const std::string b = registers("%b", 0, b_count);
  const std::string c = f.c_single ? registers("%fc", 0, 8) : registers("%c", 0, 4);
  const std::string d = f.d_single ? registers("%g", 0, 8) : registers("%c", 4, 4);
  std::string t =
      ".reg .b32 %a<8>;\n.reg .b32 %b<8>;\n.reg .b32 %c<8>;\n.reg .f32 %fc<8>;\n"
      ".reg .f32 %g<8>;\n";
  const std::string sync = ".sync.aligned.";
  if (f.shared) {
    // 128 bytes a lane of A's 4096, then the matrix from there.
    t += "shl.b32 %r1, %r0, 7;\ncvt.u64.u32 %rd3, %r1;\nadd.u64 %rd3, %rd2, %rd3;\n"
         "mov.u32 %r2, tile;\nadd.u32 %r1, %r1, %r2;\n";
    for (unsigned i = 0; i < 128; i += 4) {
      const std::string at = std::to_string(i);
      t += "ld.global.u32 %r3, [%rd3+" + at + "];\nst.shared.u32 [%r1+" + at + "], %r3;\n";
    }
    t += "bar.sync 0;\nwmma.load.a" + sync + layout(f.a_row) + shape + ".shared" + in + " " + a +
         ", [%r2]" + stride(f.a_row, f.m, kDepth) + ";\n";
  } else {
    t += "wmma.load.a" + sync + layout(f.a_row) + shape + space + in + " " + a + ", [%rd2]" +
         stride(f.a_row, f.m, kDepth) + ";\n";
  }
  t += "wmma.load.b" + sync + layout(f.b_row) + shape + space + in + " " + b + ", [%rd2+" +
       std::to_string(kB) + "]" + stride(f.b_row, kDepth, f.n) + ";\n";
  t += "wmma.load.c" + sync + layout(f.c_row) + shape + space + "." + type(f.c_single) + " " + c +
       ", [%rd2+" + std::to_string(kC) + "]" + stride(f.c_row, f.m, f.n) + ";\n";
  const std::string types = f.bfloat ? ".f32.bf16.bf16.f32"
                                     : std::string(".") + type(f.d_single) + "." + type(f.c_single);
  t += "wmma.mma" + sync + layout(f.a_row) + "." + layout(f.b_row) + shape + types + " " + d +
       ", " + a + ", " + b + ", " + c + ";\n";
  t += "wmma.store.d" + sync + layout(f.d_row) + shape + space + "." + type(f.d_single) +
       " [%rd0], " + d + stride(f.d_row, f.m, f.n) + ";\n";
  return kernel_text(t, ".shared .align 32 .b8 tile[4096];");
}

class Problem {
 public:
  explicit Problem(const Form& f, unsigned seed) : f_(f), runner_(text_of(f)) {
    std::mt19937 random(seed);
    const auto half = [&] {
      // Magnitudes of 2^-9 to 2^6, both signs: sums that round.
      const unsigned exponent = 6 + static_cast<unsigned>(random() % 16);
      return static_cast<std::uint16_t>((random() & 1) << 15 | exponent << 10 | (random() & 1023));
    };
    const auto fill = [&](unsigned place, bool by_rows, unsigned rows, unsigned columns,
                          bool single, bool bfloat, std::vector<float>& values) {
      values.resize(rows * columns);
      const unsigned line = line_of(by_rows, rows, columns, f.strides);
      for (unsigned r = 0; r < rows; ++r) {
        for (unsigned c = 0; c < columns; ++c) {
          const unsigned index = by_rows ? r * line + c : c * line + r;
          float v = half_value(half());
          if (single) {
            v = v * 1.000001F + 0.37F;
            put(place + 4 * index, v);
          } else if (bfloat) {
            std::uint32_t bits;
            std::memcpy(&bits, &v, 4);
            bits &= 0xffff0000u;
            std::memcpy(&v, &bits, 4);
            put(place + 2 * index, static_cast<std::uint16_t>(bits >> 16));
          } else {
            put(place + 2 * index, nearest_half(v));
          }
          values[r * columns + c] = v;
        }
      }
    };
    fill(kA, f.a_row, f.m, kDepth, false, f.bfloat, a_);
    fill(kB, f.b_row, kDepth, f.n, false, f.bfloat, b_);
    fill(kC, f.c_row, f.m, f.n, f.c_single, false, c_);
  }

  KernelRunner& runner() { return runner_; }

  unsigned wrong() const {
    unsigned count = 0;
    const unsigned line = line_of(f_.d_row, f_.m, f_.n, f_.strides);
    for (unsigned r = 0; r < f_.m; ++r) {
      for (unsigned c = 0; c < f_.n; ++c) {
        float sum = c_[r * f_.n + c];
        for (unsigned k = 0; k < kDepth; ++k) {
          const double exact = static_cast<double>(a_[r * kDepth + k]) * b_[k * f_.n + c];
          sum = static_cast<float>(sum + exact);
        }
        const unsigned index = f_.d_row ? r * line + c : c * line + r;
        if (f_.d_single) {
          count += get<float>(4 * index) == sum ? 0 : 1;
        } else {
          count += get<std::uint16_t>(2 * index) == nearest_half(sum) ? 0 : 1;
        }
      }
    }
    return count;
  }

 private:
  template <class T>
  void put(unsigned offset, T v) {
    std::memcpy(runner_.memory.at(runner_.in + offset), &v, sizeof v);
  }
  template <class T>
  T get(unsigned offset) const {
    T v;
    std::memcpy(&v, runner_.memory.at(runner_.out + offset), sizeof v);
    return v;
  }

  Form f_;
  KernelRunner runner_;
  std::vector<float> a_;
  std::vector<float> b_;
  std::vector<float> c_;
};

void check(const Form& f, unsigned seed) {
  INFO(text_of(f));
  Problem functional(f, seed);
  functional.runner().run();
  CHECK(functional.wrong() == 0);
  Problem carried(f, seed);
  carried.runner().run_carried({32, 1, 1}, {1, 1, 1}, seed);
  CHECK(carried.wrong() == 0);
}

}  // namespace

TEST_CASE("wmma multiplies and adds in every shape, layout and accumulator type") {
  unsigned seed = 1;
  for (const unsigned m : {16u, 32u, 8u}) {
    for (unsigned bits = 0; bits < 64; ++bits) {
      Form f;
      f.m = m;
      f.n = 256 / m;
      f.a_row = (bits & 1) != 0;
      f.b_row = (bits & 2) != 0;
      f.c_row = (bits & 4) != 0;
      f.d_row = (bits & 8) != 0;
      f.c_single = (bits & 16) != 0;
      f.d_single = (bits & 32) != 0;
      f.strides = seed % 3 != 0;
      f.generic = seed % 2 == 0;
      check(f, seed++);
    }
  }
}

TEST_CASE("wmma loads from shared memory") {
  for (const bool a_row : {true, false}) {
    Form f;
    f.shared = true;
    f.a_row = a_row;
    check(f, 7);
  }
}

TEST_CASE("wmma multiplies bfloat16 into single precision") {
  for (const unsigned m : {16u, 32u, 8u}) {
    Form f;
    f.m = m;
    f.n = 256 / m;
    f.bfloat = true;
    check(f, m);
  }
}

TEST_CASE("the accesses of a fragment are whole lines, 16 bytes a lane") {
  Form f;
  f.strides = false;
  Problem p(f, 3);
  const auto program = p.runner().program({1, 1, 1}, {32, 1, 1}, false);
  tessera::test::CarriedRunner runner(*program, p.runner().memory, 3);
  runner.run();
  unsigned loads = 0;
  unsigned stores = 0;
  for (const auto& s : runner.seen) {
    if (s.space != tessera::Space::kGlobal) continue;
    CHECK(s.lane_bytes == 16);
    for (unsigned i = 0; i < 32; ++i) CHECK(s.address[i] == s.address[0] + 16 * i);
    loads += s.kind == tessera::AccessKind::kLoad ? 1 : 0;
    stores += s.kind == tessera::AccessKind::kStore ? 1 : 0;
    // Nothing is stored to the array that A, B and C are in.
    CHECK(s.read_only == (s.kind == tessera::AccessKind::kLoad));
  }
  CHECK(loads == 4);  // A, B, and C in two
  CHECK(stores == 2);
}

TEST_CASE("elementwise work on a fragment reaches every element once") {
  const std::string shape = "sync.aligned.row.m16n16k16.global.f16";
  KernelRunner k(kernel_text("wmma.load.c." + shape + " {%r1, %r2, %r3, %r4}, [%rd2];\n" +
                             "add.rn.f16x2 %r1, %r1, %r1;\nadd.rn.f16x2 %r2, %r2, %r2;\n"
                             "add.rn.f16x2 %r3, %r3, %r3;\nadd.rn.f16x2 %r4, %r4, %r4;\n"
                             "wmma.store.d." +
                             shape + " [%rd0], {%r1, %r2, %r3, %r4};\n"));
  for (unsigned i = 0; i < 256; ++i) k.set_input<std::uint16_t>(i, nearest_half(i));
  k.run();
  for (unsigned i = 0; i < 256; ++i) {
    std::uint16_t v;
    std::memcpy(&v, k.memory.at(k.out + 2 * i), 2);
    REQUIRE(half_value(v) == 2.0F * static_cast<float>(i));
  }
}

TEST_CASE("a wmma that not all lanes execute together is an error") {
  const std::string load =
      "wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}, [%rd2];\n";
  KernelRunner some(kernel_text("setp.lt.u32 %p1, %r0, 9;\n@!%p1 bra L;\n" + load + "L:\n"));
  CHECK_THROWS_WITH(some.run(), Catch::Contains("9 lanes of the warp execute it") &&
                                    Catch::Contains("wmma.load.c") && Catch::Contains("test.ptx:"));
  KernelRunner few(kernel_text(load));
  CHECK_THROWS_WITH(few.run({40, 1, 1}), Catch::Contains("8 lanes of the warp execute it"));
  KernelRunner none(kernel_text("setp.lt.u32 %p1, %r0, 0;\n@%p1 " + load));
  none.run();
}

TEST_CASE("a fragment that runs over its array or is not aligned is an error") {
  const std::string load = "wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}";
  KernelRunner over(kernel_text(load + ", [%rd2+65312], 32;\n"));
  CHECK_THROWS_WITH(over.run(), Catch::Contains("out of bounds"));
  KernelRunner odd(kernel_text(load + ", [%rd2+2], 16;\n"));
  CHECK_THROWS_WITH(odd.run(), Catch::Contains("the address is not aligned"));
}

TEST_CASE("wmma of other shapes and types is refused by name") {
  const auto refuses = [](const std::string& body) {
    const auto module = tessera::ptx::parse(kernel_text(body), "test.ptx");
    CHECK_THROWS_WITH(tessera::ptx::decode(module, "k"),
                      Catch::Contains("supported: wmma.{load.a") || Catch::Contains("a fragment"));
  };
  refuses("wmma.load.a.sync.aligned.col.m8n8k32.global.s4 {%r1}, [%rd1], %r2;");
  refuses("wmma.load.a.sync.aligned.row.m16n16k16.global.s32 {%r1, %r2}, [%rd1], %r2;");
  refuses("wmma.load.a.sync.aligned.row.m16n16k16.global.tf32 {%r1, %r2, %r3, %r4}, [%rd1], %r2;");
  refuses("wmma.load.a.sync.aligned.row.m16n16k8.global.f16 {%r1, %r2, %r3, %r4}, [%rd1], %r2;");
  refuses("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2}, [%rd1], %r2;");
  refuses("wmma.load.c.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}, [%rd1], %r2;");
  refuses("wmma.load.c.sync.aligned.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}, [%rd1], %r2;");
}

}  // namespace tessera::wmma_test
