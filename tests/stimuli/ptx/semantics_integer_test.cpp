// SPDX-License-Identifier: Apache-2.0
// Integer and bit instructions against independent host computations, with edge values.

#include "tests/stimuli/ptx/semantics_support.h"

namespace tessera::semantics_integer_test {

using namespace tessera::test;

namespace {

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
  check_integer<T>(
      "mad.lo", type,
      [](T a, T b, T c) {
        return static_cast<T>(static_cast<unsigned __int128>(a) *
                                  static_cast<unsigned __int128>(b) +
                              static_cast<unsigned __int128>(c));
      },
      3);
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
  check_integer<T>(
      "sad", type,
      [](T a, T b, T c) {
        const Wide distance = a < b ? Wide{b} - a : Wide{a} - b;
        return static_cast<T>(static_cast<unsigned __int128>(distance) +
                              static_cast<unsigned __int128>(c));
      },
      3);
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
  check(
      "mul.wide.s32", "s64", "s32", "s32", 2, kWords,
      [](std::uint64_t a, std::uint64_t b, std::uint64_t) {
        return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} *
                                          static_cast<std::int32_t>(b));
      },
      kAllBits);
  check(
      "mul.wide.u32", "u64", "u32", "u32", 2, kWords,
      [](std::uint64_t a, std::uint64_t b, std::uint64_t) { return (a & kLow32) * (b & kLow32); },
      kAllBits);
  check(
      "mad.wide.s32", "s64", "s32", "s32", 3, kWords,
      [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} *
                                          static_cast<std::int32_t>(b)) +
               c;
      },
      kAllBits, "s64");
  check(
      "mul.wide.s16", "s32", "s16", "s16", 2, kWords,
      [](std::uint64_t a, std::uint64_t b, std::uint64_t) {
        return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(a)} *
                                          static_cast<std::int16_t>(b));
      },
      kLow32);
}

TEST_CASE("shifts beyond the width clamp") {
  const auto amount = [](std::uint64_t b) { return b & kLow32; };
  check(
      "shl.b32", "b32", "b32", "b32", 2, kWords,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
        return amount(b) > 31 ? 0 : a << amount(b);
      },
      kLow32);
  check(
      "shl.b64", "b64", "b64", "b32", 2, kWords,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
        return amount(b) > 63 ? 0 : a << amount(b);
      },
      kAllBits);
  check(
      "shr.u32", "u32", "u32", "b32", 2, kWords,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
        return amount(b) > 31 ? 0 : (a & kLow32) >> amount(b);
      },
      kLow32);
  check(
      "shr.s32", "s32", "s32", "b32", 2, kWords,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
        const auto n = std::min<std::uint64_t>(amount(b), 31);
        return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)} >> n);
      },
      kLow32);
  check(
      "shr.s64", "s64", "s64", "b32", 2, kWords,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
        const auto n = std::min<std::uint64_t>(amount(b), 63);
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> n);
      },
      kAllBits);
  check(
      "shl.b16", "b16", "b16", "b32", 2, kWords,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
        return amount(b) > 15 ? 0 : a << amount(b);
      },
      0xffff);
  check(
      "shr.s16", "s16", "s16", "b32", 2, kWords,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t) {
        const auto n = std::min<std::uint64_t>(amount(b), 15);
        return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(a)} >> n);
      },
      0xffff);
  check(
      "shf.l.wrap.b32", "b32", "b32", "b32", 3, kWords,
      [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        const unsigned n = c & 31;
        return n == 0 ? b : (b << n) | ((a & kLow32) >> (32 - n));
      },
      kLow32);
  check(
      "shf.r.clamp.b32", "b32", "b32", "b32", 3, kWords,
      [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        const auto n = static_cast<unsigned>(std::min<std::uint64_t>(c & kLow32, 32));
        return n == 0 ? a : n == 32 ? b : ((a & kLow32) >> n) | (b << (32 - n));
      },
      kLow32);
}

TEST_CASE("bit instructions") {
  const auto unary = [](const std::string& op, const std::string& to, const std::string& from,
                        const std::function<std::uint64_t(std::uint64_t)>& f) {
    check(
        op, to, from, from, 1, kWords,
        [&](std::uint64_t a, std::uint64_t, std::uint64_t) { return f(a); },
        to == "b64" ? kAllBits : kLow32);
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
  unary("cnot.b32", "b32", "b32",
        [](std::uint64_t a) { return std::uint64_t{(a & kLow32) == 0 ? 1u : 0u}; });
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
    check(
        is_signed ? "bfe.s32" : "bfe.u32", "u32", "u32", "u32", 3, kWords,
        [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
          return bfe(a, b & 0xff, c & 0xff, 32, is_signed);
        },
        kLow32);
  }
  check(
      "bfe.s64", "s64", "s64", "u32", 3, kWords,
      [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        return bfe(a, b & 0xff, c & 0xff, 64, true);
      },
      kAllBits, "u32");
  check(
      "prmt.b32", "b32", "b32", "b32", 3, kWords,
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
  check(
      "dp4a.s32.u32", "s32", "s32", "u32", 3, kWords,
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
        "lop3.b32 %r4, %r1, %r2, %r3, " +
        std::to_string(table) + ";\nst.global.u32 [%rd1], %r4;\n";
    KernelRunner k(kernel_text(body));
    std::mt19937 random(table);
    std::vector<std::uint32_t> in(96);
    for (unsigned i = 0; i < 96; ++i) k.set_input<std::uint64_t>(i, in[i] = random());
    k.run();
    for (unsigned i = 0; i < 32; ++i) {
      std::uint32_t want = 0;
      for (unsigned b = 0; b < 32; ++b) {
        const unsigned row =
            (in[3 * i] >> b & 1) * 4 + (in[3 * i + 1] >> b & 1) * 2 + (in[3 * i + 2] >> b & 1);
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
      "st.global.u64 [%rd8], %rd10;\nst.global.u64 [%rd8+8], %rd11;\nst.global.u64 [%rd8+16], "
      "%rd12;\n";
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

TEST_CASE("an addc after a subtraction of 128 bits gives 1 where nothing was borrowed") {
  // As the division of 128-bit integers that nvcc emits: is a >= b?
  KernelRunner k(kernel_text(
      "mul.wide.u32 %rd9, %r0, 32;\nadd.u64 %rd8, %rd2, %rd9;\n"
      "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd8];\n"
      "ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd8+16];\nmov.u32 %r10, 0;\n"
      "sub.cc.u32 %r9, %r1, %r5;\nsubc.cc.u32 %r9, %r2, %r6;\nsubc.cc.u32 %r9, %r3, %r7;\n"
      "subc.cc.u32 %r9, %r4, %r8;\naddc.u32 %r11, %r10, %r10;\nst.global.u32 [%rd1], %r11;"));
  std::mt19937 random(9);
  std::array<std::uint32_t, 256> in{};
  for (unsigned i = 0; i < in.size(); ++i) {
    in[i] = static_cast<std::uint32_t>(random());
    // Equal upper words, so that lower ones decide.
    if (i % 8 >= 5 && i / 8 % 2 == 1) in[i] = in[i - 4];
    k.set_input(i, in[i]);
  }
  k.run();
  unsigned less = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    bool not_less = true;
    for (unsigned word = 0; word < 4; ++word) {
      const std::uint32_t a = in[8 * lane + word];
      const std::uint32_t b = in[8 * lane + 4 + word];
      if (a != b) not_less = a > b;
    }
    less += not_less ? 0 : 1;
    REQUIRE(k.result<std::uint32_t>(lane) == (not_less ? 1u : 0u));
  }
  REQUIRE(less > 4);
  REQUIRE(less < 28);
}

}  // namespace tessera::semantics_integer_test
