// SPDX-License-Identifier: Apache-2.0
// mma.sync (PTX ISA 9.7.14.5) against a plain triple loop. The registers are filled and read by the
// manual's formulas for each element, which are written here as the manual gives them.

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::mma_test {

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

struct Place {
  unsigned row;
  unsigned column;
};
/// The place of element i of a lane's fragment, in the manual's numbering.
using Layout = std::function<Place(unsigned lane, unsigned i)>;

unsigned group(unsigned lane) { return lane >> 2; }
unsigned position(unsigned lane) { return lane % 4; }

struct Shape {
  std::string name;
  unsigned m;
  unsigned k;
  Layout a;
  Layout b;
  Layout c;
};

Layout c_of(unsigned m) {
  return [m](unsigned lane, unsigned i) {
    return Place{group(lane) + (m == 16 && i >= 2 ? 8 : 0), position(lane) * 2 + (i & 1)};
  };
}

/// m16n8k8 and m16n8k16 of .f16 and .bf16.
Shape halves(unsigned k) {
  return {
      "m16n8k" + std::to_string(k),
      16,
      k,
      [k](unsigned lane, unsigned i) {
        if (k == 8) return Place{group(lane) + (i >= 2 ? 8 : 0), position(lane) * 2 + (i & 1)};
        const bool low = i < 2 || (i >= 4 && i < 6);
        return Place{group(lane) + (low ? 0 : 8), position(lane) * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
      },
      [](unsigned lane, unsigned i) {
        return Place{position(lane) * 2 + (i & 1) + (i >= 2 ? 8 : 0), group(lane)};
      },
      c_of(16)};
}

/// m16n8k4 and m16n8k8 of .tf32 and .f64, m16n8k16 of .f64, m8n8k4 of .f64.
Shape words(unsigned m, unsigned k) {
  return {
      "m" + std::to_string(m) + "n8k" + std::to_string(k),
      m,
      k,
      [m, k](unsigned lane, unsigned i) {
        if (m == 8) return Place{group(lane), position(lane)};
        if (k == 16) {
          return i % 2 == 0 ? Place{group(lane), i * 2 + position(lane)}
                            : Place{group(lane) + 8, i * 2 - 2 + position(lane)};
        }
        return Place{group(lane) + (i == 1 || i == 3 ? 8 : 0), position(lane) + (i >= 2 ? 4 : 0)};
      },
      [](unsigned lane, unsigned i) {
        return Place{position(lane) + i * 4, group(lane)};
      },
      c_of(m)};
}

/// Shapes of 8 bits (`each` = 4), 4 bits (8) and 1 bit (32).
Shape packed(unsigned m, unsigned k, unsigned each) {
  return {
      "m" + std::to_string(m) + "n8k" + std::to_string(k),
      m,
      k,
      [m, each](unsigned lane, unsigned i) {
        const unsigned column = position(lane) * each + i % each;
        if (m == 8) return Place{group(lane), column};
        const bool low = i < each || (i >= 2 * each && i < 3 * each);
        return Place{group(lane) + (low ? 0 : 8), column + (i >= 2 * each ? 4 * each : 0)};
      },
      [each](unsigned lane, unsigned i) {
        return Place{position(lane) * each + i % each + (i >= each ? 4 * each : 0), group(lane)};
      },
      c_of(m)};
}

std::string list(const char* prefix, unsigned first, unsigned count) {
  std::string s = "{";
  for (unsigned i = 0; i < count; ++i) s += (i ? ", " : "") + (prefix + std::to_string(first + i));
  return s + "}";
}

/// A run of one instruction on fragments of 32-bit or 64-bit registers.
class Fragments {
 public:
  /// `bits`: of an element; 64: one element a register of 64 bits.
  Fragments(unsigned rows, unsigned columns, unsigned element_bits, Layout places)
      : bits(element_bits),
        layout(std::move(places)),
        per_register(element_bits == 64 ? 1 : 32 / element_bits),
        elements(rows * columns / 32),
        registers(elements / per_register) {}

  std::vector<std::uint64_t> pack(const std::vector<std::uint64_t>& matrix, unsigned width) const {
    std::vector<std::uint64_t> out(32 * registers);
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < elements; ++i) {
        const Place p = layout(lane, i);
        out[i / per_register * 32 + lane] |= matrix[p.row * width + p.column]
                                             << (bits * (i % per_register) % 64);
      }
    }
    return out;
  }
  std::vector<std::uint64_t> unpack(const KernelRunner& k, unsigned rows, unsigned width) const {
    std::vector<std::uint64_t> matrix(std::size_t{rows} * width);
    const std::uint64_t keep = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < elements; ++i) {
        const Place p = layout(lane, i);
        const auto value = k.result<std::uint64_t>(i / per_register * 32 + lane);
        matrix[p.row * width + p.column] = value >> (bits * (i % per_register) % 64) & keep;
      }
    }
    return matrix;
  }

  unsigned bits;
  Layout layout;
  unsigned per_register;
  unsigned elements;
  unsigned registers;
};

struct Types {
  std::string d, a, b, c;
  unsigned a_bits;
  unsigned c_bits;
};

/// Runs the instruction on matrices by rows, of bit patterns; returns D.
std::vector<std::uint64_t> run(const std::string& instruction, const Fragments& a,
                               const Fragments& b, const Fragments& c, const Fragments& d,
                               const std::vector<std::uint64_t>& a_values, unsigned k,
                               const std::vector<std::uint64_t>& b_values,
                               const std::vector<std::uint64_t>& c_values, unsigned m) {
  const bool wide = a.bits == 64;
  const char* reg = wide ? "%fd" : "%r";
  const char* load = wide ? "ld.global.f64 " : "ld.global.b32 ";
  // Registers of A from 1, of B, of C and of D follow. %rd4: the lane's inputs.
  std::string body = "mul.wide.u32 %rd4, %r0, 8;\nadd.u64 %rd4, %rd4, %rd2;\n";
  std::vector<std::uint64_t> inputs;
  const auto add = [&](const std::vector<std::uint64_t>& v) {
    inputs.insert(inputs.end(), v.begin(), v.end());
  };
  add(a.pack(a_values, k));
  add(b.pack(b_values, 8));
  add(c.pack(c_values, 8));
  const unsigned sources = a.registers + b.registers + c.registers;
  for (unsigned r = 0; r < sources; ++r) {
    body += load + (reg + std::to_string(1 + r)) + ", [%rd4+" + std::to_string(256 * r) + "];\n";
  }
  const unsigned first_d = 1 + (wide ? a.registers + b.registers : sources);
  body += instruction + " " + list(reg, first_d, d.registers) + ", " + list(reg, 1, a.registers) +
          ", " + list(reg, 1 + a.registers, b.registers) + ", " +
          list(reg, 1 + a.registers + b.registers, c.registers) + ";\n";
  for (unsigned r = 0; r < d.registers; ++r) {
    body += (wide ? "st.global.f64 [%rd1+" : "st.global.b32 [%rd1+") + std::to_string(256 * r) +
            "], " + (reg + std::to_string(first_d + r)) + ";\n";
  }
  KernelRunner k_runner(kernel_text(body));
  for (unsigned i = 0; i < inputs.size(); ++i) k_runner.set_input(i, inputs[i]);
  k_runner.run();
  return d.unpack(k_runner, m, 8);
}

/// A format of A and B: bit patterns of small integers.
struct Source {
  unsigned bits;
  int low;
  int high;
  std::function<std::uint64_t(int)> encode;
};

std::uint64_t float_bits(double v) {
  const auto f = static_cast<float>(v);
  std::uint32_t b;
  std::memcpy(&b, &f, 4);
  return b;
}
std::uint64_t double_bits(double v) {
  std::uint64_t b;
  std::memcpy(&b, &v, 8);
  return b;
}
/// An integer of magnitude below 2^(fraction + 1) in a format with that many fraction bits.
std::uint64_t small_bits(int v, int fraction, int bias, int width) {
  if (v == 0) return 0;
  const int magnitude = std::abs(v);
  int exponent = 0;
  while (magnitude >> (exponent + 1) != 0) ++exponent;
  const int kept = magnitude << (fraction - exponent) & ((1 << fraction) - 1);
  return static_cast<std::uint64_t>((v < 0 ? 1 << (width - 1) : 0) | (exponent + bias) << fraction |
                                    kept);
}

const Source kF16{16, -9, 9, [](int v) { return small_bits(v, 10, 15, 16); }};
const Source kBf16{16, -9, 9, [](int v) { return small_bits(v, 7, 127, 16); }};
const Source kTf32{32, -9, 9, [](int v) { return float_bits(v); }};
const Source kE4m3{8, -8, 8, [](int v) { return small_bits(v, 3, 7, 8); }};
const Source kE5m2{8, -4, 4, [](int v) { return small_bits(v, 2, 15, 8); }};
const Source kS8{8, -128, 127, [](int v) { return static_cast<std::uint64_t>(v) & 0xff; }};
const Source kU8{8, 0, 255, [](int v) { return static_cast<std::uint64_t>(v); }};
const Source kS4{4, -8, 7, [](int v) { return static_cast<std::uint64_t>(v) & 15; }};
const Source kU4{4, 0, 15, [](int v) { return static_cast<std::uint64_t>(v); }};
const Source kF64{64, -9, 9, [](int v) { return double_bits(v); }};

const Source& source(const std::string& name) {
  static const std::map<std::string, Source> all = {
      {"f16", kF16}, {"bf16", kBf16}, {"tf32", kTf32}, {"e4m3", kE4m3}, {"e5m2", kE5m2},
      {"s8", kS8},   {"u8", kU8},     {"s4", kS4},     {"u4", kU4},     {"f64", kF64}};
  return all.at(name);
}
std::uint64_t encode(const std::string& type, int v) {
  if (type == "f32") return float_bits(v);
  if (type == "s32") return static_cast<std::uint32_t>(v);
  return source(type).encode(v);
}
unsigned bits_of(const std::string& type) {
  return type == "f32" || type == "s32" ? 32 : source(type).bits;
}

/// One instruction on random small integers, whose products and sums are exact.
void check(const Shape& shape, const std::string& d, const std::string& a, const std::string& b,
           const std::string& c, const std::string& more = {}) {
  std::mt19937 random(static_cast<unsigned>(shape.k) * 31 + static_cast<unsigned>(a[0]));
  const std::string text =
      "mma.sync.aligned." + shape.name + ".row.col" + more + "." + d + "." + a + "." + b + "." + c;
  INFO(text);
  const Source& x = source(a);
  const Source& y = source(b);
  const auto fill = [&](std::vector<int>& v, int low, int high) {
    std::uniform_int_distribution<int> between(low, high);
    for (int& e : v) e = between(random);
  };
  std::vector<int> av(shape.m * shape.k);
  std::vector<int> bv(shape.k * 8);
  std::vector<int> cv(shape.m * 8);
  fill(av, x.low, x.high);
  fill(bv, y.low, y.high);
  fill(cv, -20, 20);
  const auto encoded = [](const std::vector<int>& v, const std::string& type) {
    std::vector<std::uint64_t> out;
    for (const int e : v) out.push_back(encode(type, e));
    return out;
  };
  const Fragments fa(shape.m, shape.k, x.bits, shape.a);
  const Fragments fb(shape.k, 8, y.bits, shape.b);
  const Fragments fc(shape.m, 8, bits_of(c), shape.c);
  const Fragments fd(shape.m, 8, bits_of(d), shape.c);
  const auto got =
      run(text, fa, fb, fc, fd, encoded(av, a), shape.k, encoded(bv, b), encoded(cv, c), shape.m);
  for (unsigned i = 0; i < shape.m; ++i) {
    for (unsigned j = 0; j < 8; ++j) {
      int sum = cv[i * 8 + j];
      for (unsigned k = 0; k < shape.k; ++k) sum += av[i * shape.k + k] * bv[k * 8 + j];
      INFO("row " << i << ", column " << j);
      REQUIRE(got[i * 8 + j] == encode(d, sum));
    }
  }
}

std::string message(const std::string& body, tessera::Dim3 block = {32, 1, 1}) {
  KernelRunner k(kernel_text(body));
  try {
    k.run(block);
  } catch (const RunError& e) {
    return e.what();
  }
  return "ran";
}

}  // namespace

TEST_CASE("mma of floating-point types computes every shape in the manual's fragments") {
  for (const unsigned k : {8u, 16u}) {
    check(halves(k), "f32", "f16", "f16", "f32");
    check(halves(k), "f16", "f16", "f16", "f16");
    check(halves(k), "f32", "bf16", "bf16", "f32");
  }
  for (const unsigned k : {4u, 8u}) check(words(16, k), "f32", "tf32", "tf32", "f32");
  for (const unsigned k : {16u, 32u}) {
    check(packed(16, k, 4), "f32", "e4m3", "e5m2", "f32");
    check(packed(16, k, 4), "f32", "e5m2", "e4m3", "f32");
    check(packed(16, k, 4), "f16", "e4m3", "e4m3", "f16");
  }
  check(packed(16, 32, 4), "f32", "e4m3", "e5m2", "f32", ".kind::f8f6f4");
  check(words(8, 4), "f64", "f64", "f64", "f64");
  for (const unsigned k : {4u, 8u, 16u}) check(words(16, k), "f64", "f64", "f64", "f64");
}

TEST_CASE("mma of integers computes every shape in the manual's fragments") {
  for (const std::string more : {"", ".satfinite"}) {
    check(packed(8, 16, 4), "s32", "s8", "u8", "s32", more);
    check(packed(16, 16, 4), "s32", "u8", "s8", "s32", more);
    check(packed(16, 32, 4), "s32", "s8", "s8", "s32", more);
    check(packed(16, 32, 4), "s32", "u8", "u8", "s32", more);
    check(packed(8, 32, 8), "s32", "s4", "u4", "s32", more);
    check(packed(16, 32, 8), "s32", "u4", "s4", "s32", more);
    check(packed(16, 64, 8), "s32", "s4", "s4", "s32", more);
  }
}

TEST_CASE("mma of integers saturates with .satfinite and wraps without") {
  const Shape shape = packed(16, 32, 4);
  const Fragments factors(16, 32, 8, shape.a);
  const Fragments columns(32, 8, 8, shape.b);
  const Fragments sums(16, 8, 32, shape.c);
  const std::vector<std::uint64_t> a(16 * 32, 127);
  const std::vector<std::uint64_t> b(32 * 8, 127);
  const std::vector<std::uint64_t> c(16 * 8, 0x7fffffff - 100);
  const std::string stem = "mma.sync.aligned.m16n8k32.row.col";
  const auto clamped =
      run(stem + ".satfinite.s32.s8.s8.s32", factors, columns, sums, sums, a, 32, b, c, 16);
  const auto wrapped = run(stem + ".s32.s8.s8.s32", factors, columns, sums, sums, a, 32, b, c, 16);
  for (unsigned i = 0; i < 128; ++i) {
    REQUIRE(clamped[i] == 0x7fffffff);
    REQUIRE(wrapped[i] == 0x7fffffffu - 100 + 32 * 127 * 127);
  }
}

TEST_CASE("mma of bits counts the ones of rows combined with columns") {
  std::mt19937 random(9);
  for (const auto& [m, k] : {std::pair{8u, 128u}, {16u, 128u}, {16u, 256u}}) {
    const Shape shape = packed(m, k, 32);
    std::vector<std::uint64_t> a(m * k);
    std::vector<std::uint64_t> b(k * 8);
    std::vector<std::uint64_t> c(m * 8);
    for (auto& v : a) v = random() & 1;
    for (auto& v : b) v = random() & 1;
    for (auto& v : c) v = random() % 1000;
    for (const bool exclusive : {false, true}) {
      const std::string text = "mma.sync.aligned." + shape.name + ".row.col.s32.b1.b1.s32." +
                               (exclusive ? "xor" : "and") + ".popc";
      INFO(text);
      const Fragments sums(m, 8, 32, shape.c);
      const auto got = run(text, Fragments(m, k, 1, shape.a), Fragments(k, 8, 1, shape.b), sums,
                           sums, a, k, b, c, m);
      for (unsigned i = 0; i < m; ++i) {
        for (unsigned j = 0; j < 8; ++j) {
          std::uint64_t sum = c[i * 8 + j];
          for (unsigned n = 0; n < k; ++n) {
            const std::uint64_t x = a[i * k + n];
            const std::uint64_t y = b[n * 8 + j];
            sum += exclusive ? x ^ y : x & y;
          }
          REQUIRE(got[i * 8 + j] == sum);
        }
      }
    }
  }
}

TEST_CASE("mma.m8n8k4 of halves computes four products in the manual's fragments") {
  std::mt19937 random(4);
  for (unsigned form = 0; form < 16; ++form) {
    const bool a_row = (form & 1) != 0;
    const bool b_row = (form & 2) != 0;
    const bool d_half = (form & 4) != 0;
    const bool c_half = (form & 8) != 0;
    std::array<std::array<int, 32>, 4> a;
    std::array<std::array<int, 32>, 4> b;
    std::array<std::array<int, 64>, 4> c;
    const auto fill = [&](auto& all) {
      for (auto& one : all) {
        for (int& v : one) v = static_cast<int>(random() % 15) - 7;
      }
    };
    fill(a);
    fill(b);
    fill(c);
    // Inputs: registers 0 and 1 of A, 2 and 3 of B, then those of C, each for all lanes.
    const auto c_place = [](bool half, unsigned lane, unsigned i) {
      const unsigned low = lane < 16 ? 0 : 4;
      if (half) return Place{lane % 4 + low, i};
      return Place{low + (lane & 1) + (i & 2), (i & 4) + (lane & 2) + (i & 1)};
    };
    const unsigned c_registers = c_half ? 4 : 8;
    const unsigned d_registers = d_half ? 4 : 8;
    std::vector<std::uint64_t> in(32 * (4 + c_registers));
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned q = lane % 16 / 4;
      const unsigned low = lane < 16 ? 0 : 4;
      for (unsigned i = 0; i < 4; ++i) {
        const Place ap = a_row ? Place{lane % 4 + low, i} : Place{i % 4 + low, lane % 4};
        const Place bp = b_row ? Place{lane % 4, i + low} : Place{i, lane % 4 + low};
        in[i / 2 * 32 + lane] |= kF16.encode(a[q][ap.row * 4 + ap.column]) << (16 * (i % 2));
        in[(2 + i / 2) * 32 + lane] |= kF16.encode(b[q][bp.row * 8 + bp.column]) << (16 * (i % 2));
      }
      for (unsigned i = 0; i < 8; ++i) {
        const Place p = c_place(c_half, lane, i);
        const int v = c[q][p.row * 8 + p.column];
        if (c_half) {
          in[(4 + i / 2) * 32 + lane] |= kF16.encode(v) << (16 * (i % 2));
        } else {
          in[(4 + i) * 32 + lane] = float_bits(v);
        }
      }
    }
    std::string body = "mul.wide.u32 %rd4, %r0, 8;\nadd.u64 %rd4, %rd4, %rd2;\n";
    for (unsigned r = 0; r < 4 + c_registers; ++r) {
      body += "ld.global.b32 %r" + std::to_string(1 + r) + ", [%rd4+" + std::to_string(256 * r) +
              "];\n";
    }
    body += std::string("mma.sync.aligned.m8n8k4.") + (a_row ? "row." : "col.") +
            (b_row ? "row." : "col.") + (d_half ? "f16" : "f32") + ".f16.f16." +
            (c_half ? "f16 " : "f32 ") + list("%r", 13, d_registers) + ", " + list("%r", 1, 2) +
            ", " + list("%r", 3, 2) + ", " + list("%r", 5, c_registers) + ";\n";
    for (unsigned r = 0; r < d_registers; ++r) {
      body += "st.global.b32 [%rd1+" + std::to_string(256 * r) + "], %r" + std::to_string(13 + r) +
              ";\n";
    }
    INFO(body);
    KernelRunner k(kernel_text(body));
    for (unsigned i = 0; i < in.size(); ++i) k.set_input(i, in[i]);
    k.run();
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned q = lane % 16 / 4;
      for (unsigned i = 0; i < 8; ++i) {
        const Place p = c_place(d_half, lane, i);
        int sum = c[q][p.row * 8 + p.column];
        for (unsigned n = 0; n < 4; ++n) sum += a[q][p.row * 4 + n] * b[q][n * 8 + p.column];
        const std::uint32_t got = k.result<std::uint32_t>((d_half ? i / 2 : i) * 32 + lane);
        const std::uint64_t want = d_half ? kF16.encode(sum) : float_bits(sum);
        REQUIRE((d_half ? got >> (16 * (i % 2)) & 0xffffu : got) == want);
      }
    }
  }
}

TEST_CASE("mma adds the products to C in ascending k, each sum rounded to single precision") {
  // Row i of A holds large and small halves, so that the order of the sums matters.
  const Shape shape = halves(16);
  std::mt19937 random(12);
  std::vector<std::uint64_t> a(256);
  std::vector<std::uint64_t> b(128);
  std::vector<std::uint64_t> c(128);
  const auto half = [&] {  // normal halves of all exponents
    return (random() & 0x8000u) | (1 + random() % 30) << 10 | (random() & 0x3ffu);
  };
  for (auto& v : a) v = half();
  for (auto& v : b) v = half();
  for (auto& v : c) v = float_bits(std::ldexp(static_cast<double>(random()), -20));
  const Fragments sums(16, 8, 32, shape.c);
  const auto got =
      run("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Fragments(16, 16, 16, shape.a),
          Fragments(16, 8, 16, shape.b), sums, sums, a, 16, b, c, 16);
  const auto value = [](std::uint64_t h) {
    const double magnitude =
        std::ldexp(1024.0 + static_cast<double>(h & 0x3ff), static_cast<int>(h >> 10 & 31) - 25);
    return static_cast<float>((h & 0x8000) != 0 ? -magnitude : magnitude);
  };
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; j < 8; ++j) {
      const auto bits = static_cast<std::uint32_t>(c[i * 8 + j]);
      float sum;
      std::memcpy(&sum, &bits, 4);
      for (unsigned n = 0; n < 16; ++n) {
        const double product = double{value(a[i * 16 + n])} * value(b[n * 8 + j]);
        sum =
            static_cast<float>(double{sum} + product);  // the product is exact in single precision
      }
      REQUIRE(got[i * 8 + j] == float_bits(sum));
    }
  }
}

TEST_CASE("mma ignores the lower 13 bits of a tf32 operand") {
  const Shape shape = words(16, 8);
  const Fragments sums(16, 8, 32, shape.c);
  const std::vector<std::uint64_t> a(128, float_bits(1.0) | 0x1fff);
  const std::vector<std::uint64_t> b(64, float_bits(3.0) | 0x1fff);
  const std::vector<std::uint64_t> c(128, float_bits(0.5));
  const auto got =
      run("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", Fragments(16, 8, 32, shape.a),
          Fragments(8, 8, 32, shape.b), sums, sums, a, 8, b, c, 16);
  for (const std::uint64_t v : got) REQUIRE(v == float_bits(24.5));
}

TEST_CASE("mma takes issue slots by the published ratios of the rates") {
  const auto slots = [](const std::string& body) {
    KernelRunner k(kernel_text(body));
    const auto program = k.program({1, 1, 1}, {32, 1, 1});
    const auto cta = program->start_cta(tessera::CtaId(0));
    tessera::IssueResult result;
    while (cta->warp(0).next().unit != tessera::Unit::kSfu) cta->warp(0).issue({}, result);
    return unsigned{cta->warp(0).next().cost};
  };
  const std::string start = "mma.sync.aligned.";
  const std::string f4 = "{%f1, %f2, %f3, %f4}";
  const std::string r4 = "{%r1, %r2, %r3, %r4}";
  CHECK(slots(start + "m16n8k8.row.col.f32.f16.f16.f32 " + f4 + ", {%r1, %r2}, {%r3}, " + f4 +
              ";") == 1);
  CHECK(slots(start + "m16n8k16.row.col.f32.bf16.bf16.f32 " + f4 + ", " + r4 + ", {%r5, %r6}, " +
              f4 + ";") == 2);
  CHECK(slots(start + "m16n8k8.row.col.f32.tf32.tf32.f32 " + f4 + ", " + r4 + ", {%r5, %r6}, " +
              f4 + ";") == 2);
  CHECK(slots(start + "m16n8k32.row.col.s32.s8.s8.s32 " + r4 + ", " + r4 + ", {%r5, %r6}, " + r4 +
              ";") == 2);
  CHECK(slots(start + "m16n8k32.row.col.f32.e4m3.e4m3.f32 " + f4 + ", " + r4 + ", {%r5, %r6}, " +
              f4 + ";") == 2);
  CHECK(slots(start +
              "m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};") == 4);
}

TEST_CASE("mma needs the whole warp") {
  const std::string mma =
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, "
      "{%f1, %f2, %f3, %f4};";
  CHECK(message(mma) == "ran");
  CHECK_THAT(message(mma, {31, 1, 1}), Catch::Contains("it needs all 32 together"));
  CHECK_THAT(message("setp.lt.u32 %p1, %r0, 16;\n@%p1 " + mma),
             Catch::Contains("16 lanes of the warp execute it"));
}

}  // namespace tessera::mma_test
