// SPDX-License-Identifier: Apache-2.0
// Single instructions against independent host computations, with edge values.

#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/stimuli/ptx/kernel_runner.h"

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

template <class T>
T from_bits(std::uint64_t bits) {
  T v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
template <class T>
std::uint64_t bits_of(T v) {
  std::uint64_t b = 0;
  std::memcpy(&b, &v, sizeof v);
  return b;
}

const std::vector<std::uint64_t> kWords = {
    0,          1,          2,          3,           5,           31,         32,        33,
    63,         64,         65,         255,         0x7fff,      0x8000,     0xffff,    0x10000,
    0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe,  0xffffffff,  0x12345678, 0xdeadbeef, 100,
    0x00ff00ff, 7,          0xfffffff9, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
    0xffffffffffffffff, 0x123456789abcdef0};

const std::vector<std::uint64_t> kFloats = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40490fdb, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc12345, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800000, 0x00000001, 0x807fffff, 0x00400000,
    0x3f7fffff, 0x3f800001, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf800000, 0x3f000000,
    0xbf000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4b000001, 0x7e967699, 0x0da24260, 0x501502f9};

const std::vector<std::uint64_t> kDoubles = [] {
  std::vector<std::uint64_t> v;
  for (const std::uint64_t f : kFloats) v.push_back(bits_of(double{from_bits<float>(f)}));
  v[9] = bits_of(std::numeric_limits<double>::max());
  v[11] = bits_of(std::numeric_limits<double>::min());
  v[13] = bits_of(std::numeric_limits<double>::denorm_min());
  v[16] = 0x3fefffffffffffffu;
  v[28] = bits_of(4503599627370497.5);
  v[29] = bits_of(1e300);
  v[30] = bits_of(1e-300);
  return v;
}();

/// Runs `op` on all pairs of the values, 32 pairs a warp; loads are of `type`, the result is
/// stored as `to`. Registers: a = %r1/%rd4/%f1/%fd1 by type.
struct Registers {
  const char* a;
  const char* b;
  const char* c;
  const char* d;
};
Registers registers_of(const std::string& type) {
  if (type == "f32") return {"%f1", "%f2", "%f3", "%f4"};
  if (type == "f64") return {"%fd1", "%fd2", "%fd3", "%fd4"};
  if (type == "b64" || type == "u64" || type == "s64") return {"%rd4", "%rd5", "%rd6", "%rd7"};
  if (type == "b16" || type == "u16" || type == "s16" || type == "f16") {
    return {"%rs1", "%rs2", "%rs3", "%rs4"};
  }
  return {"%r1", "%r2", "%r3", "%r4"};
}
std::string storage(const std::string& type) { return type == "f16" ? "b16" : type; }

using Reference = std::function<std::uint64_t(std::uint64_t, std::uint64_t, std::uint64_t)>;

/// Checks an instruction of `sources` operands (the third is a rotated copy of the values).
void check(const std::string& instruction, const std::string& to, const std::string& from,
           const std::string& from_b, unsigned sources, const std::vector<std::uint64_t>& values,
           const Reference& reference, std::uint64_t keep, const std::string& from_c = {}) {
  const auto n = static_cast<unsigned>(values.size());
  const Registers a = registers_of(from);
  const Registers b = registers_of(from_b);
  const Registers c = registers_of(from_c.empty() ? from : from_c);
  const Registers d = registers_of(to);
  std::string body =
      "mov.u64 %rd8, %rd2;\nmul.wide.u32 %rd9, %r0, 24;\nadd.u64 %rd8, %rd8, %rd9;\n";
  body += "ld.global." + storage(from) + " " + a.a + ", [%rd8];\n";
  if (sources > 1) body += "ld.global." + storage(from_b) + " " + b.b + ", [%rd8+8];\n";
  if (sources > 2) {
    body += "ld.global." + storage(from_c.empty() ? from : from_c) + " " + c.c + ", [%rd8+16];\n";
  }
  body += instruction + " " + d.d + ", " + a.a;
  if (sources > 1) body += std::string(", ") + b.b;
  if (sources > 2) body += std::string(", ") + c.c;
  body += ";\nst.global." + storage(to) + " [%rd1], " + d.d + ";\n";
  KernelRunner k(kernel_text(body));
  unsigned i = 0;
  std::vector<std::array<std::uint64_t, 3>> cases;
  for (unsigned x = 0; x < n; ++x) {
    for (unsigned y = 0; y < (sources > 1 ? n : 1); ++y) {
      cases.push_back({values[x], values[y], values[(x * 7 + y * 3 + 1) % n]});
    }
  }
  for (const auto& one : cases) {
    for (unsigned s = 0; s < 3; ++s) k.set_input(3 * i + s, one[s]);
    ++i;
  }
  k.run({32, 1, 1}, {(i + 31) / 32, 1, 1});
  for (unsigned j = 0; j < i; ++j) {
    const std::uint64_t got = k.result<std::uint64_t>(j) & keep;
    const std::uint64_t want = reference(cases[j][0], cases[j][1], cases[j][2]) & keep;
    if (got != want) {
      INFO(instruction << " of " << std::hex << cases[j][0] << ", " << cases[j][1] << ", "
                       << cases[j][2]);
      REQUIRE(got == want);
    }
  }
  SUCCEED();
}

constexpr std::uint64_t kLow32 = 0xffffffffu;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

template <class T>
void check_integer(const std::string& op, const std::string& type,
                   const std::function<T(T, T, T)>& f, unsigned sources = 2) {
  check(op + "." + type, type, type, type, sources, kWords,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          return static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(
              f(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c))));
        },
        sizeof(T) == 8 ? kAll : sizeof(T) == 4 ? kLow32 : 0xffffu);
}

/// Arithmetic in 128 bits, then truncated: an independent way to the wrapped result.
template <class T>
void check_arithmetic(const std::string& type) {
  using Wide = __int128;
  const unsigned bits = 8 * sizeof(T);
  check_integer<T>("add", type, [](T a, T b, T) { return static_cast<T>(Wide{a} + b); });
  check_integer<T>("sub", type, [](T a, T b, T) { return static_cast<T>(Wide{a} - b); });
  check_integer<T>("min", type, [](T a, T b, T) { return std::min(a, b); });
  check_integer<T>("max", type, [](T a, T b, T) { return std::max(a, b); });
  check_integer<T>("mul.lo", type, [](T a, T b, T) {
    return static_cast<T>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
  });
  check_integer<T>("mad.lo", type, [](T a, T b, T c) {
    return static_cast<T>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b) +
                          static_cast<unsigned __int128>(c));
  }, 3);
  check_integer<T>("mul.hi", type, [=](T a, T b, T) {
    if (std::is_signed_v<T>) return static_cast<T>((Wide{a} * b) >> bits);
    return static_cast<T>((static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)) >>
                          bits);
  });
  check_integer<T>("div", type, [](T a, T b, T) {
    if (b == 0) return static_cast<T>(-1);
    return static_cast<T>(Wide{a} / b);
  });
  check_integer<T>("rem", type, [](T a, T b, T) {
    if (b == 0) return a;
    return static_cast<T>(Wide{a} % b);
  });
  check_integer<T>("sad", type, [](T a, T b, T c) {
    const Wide distance = a < b ? Wide{b} - a : Wide{a} - b;
    return static_cast<T>(static_cast<unsigned __int128>(distance) +
                          static_cast<unsigned __int128>(c));
  }, 3);
}

float flushed(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }
std::uint64_t settled(float v) { return std::isnan(v) ? 0x7fffffffu : bits_of(v); }
std::uint64_t settled(double v) { return std::isnan(v) ? 0xfff8000000000000u : bits_of(v); }

void check_f32(const std::string& op, unsigned sources,
               const std::function<float(float, float, float)>& f) {
  check(op, "f32", "f32", "f32", sources, kFloats,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          return settled(f(from_bits<float>(a), from_bits<float>(b), from_bits<float>(c)));
        },
        kLow32);
}
void check_f64(const std::string& op, unsigned sources,
               const std::function<double(double, double, double)>& f) {
  check(op, "f64", "f64", "f64", sources, kDoubles,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          return settled(f(from_bits<double>(a), from_bits<double>(b), from_bits<double>(c)));
        },
        kAll);
}

}  // namespace

TEST_CASE("integer arithmetic wraps and divides as the ISA says") {
  check_arithmetic<std::uint16_t>("u16");
  check_arithmetic<std::int16_t>("s16");
  check_arithmetic<std::uint32_t>("u32");
  check_arithmetic<std::int32_t>("s32");
  check_arithmetic<std::uint64_t>("u64");
  check_arithmetic<std::int64_t>("s64");
}

TEST_CASE("widening products keep all bits") {
  check("mul.wide.s32", "s64", "s32", "s32", 2, kWords,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} *
                                            static_cast<std::int32_t>(b));
        },
        kAll);
  check("mul.wide.u32", "u64", "u32", "u32", 2, kWords,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return (a & kLow32) * (b & kLow32); },
        kAll);
  check("mad.wide.s32", "s64", "s32", "s32", 3, kWords,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} *
                                            static_cast<std::int32_t>(b)) + c;
        },
        kAll, "s64");
  check("mul.wide.s16", "s32", "s16", "s16", 2, kWords,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          return static_cast<std::uint64_t>(
              std::int64_t{static_cast<std::int16_t>(a)} * static_cast<std::int16_t>(b));
        },
        kLow32);
}

TEST_CASE("shifts beyond the width clamp") {
  const auto amount = [](std::uint64_t b) { return b & kLow32; };
  check("shl.b32", "b32", "b32", "b32", 2, kWords,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          return amount(b) > 31 ? 0 : a << amount(b);
        },
        kLow32);
  check("shl.b64", "b64", "b64", "b32", 2, kWords,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          return amount(b) > 63 ? 0 : a << amount(b);
        },
        kAll);
  check("shr.u32", "u32", "u32", "b32", 2, kWords,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          return amount(b) > 31 ? 0 : (a & kLow32) >> amount(b);
        },
        kLow32);
  check("shr.s32", "s32", "s32", "b32", 2, kWords,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          const auto n = std::min<std::uint64_t>(amount(b), 31);
          return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} >> n);
        },
        kLow32);
  check("shr.s64", "s64", "s64", "b32", 2, kWords,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          const auto n = std::min<std::uint64_t>(amount(b), 63);
          return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> n);
        },
        kAll);
  check("shl.b16", "b16", "b16", "b32", 2, kWords,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          return amount(b) > 15 ? 0 : a << amount(b);
        },
        0xffff);
  check("shr.s16", "s16", "s16", "b32", 2, kWords,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          const auto n = std::min<std::uint64_t>(amount(b), 15);
          return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(a)} >> n);
        },
        0xffff);
  check("shf.l.wrap.b32", "b32", "b32", "b32", 3, kWords,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          const unsigned n = c & 31;
          return n == 0 ? b : (b << n) | ((a & kLow32) >> (32 - n));
        },
        kLow32);
  check("shf.r.clamp.b32", "b32", "b32", "b32", 3, kWords,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          const auto n = static_cast<unsigned>(std::min<std::uint64_t>(c & kLow32, 32));
          return n == 0 ? a : n == 32 ? b : ((a & kLow32) >> n) | (b << (32 - n));
        },
        kLow32);
}

TEST_CASE("bit instructions") {
  const auto unary = [](const std::string& op, const std::string& to, const std::string& from,
                        const std::function<std::uint64_t(std::uint64_t)>& f) {
    check(op, to, from, from, 1, kWords,
          [&](std::uint64_t a, std::uint64_t, std::uint64_t) { return f(a); },
          to == "b64" ? kAll : kLow32);
  };
  const auto count = [](std::uint64_t a) {
    unsigned n = 0;
    for (; a != 0; a >>= 1) n += a & 1;
    return std::uint64_t{n};
  };
  unary("popc.b32", "u32", "b32", [&](std::uint64_t a) { return count(a & kLow32); });
  unary("popc.b64", "u32", "b64", count);
  const auto highest = [](std::uint64_t a) {  // -1 when there is none
    int p = -1;
    for (int i = 0; i < 64; ++i) p = (a >> i & 1) != 0 ? i : p;
    return p;
  };
  unary("clz.b32", "u32", "b32",
        [&](std::uint64_t a) { return static_cast<std::uint64_t>(31 - highest(a & kLow32)); });
  unary("clz.b64", "u32", "b64",
        [&](std::uint64_t a) { return static_cast<std::uint64_t>(63 - highest(a)); });
  unary("bfind.u32", "u32", "u32",
        [&](std::uint64_t a) { return static_cast<std::uint64_t>(highest(a & kLow32)); });
  unary("bfind.s32", "u32", "s32", [&](std::uint64_t a) {
    const auto v = static_cast<std::int32_t>(a);
    return static_cast<std::uint64_t>(highest(static_cast<std::uint32_t>(v < 0 ? ~v : v)));
  });
  unary("bfind.shiftamt.u64", "u32", "u64", [&](std::uint64_t a) {
    return a == 0 ? kLow32 : static_cast<std::uint64_t>(63 - highest(a));
  });
  unary("brev.b32", "b32", "b32", [](std::uint64_t a) {
    std::uint64_t r = 0;
    for (int i = 0; i < 32; ++i) r |= (a >> i & 1) << (31 - i);
    return r;
  });
  unary("cnot.b32", "b32", "b32", [](std::uint64_t a) {
    return std::uint64_t{(a & kLow32) == 0 ? 1u : 0u};
  });
  // Bit by bit, as the ISA's pseudo code defines the fields.
  const auto bfe = [](std::uint64_t a, unsigned pos, unsigned len, unsigned width, bool is_signed) {
    const unsigned msb = width - 1;
    bool sign = false;
    if (is_signed && len > 0) sign = (a >> std::min(pos + len - 1, msb) & 1) != 0;
    std::uint64_t d = 0;
    for (unsigned i = 0; i <= msb; ++i) {
      const bool bit = i < len && pos + i <= msb ? (a >> (pos + i) & 1) != 0 : sign;
      d |= std::uint64_t{bit} << i;
    }
    return d;
  };
  for (const bool is_signed : {false, true}) {
    check(is_signed ? "bfe.s32" : "bfe.u32", "u32", "u32", "u32", 3, kWords,
          [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
            return bfe(a, b & 0xff, c & 0xff, 32, is_signed);
          },
          kLow32);
  }
  check("bfe.s64", "s64", "s64", "u32", 3, kWords,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          return bfe(a, b & 0xff, c & 0xff, 64, true);
        },
        kAll, "u32");
  check("prmt.b32", "b32", "b32", "b32", 3, kWords,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          std::uint64_t d = 0;
          for (unsigned i = 0; i < 4; ++i) {
            const unsigned s = c >> (4 * i) & 0xf;
            std::uint64_t byte = ((s & 4) != 0 ? b : a) >> (8 * (s & 3)) & 0xff;
            if ((s & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
            d |= byte << (8 * i);
          }
          return d;
        },
        kLow32);
  check("dp4a.s32.u32", "s32", "s32", "u32", 3, kWords,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          std::int64_t d = static_cast<std::int32_t>(c);
          for (unsigned i = 0; i < 32; i += 8) {
            d += static_cast<std::int8_t>(a >> i) * static_cast<std::uint8_t>(b >> i);
          }
          return static_cast<std::uint64_t>(d);
        },
        kLow32);
}

TEST_CASE("lop3 follows its truth table") {
  for (const unsigned table : {0x00u, 0xe8u, 0x96u, 0xcau, 0x80u, 0xfeu, 0x1bu, 0xffu}) {
    const std::string body =
        "mul.wide.u32 %rd9, %r0, 24;\nadd.u64 %rd8, %rd2, %rd9;\n"
        "ld.global.u32 %r1, [%rd8];\nld.global.u32 %r2, [%rd8+8];\nld.global.u32 %r3, [%rd8+16];\n"
        "lop3.b32 %r4, %r1, %r2, %r3, " + std::to_string(table) + ";\nst.global.u32 [%rd1], %r4;\n";
    KernelRunner k(kernel_text(body));
    std::mt19937 random(table);
    std::vector<std::uint32_t> in(96);
    for (unsigned i = 0; i < 96; ++i) k.set_input<std::uint64_t>(i, in[i] = random());
    k.run();
    for (unsigned i = 0; i < 32; ++i) {
      std::uint32_t want = 0;
      for (unsigned b = 0; b < 32; ++b) {
        const unsigned row = (in[3 * i] >> b & 1) * 4 + (in[3 * i + 1] >> b & 1) * 2 +
                             (in[3 * i + 2] >> b & 1);
        want |= (table >> row & 1u) << b;
      }
      REQUIRE(k.result<std::uint32_t>(i) == want);
    }
  }
}

TEST_CASE("carries chain through the flag") {
  const std::string body =
      "mul.wide.u32 %rd9, %r0, 24;\nadd.u64 %rd8, %rd2, %rd9;\n"
      "ld.global.v2.u32 {%r1, %r2}, [%rd8];\nld.global.v2.u32 {%r3, %r4}, [%rd8+8];\n"
      "add.cc.u32 %r5, %r1, %r3;\naddc.u32 %r6, %r2, %r4;\nmov.b64 %rd10, {%r5, %r6};\n"
      "sub.cc.u32 %r5, %r1, %r3;\nsubc.u32 %r6, %r2, %r4;\nmov.b64 %rd11, {%r5, %r6};\n"
      "mul.lo.u32 %r5, %r1, %r3;\nmul.hi.u32 %r6, %r1, %r3;\n"
      "mad.lo.cc.u32 %r7, %r2, %r3, %r6;\nmadc.hi.u32 %r8, %r2, %r3, 0;\n"
      "mad.lo.cc.u32 %r6, %r1, %r4, %r7;\n"
      "mov.b64 %rd12, {%r5, %r6};\nmul.lo.u64 %rd13, %rd0, 0;\n"
      "mul.wide.u32 %rd9, %r0, 24;\nadd.u64 %rd8, %rd0, %rd9;\n"
      "st.global.u64 [%rd8], %rd10;\nst.global.u64 [%rd8+8], %rd11;\nst.global.u64 [%rd8+16], %rd12;\n";
  KernelRunner k(kernel_text(body));
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> in(96);
  for (unsigned i = 0; i < 96; ++i) {
    in[i] = i % 6 == 0 ? ~std::uint64_t{0} : random();
    k.set_input(i, in[i]);
  }
  k.run();
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t a = in[3 * i];
    const std::uint64_t b = in[3 * i + 1];
    REQUIRE(k.result<std::uint64_t>(3 * i) == a + b);
    REQUIRE(k.result<std::uint64_t>(3 * i + 1) == a - b);
    REQUIRE(k.result<std::uint64_t>(3 * i + 2) == a * b);
  }
}

TEST_CASE("single precision arithmetic, with NaN, infinities and subnormals") {
  check_f32("add.f32", 2, [](float a, float b, float) { return a + b; });
  check_f32("sub.rn.f32", 2, [](float a, float b, float) { return a - b; });
  check_f32("mul.f32", 2, [](float a, float b, float) { return a * b; });
  check_f32("fma.rn.f32", 3, [](float a, float b, float c) { return std::fma(a, b, c); });
  check_f32("div.rn.f32", 2, [](float a, float b, float) { return a / b; });
  check_f32("div.full.f32", 2, [](float a, float b, float) { return a / b; });
  check_f32("rcp.rn.f32", 1, [](float a, float, float) { return 1.0f / a; });
  check_f32("sqrt.rn.f32", 1, [](float a, float, float) { return std::sqrt(a); });
  check_f32("add.ftz.f32", 2,
            [](float a, float b, float) { return flushed(flushed(a) + flushed(b)); });
  check_f32("mul.rn.ftz.f32", 2,
            [](float a, float b, float) { return flushed(flushed(a) * flushed(b)); });
  check_f32("fma.rn.ftz.f32", 3, [](float a, float b, float c) {
    return flushed(std::fma(flushed(a), flushed(b), flushed(c)));
  });
  const auto saturated = [](float v) { return v > 0 ? std::min(v, 1.0f) : 0.0f; };
  check_f32("add.sat.f32", 2, [&](float a, float b, float) { return saturated(a + b); });
  check_f32("fma.rn.ftz.sat.f32", 3, [&](float a, float b, float c) {
    return saturated(flushed(std::fma(flushed(a), flushed(b), flushed(c))));
  });
  const auto least = [](float a, float b, float) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
  };
  const auto most = [](float a, float b, float) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
  };
  check_f32("min.f32", 2, least);
  check_f32("max.f32", 2, most);
  check_f32("max.NaN.f32", 2, [&](float a, float b, float c) {
    return std::isnan(a) || std::isnan(b) ? NAN : most(a, b, c);
  });
  check_f32("min.ftz.f32", 2,
            [&](float a, float b, float c) { return least(flushed(a), flushed(b), c); });
  check("copysign.f32", "f32", "f32", "f32", 2, kFloats,
        [](std::uint64_t a, std::uint64_t b, std::uint64_t) {
          return (a & 0x80000000u) | (b & 0x7fffffffu);
        },
        kLow32);
}

TEST_CASE("approximate functions are rounded from double precision") {
  check_f32("ex2.approx.f32", 1,
            [](float a, float, float) { return static_cast<float>(std::exp2(double{a})); });
  check_f32("lg2.approx.ftz.f32", 1, [](float a, float, float) {
    return flushed(static_cast<float>(std::log2(double{flushed(a)})));
  });
  check_f32("sin.approx.f32", 1,
            [](float a, float, float) { return static_cast<float>(std::sin(double{a})); });
  check_f32("rsqrt.approx.f32", 1,
            [](float a, float, float) { return static_cast<float>(1.0 / std::sqrt(double{a})); });
}

TEST_CASE("double precision arithmetic") {
  check_f64("add.f64", 2, [](double a, double b, double) { return a + b; });
  check_f64("mul.rn.f64", 2, [](double a, double b, double) { return a * b; });
  check_f64("fma.rn.f64", 3, [](double a, double b, double c) { return std::fma(a, b, c); });
  check_f64("div.rn.f64", 2, [](double a, double b, double) { return a / b; });
  check_f64("sqrt.rn.f64", 1, [](double a, double, double) { return std::sqrt(a); });
  check_f64("rcp.rn.f64", 1, [](double a, double, double) { return 1.0 / a; });
}

TEST_CASE("directed roundings bracket the exact value") {
  const auto under = [](int mode, const std::function<double()>& f) {
    std::fesetround(mode);
    const double v = f();
    std::fesetround(FE_TONEAREST);
    return v;
  };
  const std::vector<std::pair<std::string, int>> modes = {
      {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
  for (const auto& [name, mode] : modes) {
    check_f32("add." + name + ".f32", 2, [&, m = mode](float a, float b, float) {
      return static_cast<float>(under(m, [&] {
        volatile float x = a;
        volatile float y = b;
        volatile float r = x + y;
        return double{r};
      }));
    });
    check_f64("div." + name + ".f64", 2, [&, m = mode](double a, double b, double) {
      return under(m, [&] {
        volatile double x = a;
        volatile double y = b;
        volatile double r = x / y;
        return double{r};
      });
    });
    check("cvt." + name + ".f32.s32", "f32", "s32", "s32", 1, kWords,
          [&, m = mode](std::uint64_t a, std::uint64_t, std::uint64_t) {
            // Independent of the host's rounding: move to the neighbour that the mode asks for.
            const double exact = static_cast<std::int32_t>(a);
            float v = static_cast<float>(exact);
            const bool up = m == FE_UPWARD || (m == FE_TOWARDZERO && exact < 0);
            if (up && double{v} < exact) v = std::nextafter(v, INFINITY);
            if (!up && double{v} > exact) v = std::nextafter(v, -INFINITY);
            return bits_of(v);
          },
          kLow32);
  }
}

namespace {

/// Clamps the rounded value in 80-bit arithmetic.
template <class D>
std::uint64_t clamp_to(long double v, bool wide) {
  if (std::isnan(v)) {
    return wide ? std::uint64_t{1} << (8 * sizeof(D) - 1) : 0;
  }
  const long double low = std::numeric_limits<D>::min();
  const long double high = std::numeric_limits<D>::max();
  if (v < low) return static_cast<std::make_unsigned_t<D>>(std::numeric_limits<D>::min());
  if (v > high) return static_cast<std::make_unsigned_t<D>>(std::numeric_limits<D>::max());
  return static_cast<std::make_unsigned_t<D>>(static_cast<D>(v));
}

template <class D>
void check_to_int(const std::string& type) {
  constexpr std::uint64_t keep = sizeof(D) == 8 ? kAll : sizeof(D) == 4 ? kLow32 : 0xffffu;
  const std::vector<std::pair<std::string, long double (*)(long double)>> roundings = {
      {"rzi", [](long double v) { return std::trunc(v); }},
      {"rni", [](long double v) { return std::nearbyint(v); }},
      {"rmi", [](long double v) { return std::floor(v); }},
      {"rpi", [](long double v) { return std::ceil(v); }}};
  for (const auto& [name, f] : roundings) {
    check("cvt." + name + "." + type + ".f32", type, "f32", "f32", 1, kFloats,
          [f = f](std::uint64_t a, std::uint64_t, std::uint64_t) {
            return clamp_to<D>(f(from_bits<float>(a)), sizeof(D) == 8);
          },
          keep);
    check("cvt." + name + "." + type + ".f64", type, "f64", "f64", 1, kDoubles,
          [f = f](std::uint64_t a, std::uint64_t, std::uint64_t) {
            return clamp_to<D>(f(from_bits<double>(a)), true);
          },
          keep);
  }
}

}  // namespace

TEST_CASE("conversions to integers round and saturate") {
  check_to_int<std::int32_t>("s32");
  check_to_int<std::uint32_t>("u32");
  check_to_int<std::int64_t>("s64");
  check_to_int<std::uint64_t>("u64");
  check_to_int<std::int16_t>("s16");
  check_to_int<std::uint16_t>("u16");
}

TEST_CASE("conversions between integers extend, truncate and saturate") {
  check("cvt.s64.s32", "s64", "s32", "s32", 1, kWords,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) {
          return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)});
        },
        kAll);
  check("cvt.u64.u32", "u64", "u32", "u32", 1, kWords,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a & kLow32; }, kAll);
  check("cvt.u32.u64", "u32", "u64", "u64", 1, kWords,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a; }, kLow32);
  check("cvt.s32.s16", "s32", "s16", "s16", 1, kWords,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) {
          return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(a)});
        },
        kLow32);
  check("cvt.sat.u16.s32", "u16", "s32", "s32", 1, kWords,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) {
          const auto v = static_cast<std::int32_t>(a);
          return static_cast<std::uint64_t>(v < 0 ? 0 : std::min(v, 0xffff));
        },
        0xffff);
  // Registers wider than the types: the source is narrowed, the result extended.
  check("cvt.s32.s8", "s32", "s64", "s64", 1, kWords,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) {
          return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(a)});
        },
        kLow32);
  check("cvt.s8.s32", "s64", "s32", "s32", 1, kWords,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) {
          return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(a)});
        },
        kAll);
  check("cvt.s8.s32", "s16", "s32", "s32", 1, kWords,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) {
          return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(a)});
        },
        0xffff);
}

TEST_CASE("conversions between floating-point types") {
  check("cvt.f64.f32", "f64", "f32", "f32", 1, kFloats,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) {
          return settled(double{from_bits<float>(a)});
        },
        kAll);
  check("cvt.rn.f32.f64", "f32", "f64", "f64", 1, kDoubles,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) {
          return settled(static_cast<float>(from_bits<double>(a)));
        },
        kLow32);
  check("cvt.rmi.f32.f32", "f32", "f32", "f32", 1, kFloats,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) {
          return settled(std::floor(from_bits<float>(a)));
        },
        kLow32);
  check("cvt.sat.f32.f32", "f32", "f32", "f32", 1, kFloats,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) {
          const float v = from_bits<float>(a);
          return bits_of(v > 0 ? std::min(v, 1.0f) : 0.0f);
        },
        kLow32);
  check("cvt.rn.f32.u64", "f32", "u64", "u64", 1, kWords,
        [](std::uint64_t a, std::uint64_t, std::uint64_t) { return bits_of(static_cast<float>(a)); },
        kLow32);
}

TEST_CASE("every half survives the way to single precision and back") {
  const std::string body =
      "mul.wide.u32 %rd9, %r0, 2;\nadd.u64 %rd8, %rd2, %rd9;\nld.global.b16 %rs1, [%rd8];\n"
      "cvt.f32.f16 %f1, %rs1;\ncvt.rn.f16.f32 %rs2, %f1;\nst.global.b16 [%rd1], %rs2;\n"
      "st.global.f32 [%rd1+4], %f1;\n";
  KernelRunner k(kernel_text(body), 1 << 20, 1 << 20);
  for (unsigned i = 0; i < 0x10000; ++i) k.set_input(i, static_cast<std::uint16_t>(i));
  k.run({1024, 1, 1}, {64, 1, 1});
  for (unsigned i = 0; i < 0x10000; ++i) {
    const unsigned exponent = i >> 10 & 31;
    const unsigned fraction = i & 0x3ff;
    const bool is_nan = exponent == 31 && fraction != 0;
    const auto pair = k.result<std::uint64_t>(i);
    if ((pair & 0xffff) != (is_nan ? 0x7fffu : i)) FAIL("half " << i);
    const double want = exponent == 31 ? (is_nan ? NAN : INFINITY)
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
    const float got = from_bits<float>(pair >> 32);
    if (!is_nan && double{got} != ((i & 0x8000) != 0 ? -want : want)) FAIL("half " << i);
  }
}

TEST_CASE("half arithmetic rounds once") {
  // 1 + 2^-11 is a tie, rounded to even; the fma sees the bit that the product leaves behind.
  const std::string body =
      "mov.b16 %rs1, 0x3c00;\nmov.b16 %rs2, 0x1000;\nadd.f16 %rs3, %rs1, %rs2;\n"
      "mov.b16 %rs4, 0x0001;\nmov.b16 %rs5, 0x2c01;\nfma.rn.f16 %rs6, %rs5, %rs5, %rs1;\n"
      "st.global.b16 [%rd1], %rs3;\nst.global.b16 [%rd1+2], %rs6;\n"
      "mov.b32 %r1, 0x3c004000;\nmov.b32 %r2, 0x3c00c000;\nmul.f16x2 %r3, %r1, %r2;\n"
      "st.global.b32 [%rd1+4], %r3;\n";
  KernelRunner k(kernel_text(body));
  k.run();
  CHECK(k.result<std::uint16_t>(0) == 0x3c00);
  // 0x2c01 = 2^-4 (1 + 2^-10); squared 2^-8 (1 + 2^-9 + 2^-20); 1 + that = 0x3c04 + 2^-17...
  CHECK((k.result<std::uint32_t>(0) >> 16) == 0x3c04);
  CHECK((k.result<std::uint64_t>(0) >> 32) == 0x3c00c400);
}

TEST_CASE("comparisons order NaN as the ISA says and combine with a predicate") {
  struct Case {
    const char* name;
    std::function<bool(float, float)> holds;
  };
  const auto nan = [](float a, float b) { return std::isnan(a) || std::isnan(b); };
  const std::vector<Case> cases = {
      {"eq", [&](float a, float b) { return !nan(a, b) && a == b; }},
      {"ne", [&](float a, float b) { return !nan(a, b) && a != b; }},
      {"lt", [&](float a, float b) { return !nan(a, b) && a < b; }},
      {"ge", [&](float a, float b) { return !nan(a, b) && a >= b; }},
      {"equ", [&](float a, float b) { return nan(a, b) || a == b; }},
      {"neu", [&](float a, float b) { return nan(a, b) || a != b; }},
      {"ltu", [&](float a, float b) { return nan(a, b) || a < b; }},
      {"leu", [&](float a, float b) { return nan(a, b) || a <= b; }},
      {"gtu", [&](float a, float b) { return nan(a, b) || a > b; }},
      {"geu", [&](float a, float b) { return nan(a, b) || a >= b; }},
      {"num", [&](float a, float b) { return !nan(a, b); }},
      {"nan", nan}};
  const auto n = static_cast<unsigned>(kFloats.size());
  for (const Case& c : cases) {
    const std::string name = c.name;
    const std::string body =
        "mul.wide.u32 %rd9, %r0, 8;\nadd.u64 %rd8, %rd2, %rd9;\n"
        "ld.global.v2.f32 {%f1, %f2}, [%rd8];\nand.b32 %r1, %r0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n"
        "setp." + name + ".f32 %p2, %f1, %f2;\n"
        "setp." + name + ".and.f32 %p3|%p4, %f1, %f2, !%p1;\n"
        "setp." + name + ".xor.f32 %p5, %f1, %f2, %p1;\n"
        "set." + name + ".u32.f32 %r7, %f1, %f2;\nset." + name + ".f32.f32 %f7, %f1, %f2;\n"
        "selp.u32 %r2, 1, 0, %p2;\nselp.u32 %r3, 2, 0, %p3;\nselp.u32 %r4, 4, 0, %p4;\n"
        "selp.u32 %r5, 0, 8, !%p5;\nor.b32 %r2, %r2, %r3;\nor.b32 %r2, %r2, %r4;\n"
        "mov.b32 %r8, %f7;\nand.b32 %r7, %r7, 16;\nshr.u32 %r8, %r8, 18;\nand.b32 %r8, %r8, 32;\n"
        "or.b32 %r2, %r2, %r7;\nor.b32 %r2, %r2, %r8;\nor.b32 %r2, %r2, %r5;\n"
        "st.global.u32 [%rd1], %r2;\n";
    KernelRunner k(kernel_text(body));
    for (unsigned i = 0; i < n * n; ++i) {
      k.set_input(2 * i, static_cast<std::uint32_t>(kFloats[i / n]));
      k.set_input(2 * i + 1, static_cast<std::uint32_t>(kFloats[i % n]));
    }
    k.run({32, 1, 1}, {n * n / 32, 1, 1});
    for (unsigned i = 0; i < n * n; ++i) {
      const bool h = c.holds(from_bits<float>(kFloats[i / n]), from_bits<float>(kFloats[i % n]));
      const bool odd = (i & 1) != 0;
      // 1.0f has bit 23 set, which shr 18 and the mask bring to 32.
      const unsigned want = (h ? 1u : 0) | (h && !odd ? 2u : 0) | (!h && !odd ? 4u : 0) |
                            (h != odd ? 8u : 0) | (h ? 16u : 0) | (h ? 32u : 0);
      INFO(name << " of " << std::hex << kFloats[i / n] << ", " << kFloats[i % n]);
      REQUIRE(k.result<std::uint32_t>(i) == want);
    }
  }
}

TEST_CASE("testp tells the classes of floating-point numbers apart") {
  const std::string body =
      "mul.wide.u32 %rd9, %r0, 4;\nadd.u64 %rd8, %rd2, %rd9;\nld.global.f32 %f1, [%rd8];\n"
      "testp.finite.f32 %p1, %f1;\ntestp.infinite.f32 %p2, %f1;\ntestp.notanumber.f32 %p3, %f1;\n"
      "testp.normal.f32 %p4, %f1;\ntestp.subnormal.f32 %p5, %f1;\n"
      "selp.u32 %r1, 1, 0, %p1;\nselp.u32 %r2, 2, 0, %p2;\nselp.u32 %r3, 4, 0, %p3;\n"
      "selp.u32 %r4, 8, 0, %p4;\nselp.u32 %r5, 16, 0, %p5;\nor.b32 %r1, %r1, %r2;\n"
      "or.b32 %r1, %r1, %r3;\nor.b32 %r1, %r1, %r4;\nor.b32 %r1, %r1, %r5;\n"
      "st.global.u32 [%rd1], %r1;\n";
  KernelRunner k(kernel_text(body));
  for (unsigned i = 0; i < 32; ++i) k.set_input(i, static_cast<std::uint32_t>(kFloats[i]));
  k.run();
  for (unsigned i = 0; i < 32; ++i) {
    const float v = from_bits<float>(kFloats[i]);
    const unsigned want = (std::isfinite(v) ? 1u : 0) | (std::isinf(v) ? 2u : 0) |
                          (std::isnan(v) ? 4u : 0) | (std::isnormal(v) ? 8u : 0) |
                          (std::fpclassify(v) == FP_SUBNORMAL ? 16u : 0);
    REQUIRE(k.result<std::uint32_t>(i) == want);
  }
}
