// SPDX-License-Identifier: Apache-2.0
// Floating-point instructions, conversions and comparisons against independent host computations,
// with edge values.

#include <cfenv>

#include "tests/stimuli/ptx/semantics_support.h"

namespace tessera::semantics_float_test {

using namespace tessera::test;

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
  check(
      "copysign.f32", "f32", "f32", "f32", 2, kFloats,
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
    check(
        "cvt." + name + ".f32.s32", "f32", "s32", "s32", 1, kWords,
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
  constexpr std::uint64_t keep = sizeof(D) == 8 ? kAllBits : sizeof(D) == 4 ? kLow32 : 0xffffu;
  const std::vector<std::pair<std::string, long double (*)(long double)>> roundings = {
      {"rzi", [](long double v) { return std::trunc(v); }},
      {"rni", [](long double v) { return std::nearbyint(v); }},
      {"rmi", [](long double v) { return std::floor(v); }},
      {"rpi", [](long double v) { return std::ceil(v); }}};
  for (const auto& [name, f] : roundings) {
    check(
        "cvt." + name + "." + type + ".f32", type, "f32", "f32", 1, kFloats,
        [f = f](std::uint64_t a, std::uint64_t, std::uint64_t) {
          return clamp_to<D>(f(from_bits<float>(a)), sizeof(D) == 8);
        },
        keep);
    check(
        "cvt." + name + "." + type + ".f64", type, "f64", "f64", 1, kDoubles,
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
  check(
      "cvt.s64.s32", "s64", "s32", "s32", 1, kWords,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) {
        return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(a)});
      },
      kAllBits);
  check(
      "cvt.u64.u32", "u64", "u32", "u32", 1, kWords,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a & kLow32; }, kAllBits);
  check(
      "cvt.u32.u64", "u32", "u64", "u64", 1, kWords,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) { return a; }, kLow32);
  check(
      "cvt.s32.s16", "s32", "s16", "s16", 1, kWords,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) {
        return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(a)});
      },
      kLow32);
  check(
      "cvt.sat.u16.s32", "u16", "s32", "s32", 1, kWords,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) {
        const auto v = static_cast<std::int32_t>(a);
        return static_cast<std::uint64_t>(v < 0 ? 0 : std::min(v, 0xffff));
      },
      0xffff);
  // Registers wider than the types: the source is narrowed, the result extended.
  check(
      "cvt.s32.s8", "s32", "s64", "s64", 1, kWords,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) {
        return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(a)});
      },
      kLow32);
  check(
      "cvt.s8.s32", "s64", "s32", "s32", 1, kWords,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) {
        return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(a)});
      },
      kAllBits);
  check(
      "cvt.s8.s32", "s16", "s32", "s32", 1, kWords,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) {
        return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(a)});
      },
      0xffff);
}

TEST_CASE("conversions between floating-point types") {
  check(
      "cvt.f64.f32", "f64", "f32", "f32", 1, kFloats,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) {
        return settled(double{from_bits<float>(a)});
      },
      kAllBits);
  check(
      "cvt.rn.f32.f64", "f32", "f64", "f64", 1, kDoubles,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) {
        return settled(static_cast<float>(from_bits<double>(a)));
      },
      kLow32);
  check(
      "cvt.rmi.f32.f32", "f32", "f32", "f32", 1, kFloats,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) {
        return settled(std::floor(from_bits<float>(a)));
      },
      kLow32);
  check(
      "cvt.sat.f32.f32", "f32", "f32", "f32", 1, kFloats,
      [](std::uint64_t a, std::uint64_t, std::uint64_t) {
        const float v = from_bits<float>(a);
        return bits_of(v > 0 ? std::min(v, 1.0f) : 0.0f);
      },
      kLow32);
  check(
      "cvt.rn.f32.u64", "f32", "u64", "u64", 1, kWords,
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
                        : exponent == 0
                            ? std::ldexp(fraction, -24)
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
  const std::vector<Case> cases = {{"eq", [&](float a, float b) { return !nan(a, b) && a == b; }},
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
        "setp." +
        name +
        ".f32 %p2, %f1, %f2;\n"
        "setp." +
        name +
        ".and.f32 %p3|%p4, %f1, %f2, !%p1;\n"
        "setp." +
        name +
        ".xor.f32 %p5, %f1, %f2, %p1;\n"
        "set." +
        name + ".u32.f32 %r7, %f1, %f2;\nset." + name +
        ".f32.f32 %f7, %f1, %f2;\n"
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

}  // namespace tessera::semantics_float_test
