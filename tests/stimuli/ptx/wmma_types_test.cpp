// SPDX-License-Identifier: Apache-2.0
// wmma of tf32, f64, 4-bit integers and bits (PTX ISA 9.7.14) against a plain triple loop over the
// matrices in memory. Small integers are exact in every type.

#include <catch2/catch.hpp>
#include <random>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::wmma_types_test {

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

struct Form {
  std::string type;         ///< of A and B
  std::string accumulator;  ///< of C and D
  std::string shape;
  unsigned m;
  unsigned n;
  unsigned k;
  unsigned bits;  ///< of an element of A and B
  int low;
  int high;
  bool a_row = true;
  bool b_row = false;
  bool c_row = true;
  bool d_row = true;
  std::string before = {};  ///< modifiers of wmma.mma behind its name
  std::string after = {};   ///< and at its end
};

constexpr unsigned kB = 4096;  ///< places in the input, bytes
constexpr unsigned kC = 8192;

const char* layout(bool by_rows) { return by_rows ? "row" : "col"; }

/// Elements from one line to the next: longer than a line, a multiple of 16 bytes.
unsigned stride(bool by_rows, unsigned rows, unsigned columns, unsigned bits) {
  return (by_rows ? columns : rows) + 256 / bits;
}

std::uint64_t encode(const std::string& type, int v) {
  std::uint64_t bits = 0;
  if (type == "f32" || type == "tf32") {
    const auto f = static_cast<float>(v);
    std::memcpy(&bits, &f, 4);
  } else if (type == "f64") {
    const auto d = static_cast<double>(v);
    std::memcpy(&bits, &d, 8);
  } else {
    bits = static_cast<std::uint64_t>(v);
  }
  return bits;
}

/// A matrix in memory, by bits.
struct Memory {
  KernelRunner& k;
  tessera::Address base;
  bool by_rows;
  unsigned rows;
  unsigned columns;
  unsigned bits;

  std::uint64_t bit(unsigned r, unsigned c) const {
    const unsigned line = stride(by_rows, rows, columns, bits);
    return std::uint64_t{by_rows ? r * line + c : c * line + r} * bits;
  }
  void put(unsigned r, unsigned c, std::uint64_t v) const {
    const std::uint64_t at = bit(r, c);
    if (bits >= 8) {
      std::memcpy(k.memory.at(base + at / 8), &v, bits / 8);
      return;
    }
    auto* byte = reinterpret_cast<unsigned char*>(k.memory.at(base + at / 8));
    const auto mask = static_cast<unsigned>(((1u << bits) - 1) << at % 8);
    *byte = static_cast<unsigned char>((*byte & ~mask) | (v << at % 8 & mask));
  }
  std::uint64_t get(unsigned r, unsigned c) const {
    std::uint64_t v = 0;
    std::memcpy(&v, k.memory.at(base + bit(r, c) / 8), bits / 8);
    return v;
  }
};

std::string registers(const char* prefix, unsigned first, unsigned count) {
  std::string s = "{";
  for (unsigned i = 0; i < count; ++i) s += (i ? ", " : "") + (prefix + std::to_string(first + i));
  return s + "}";
}

void check(const Form& f, unsigned seed) {
  const bool wide = f.bits == 64;
  const unsigned c_bits = wide ? 64 : 32;
  const unsigned width = wide ? 64 : 32;  // of a register
  const char* reg = wide ? "%fd" : "%r";
  const unsigned a = f.m * f.k * f.bits / width / 32;
  const unsigned b = f.n * f.k * f.bits / width / 32;
  const unsigned c = f.m * f.n * c_bits / width / 32;
  const std::string sync = ".sync.aligned.";
  const std::string ar = registers(reg, 1, a);
  const std::string br = registers(reg, 1 + a, b);
  const std::string cr = registers(reg, 1 + a + b, c);
  const auto lines = [](bool by_rows, unsigned rows, unsigned columns, unsigned bits) {
    return std::to_string(stride(by_rows, rows, columns, bits));
  };
  // D replaces C.
  const std::string text =
      "wmma.load.a" + sync + layout(f.a_row) + "." + f.shape + ".global." + f.type + " " + ar +
      ", [%rd2], " + lines(f.a_row, f.m, f.k, f.bits) + ";\nwmma.load.b" + sync + layout(f.b_row) +
      "." + f.shape + ".global." + f.type + " " + br + ", [%rd2+4096], " +
      lines(f.b_row, f.k, f.n, f.bits) + ";\nwmma.load.c" + sync + layout(f.c_row) + "." + f.shape +
      ".global." + f.accumulator + " " + cr + ", [%rd2+8192], " + lines(f.c_row, f.m, f.n, c_bits) +
      ";\nwmma.mma" + f.before + sync + layout(f.a_row) + "." + layout(f.b_row) + "." + f.shape +
      "." + f.accumulator + "." + f.type + "." + f.type + "." + f.accumulator + f.after + " " + cr +
      ", " + ar + ", " + br + ", " + cr + ";\nwmma.store.d" + sync + layout(f.d_row) + "." +
      f.shape + ".global." + f.accumulator + " [%rd0], " + cr + ", " +
      lines(f.d_row, f.m, f.n, c_bits) + ";\n";
  INFO(text);
  KernelRunner k(kernel_text(text));
  std::mt19937 random(seed);
  const auto fill = [&](std::vector<int>& v, const Memory& to, const std::string& type, int low,
                        int high) {
    std::uniform_int_distribution<int> between(low, high);
    for (unsigned r = 0; r < to.rows; ++r) {
      for (unsigned col = 0; col < to.columns; ++col) {
        v[r * to.columns + col] = between(random);
        to.put(r, col, encode(type, v[r * to.columns + col]));
      }
    }
  };
  std::vector<int> av(f.m * f.k);
  std::vector<int> bv(f.k * f.n);
  std::vector<int> cv(f.m * f.n);
  fill(av, {k, k.in, f.a_row, f.m, f.k, f.bits}, f.type, f.low, f.high);
  fill(bv, {k, k.in + kB, f.b_row, f.k, f.n, f.bits}, f.type, f.low, f.high);
  fill(cv, {k, k.in + kC, f.c_row, f.m, f.n, c_bits}, f.accumulator, -50, 50);
  k.run();
  const Memory d{k, k.out, f.d_row, f.m, f.n, c_bits};
  const std::uint64_t keep = c_bits == 64 ? ~std::uint64_t{0} : 0xffffffffu;
  for (unsigned i = 0; i < f.m; ++i) {
    for (unsigned j = 0; j < f.n; ++j) {
      int sum = cv[i * f.n + j];
      for (unsigned n = 0; n < f.k; ++n) {
        const int x = av[i * f.k + n];
        const int y = bv[n * f.n + j];
        sum += f.before == ".xor.popc" ? x ^ y : x * y;  // of bits, the product is the conjunction
      }
      INFO("row " << i << ", column " << j);
      REQUIRE(d.get(i, j) == (encode(f.accumulator, sum) & keep));
    }
  }
}

}  // namespace

TEST_CASE("wmma of tf32 and of f64 multiplies and adds in every layout") {
  unsigned seed = 1;
  for (unsigned bits = 0; bits < 16; ++bits) {
    for (Form f : {Form{"tf32", "f32", "m16n16k8", 16, 16, 8, 32, -9, 9},
                   Form{"f64", "f64", "m8n8k4", 8, 8, 4, 64, -9, 9}}) {
      f.a_row = (bits & 1) != 0;
      f.b_row = (bits & 2) != 0;
      f.c_row = (bits & 4) != 0;
      f.d_row = (bits & 8) != 0;
      if (f.bits == 64 && seed % 4 == 0) f.after = ".rn";
      check(f, seed++);
    }
  }
}

TEST_CASE("wmma of 4-bit integers and of bits multiplies and adds") {
  unsigned seed = 1;
  for (const bool rows : {false, true}) {
    for (Form f : {Form{"s4", "s32", "m8n8k32", 8, 8, 32, 4, -8, 7},
                   Form{"u4", "s32", "m8n8k32", 8, 8, 32, 4, 0, 15},
                   Form{"b1", "s32", "m8n8k128", 8, 8, 128, 1, 0, 1},
                   Form{"b1", "s32", "m8n8k128", 8, 8, 128, 1, 0, 1}}) {
      f.c_row = rows;
      f.d_row = !rows;
      if (f.bits == 1) f.before = seed % 2 == 0 ? ".xor.popc" : ".and.popc";
      if (f.bits == 4 && rows) f.after = ".satfinite";
      check(f, seed++);
    }
  }
}

}  // namespace tessera::wmma_types_test
