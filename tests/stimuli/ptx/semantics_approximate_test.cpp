// SPDX-License-Identifier: Apache-2.0
// Approximate functions against the manual's tables of special values and its bounds, for which
// docs/ptx.md names the sections. No device was at hand: there are no golden vectors.

#include <random>

#include "tests/stimuli/ptx/semantics_words.h"

namespace tessera::semantics_approximate_test {

using namespace tessera::test;

TEST_CASE("approximate functions: the manual's tables of special values") {
  check_words({
      f32("ex2.approx.f32", {kMinusInf}, 0),
      f32("ex2.approx.f32", {kMinusZero}, 0x3f800000),
      f32("ex2.approx.f32", {kZero}, 0x3f800000),
      f32("ex2.approx.f32", {kInf}, 0x7f800000),
      f32("ex2.approx.f32", {kNan}, kNanResult),
      f32("ex2.approx.ftz.f32", {kMinusTiny}, 0x3f800000),
      f32("ex2.approx.f32", {"c3150000"}, 0x00000001),  // 2^-149
      f32("ex2.approx.ftz.f32", {"c3150000"}, 0),
      f32("lg2.approx.f32", {kMinusInf}, kNanResult),
      f32("lg2.approx.f32", {"bf800000"}, kNanResult),
      f32("lg2.approx.f32", {kMinusZero}, 0xff800000),
      f32("lg2.approx.f32", {kZero}, 0xff800000),
      f32("lg2.approx.f32", {kInf}, 0x7f800000),
      f32("lg2.approx.f32", {kOne}, 0),
      f32("lg2.approx.f32", {kTiny}, 0xc3150000),  // -149
      f32("lg2.approx.ftz.f32", {kTiny}, 0xff800000),
      f32("sin.approx.f32", {kMinusInf}, kNanResult),
      f32("sin.approx.f32", {kMinusZero}, 0x80000000),
      f32("sin.approx.f32", {kZero}, 0),
      f32("sin.approx.f32", {kInf}, kNanResult),
      f32("cos.approx.f32", {kMinusInf}, kNanResult),
      f32("cos.approx.f32", {kMinusZero}, 0x3f800000),
      f32("cos.approx.f32", {kInf}, kNanResult),
      f32("cos.approx.f32", {kNan}, kNanResult),
      f32("tanh.approx.f32", {kMinusInf}, 0xbf800000),
      f32("tanh.approx.f32", {kMinusZero}, 0x80000000),
      f32("tanh.approx.f32", {kInf}, 0x3f800000),
      f32("tanh.approx.f32", {kTiny}, 1),
      f32("rcp.approx.f32", {kMinusInf}, 0x80000000),
      f32("rcp.approx.f32", {kMinusZero}, 0xff800000),
      f32("rcp.approx.f32", {kZero}, 0x7f800000),
      f32("rcp.approx.f32", {kInf}, 0),
      f32("rcp.approx.f32", {"7f000000"}, 0x00400000),  // 2^127: a subnormal result
      f32("rcp.approx.ftz.f32", {"7f000000"}, 0),
      f32("rcp.approx.ftz.f32", {kMinusTiny}, 0xff800000),
      f32("sqrt.approx.f32", {kMinusInf}, kNanResult),
      f32("sqrt.approx.f32", {"bf800000"}, kNanResult),
      f32("sqrt.approx.f32", {kMinusZero}, 0x80000000),
      f32("sqrt.approx.f32", {kInf}, 0x7f800000),
      f32("sqrt.approx.ftz.f32", {kMinusTiny}, 0x80000000),
      f32("rsqrt.approx.f32", {kMinusInf}, kNanResult),
      f32("rsqrt.approx.f32", {kMinusZero}, 0xff800000),
      f32("rsqrt.approx.f32", {kZero}, 0x7f800000),
      f32("rsqrt.approx.f32", {kInf}, 0),
      f32("rsqrt.approx.ftz.f32", {kTiny}, 0x7f800000),
  });
}

TEST_CASE("approximate division loses what it divides by more than 2^126") {
  check_words({
      f32("div.approx.f32", {"7e800000", "7e800000"}, 0x3f800000),  // 2^126 / 2^126
      f32("div.approx.f32", {"7f000000", "7e800001"}, 0),
      f32("div.approx.f32", {"7f000000", "ff7fffff"}, 0x80000000),
      f32("div.approx.f32", {kInf, "7f000000"}, kNanResult),
      f32("div.approx.ftz.f32", {kMinusInf, "7f000000"}, kNanResult),
      f32("div.approx.f32", {kOne, kZero}, 0x7f800000),
      f32("div.approx.f32", {kZero, kZero}, kNanResult),
      f32("div.approx.f32", {kOne, kInf}, 0),
      f32("div.full.f32", {"7f000000", "7f000000"}, 0x3f800000),
      f32("div.full.f32", {kInf, "7f000000"}, 0x7f800000),
      f32("div.rn.f32", {"7f000000", "7e800001"}, 0x3ffffffe),
  });
}

TEST_CASE("double-precision seeds read and write the upper word only") {
  const auto seed = [](const std::string& op, const std::string& a, std::uint64_t value) {
    return Double{op + " %fd9, 0d" + a + ";\nmov.b64 %rd9, %fd9;\n", value};
  };
  const std::string rcp = "rcp.approx.ftz.f64";
  const std::string rsqrt = "rsqrt.approx.ftz.f64";
  check_doubles({
      seed(rcp, "3ff0000000000000", 0x3ff0000000000000),
      seed(rcp, "3ff00000ffffffff", 0x3ff0000000000000),  // as 1.0
      seed(rcp, "4008000000000000", 0x3fd5555500000000),  // 1 / 3
      seed(rcp, "fff0000000000000", 0x8000000000000000),
      seed(rcp, "8000000000000001", 0xfff0000000000000),
      seed(rcp, "000fffffffffffff", 0x7ff0000000000000),
      seed(rcp, "7ff8000000000001", 0x7fffffff00000000),
      seed(rcp, "7fe0000000000000", 0),  // 2^-1023, flushed
      seed(rsqrt, "4000000000000000", 0x3fe6a09e00000000),
      seed(rsqrt, "bff0000000000000", 0x7fffffff00000000),
      seed(rsqrt, "8000000000000000", 0xfff0000000000000),
      seed(rsqrt, "0000000000000001", 0x7ff0000000000000),
      seed(rsqrt, "7ff0000000000000", 0),
  });
}

TEST_CASE("approximate functions stay within the manual's bounds") {
  struct Bound {
    const char* op;
    float low;
    float high;
    bool logarithmic;  ///< inputs spread over the exponents
    long double (*exact)(long double);
    double relative;  ///< or 0
    double absolute;  ///< or 0
  };
  const auto two = [](double power) { return std::exp2(power); };
  constexpr float kPi = 3.14159265f;
  const std::vector<Bound> bounds = {
      {"ex2.approx.f32", -126, 127, false, [](long double x) { return std::exp2(x); }, two(-22), 0},
      {"lg2.approx.f32", 0.5f, 2, false, [](long double x) { return std::log2(x); }, 0, two(-22)},
      {"lg2.approx.f32", 2, 0x1p127f, true, [](long double x) { return std::log2(x); }, two(-22),
       0},
      {"sin.approx.f32", -2 * kPi, 2 * kPi, false, [](long double x) { return std::sin(x); }, 0,
       two(-20.5)},
      {"cos.approx.f32", -2 * kPi, 2 * kPi, false, [](long double x) { return std::cos(x); }, 0,
       two(-20.5)},
      {"sin.approx.f32", -100 * kPi, 100 * kPi, false, [](long double x) { return std::sin(x); }, 0,
       two(-14.7)},
      {"tanh.approx.f32", -10, 10, false, [](long double x) { return std::tanh(x); }, two(-11), 0},
      {"rcp.approx.f32", 0x1p-125f, 0x1p125f, true, [](long double x) { return 1 / x; }, two(-23),
       0},
      {"sqrt.approx.f32", 0x1p-126f, 0x1p127f, true, [](long double x) { return std::sqrt(x); },
       two(-23), 0},
      {"rsqrt.approx.f32", 0x1p-126f, 0x1p127f, true,
       [](long double x) { return 1 / std::sqrt(x); }, two(-22.9), 0},
  };
  std::mt19937 random(3);
  for (const Bound& b : bounds) {
    const std::string body =
        "mul.wide.u32 %rd9, %r0, 4;\nadd.u64 %rd8, %rd2, %rd9;\nld.global.f32 %f1, [%rd8];\n" +
        std::string(b.op) + " %f2, %f1;\nst.global.f32 [%rd1], %f2;\n";
    KernelRunner k(kernel_text(body));
    constexpr unsigned kInputs = 2048;
    std::vector<float> input(kInputs);
    for (unsigned i = 0; i < kInputs; ++i) {
      const double at = static_cast<double>(random()) / 4294967296.0;
      const double low = b.logarithmic ? std::log2(b.low) : b.low;
      const double high = b.logarithmic ? std::log2(b.high) : b.high;
      const double x = low + at * (high - low);
      k.set_input(i, input[i] = static_cast<float>(b.logarithmic ? std::exp2(x) : x));
    }
    k.run({256, 1, 1}, {kInputs / 256, 1, 1});
    for (unsigned i = 0; i < kInputs; ++i) {
      const long double want = b.exact(input[i]);
      const long double error = std::abs(static_cast<long double>(k.result<float>(i)) - want);
      INFO(b.op << " of " << input[i]);
      REQUIRE(error <= b.absolute + b.relative * std::abs(want));
    }
  }
}

}  // namespace tessera::semantics_approximate_test
