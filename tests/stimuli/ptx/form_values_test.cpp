// SPDX-License-Identifier: Apache-2.0
// Forms of PTX 7.0 to 9.1 that compilers write for sm_80 and later: values by the manual.

#include "tests/stimuli/ptx/semantics_words.h"

namespace tessera::form_values_test {

using namespace tessera::test;

namespace {

const std::string kTwo = "40000000";
const std::string kMinusTwo = "c0000000";
const std::string kThree = "40400000";
const std::string kMinusThree = "c0400000";

/// "op %rs8, a, b;" on single-precision literals, the 16 bits in %r9.
Word to_16(const std::string& op, const std::vector<std::string>& operands, std::uint32_t value) {
  std::string code = op + " %rs8";
  for (const std::string& o : operands) code += ", 0f" + o;
  return {code + ";\ncvt.u32.u16 %r9, %rs8;\n", value};
}
/// "op %r9, a, b;" on single-precision literals.
Word to_32(const std::string& op, const std::vector<std::string>& operands, std::uint32_t value) {
  std::string code = op + " %r9";
  for (const std::string& o : operands) code += ", 0f" + o;
  return {code + ";\n", value};
}
/// "op %rs8, a;" on an integer, the 16 bits in %r9.
Word from_int(const std::string& op, const std::string& value, std::uint32_t bits) {
  const bool wide = op.find("64") != std::string::npos;
  const std::string from = wide ? "%rd5" : "%r5";
  return {std::string(wide ? "mov.b64 " : "mov.b32 ") + from + ", " + value + ";\n" + op +
              " %rs8, " + from + ";\ncvt.u32.u16 %r9, %rs8;\n",
          bits};
}
/// "op %rd9, ...;" on 64-bit immediates.
Double pair64(const std::string& op, const std::vector<std::string>& operands,
              std::uint64_t value) {
  std::string code;
  std::string list;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string r = "%rd" + std::to_string(i + 3);
    code += "mov.b64 " + r + ", 0x" + operands[i] + ";\n";
    list += ", " + r;
  }
  return {code + op + " %rd9" + list + ";\n", value};
}
/// "op %f9, a, c;" with the first operands of 16 bits and the last of 32 bits.
Word mixed(const std::string& op, const std::vector<unsigned>& halves, const std::string& single,
           std::uint32_t value) {
  std::string code;
  std::string list;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const std::string r = "%rs" + std::to_string(i + 1);
    code += "mov.b16 " + r + ", " + std::to_string(halves[i]) + ";\n";
    list += ", " + r;
  }
  return {code + op + " %f9" + list + ", 0f" + single + ";\nmov.b32 %r9, %f9;\n", value};
}
/// A comparison that leaves two predicates, as bits 0 and 1.
Word predicates(const std::string& setp, std::uint32_t a, std::uint32_t b, std::uint32_t value) {
  return {"mov.b32 %r5, " + std::to_string(a) + ";\nmov.b32 %r6, " + std::to_string(b) + ";\n" +
              setp + " %p1|%p2, %r5, %r6;\nselp.u32 %r7, 1, 0, %p1;\nselp.u32 %r8, 2, 0, %p2;\n" +
              "or.b32 %r9, %r7, %r8;\n",
          value};
}

}  // namespace

TEST_CASE("min and max: signs, three operands, NaN") {
  check_words({
      f32("min.xorsign.abs.f32", {kMinusThree, kTwo}, 0xc0000000),
      f32("max.xorsign.abs.f32", {kMinusThree, kMinusTwo}, 0x40400000),
      f32("max.xorsign.abs.f32", {kThree, kMinusTwo}, 0xc0400000),
      f32("min.xorsign.abs.f32", {kNan, kMinusTwo}, 0xc0000000),
      f32("min.xorsign.abs.f32", {kNan, kNan}, kNanResult),
      f32("min.NaN.xorsign.abs.f32", {kNan, kMinusTwo}, kNanResult),
      f32("min.ftz.xorsign.abs.f32", {kMinusTiny, kOne}, 0x80000000),
      f32("min.NaN.f32", {kOne, kNan}, kNanResult),
      f32("max.ftz.NaN.f32", {kTiny, kMinusTiny}, 0),
      f32("max.f32", {kOne, kThree, kTwo}, 0x40400000),
      f32("min.f32", {kOne, kMinusZero, kZero}, 0x80000000),
      f32("max.f32", {kNan, kNan, kMinusTwo}, 0xc0000000),
      f32("min.NaN.f32", {kOne, kTwo, kNan}, kNanResult),
      f32("max.abs.f32", {kOne, kMinusThree, kTwo}, 0x40400000),
      f32("min.ftz.NaN.abs.f32", {kMinusThree, kTwo, kMinusTiny}, 0),
      b16("min.xorsign.abs.f16", {0xc200, 0x4000}, 0xc000),
      b16("max.NaN.xorsign.abs.f16", {0x7e00, 0x4000}, 0x7fff),
      b16("max.ftz.xorsign.abs.f16", {0x8001, 0x0000}, 0x8000),
      pair("min.xorsign.abs.f16x2", {0xc2004000, 0x4000c200}, 0xc000c000),
      b16("min.xorsign.abs.bf16", {0xc040, 0x4000}, 0xc000),
      pair("max.NaN.xorsign.abs.bf16x2", {0x7fc0c040, 0x3f80c000}, 0x7fff4040),
  });
}

TEST_CASE("relu: negative results become 0, a NaN becomes the canonical NaN") {
  check_words({
      b16("fma.rn.relu.f16", {0x3c00, 0xc000, 0x0000}, 0),
      b16("fma.rn.relu.f16", {0x3c00, 0x4000, 0x3c00}, 0x4200),
      b16("fma.rn.relu.f16", {0x7e00, 0x4000, 0x3c00}, 0x7fff),
      b16("fma.rn.relu.f16", {0x8000, 0x3c00, 0x8000}, 0),
      b16("fma.rn.ftz.relu.f16", {0x0001, 0x3c00, 0x0000}, 0),
      pair("fma.rn.relu.f16x2", {0x3c003c00, 0xc0004000, 0x3c003c00}, 0x00004200),
      pair("fma.rn.ftz.relu.f16x2", {0x3c003c00, 0x00014000, 0x00003c00}, 0x00004200),
      pair("fma.rn.relu.bf16x2", {0x3f803f80, 0xc0004000, 0x3f803f80}, 0x00004040),
      pair("min.relu.s32", {0xfffffffd, 5}, 0),
      pair("min.relu.s32", {3, 5}, 3),
      pair("max.relu.s32", {0xfffffffd, 0xfffffffb}, 0),
      pair("max.relu.s32", {3, 5}, 5),
      pair("min.relu.s16x2", {0x80007fff, 0x00018000}, 0),
      pair("max.relu.s16x2", {0x8000ffff, 0xfffe0005}, 5),
      to_16("cvt.rn.relu.f16.f32", {"bf800000"}, 0),
      to_16("cvt.rn.relu.f16.f32", {kNan}, 0x7fff),
      to_16("cvt.rz.relu.bf16.f32", {"3fffffff"}, 0x3fff),
      to_32("cvt.rn.relu.f16x2.f32", {kMinusTwo, kTwo}, 0x00004000),
      to_32("cvt.rz.relu.satfinite.bf16x2.f32", {kInf, kMinusTwo}, 0x7f7f0000),
  });
}

TEST_CASE("pairs of 16-bit integers and of singles") {
  check_words({
      pair("add.u16x2", {0xffff0001, 0x00020003}, 0x00010004),
      pair("add.s16x2", {0x7fff8000, 0x00018000}, 0x80000000),
      pair("min.s16x2", {0x80007fff, 0x00018000}, 0x80008000),
      pair("max.u16x2", {0x80007fff, 0x00018000}, 0x80008000),
      pair("min.u16x2", {0x80007fff, 0x00018000}, 0x00017fff),
      pair("max.s16x2", {0x80007fff, 0x00018000}, 0x00017fff),
  });
  check_doubles({
      pair64("fma.rn.f32x2", {"400000003f800000", "4040000040800000", "bf8000003f000000"},
             0x40a0000040900000),
      pair64("add.rm.f32x2", {"3f8000003f800000", "30800000b0800000"}, 0x3f8000003f7fffff),
      pair64("add.rp.f32x2", {"3f8000003f800000", "30800000b0800000"}, 0x3f8000013f800000),
      pair64("sub.f32x2", {"4040000040000000", "3f80000040000000"}, 0x4000000000000000),
      pair64("mul.ftz.f32x2", {"008000003f800000", "3f00000040400000"}, 0x0000000040400000),
      pair64("mul.rz.f32x2", {"3f800001bf800001", "3f8000013f800001"}, 0x3f800002bf800002),
  });
}

TEST_CASE("operands of 16 bits with an accumulator of single precision") {
  check_words({
      mixed("add.f32.f16", {0x3e00}, "40100000", 0x40700000),
      mixed("add.rn.f32.bf16", {0x4040}, kMinusTwo, 0x3f800000),
      mixed("sub.f32.f16", {0x3c00}, kThree, 0xc0000000),
      mixed("add.sat.f32.bf16", {0x40a0}, kOne, 0x3f800000),
      mixed("fma.rm.f32.f16", {0x3c01, 0x3c01}, "2b800000", 0x3f804008),
      mixed("fma.rp.f32.f16", {0x3c01, 0x3c01}, "2b800000", 0x3f804009),
      mixed("fma.rn.f32.bf16", {0x4040, 0x4000}, kOne, 0x40e00000),
  });
}

TEST_CASE("TF32: rounding to ten bits of fraction") {
  check_words({
      to_32("cvt.rna.tf32.f32", {"3f801000"}, 0x3f802000),
      to_32("cvt.rna.tf32.f32", {"bf800fff"}, 0xbf800000),
      to_32("cvt.rna.tf32.f32", {"7f7fffff"}, 0x7f800000),
      to_32("cvt.rna.satfinite.tf32.f32", {"7f7fffff"}, 0x7f7fe000),
      to_32("cvt.rna.satfinite.tf32.f32", {kMinusInf}, 0xff7fe000),
      to_32("cvt.rna.tf32.f32", {kNan}, 0x7fffffff),
      to_32("cvt.rna.tf32.f32", {kMinusInf}, 0xff800000),
      to_32("cvt.rn.tf32.f32", {"3f801000"}, 0x3f800000),
      to_32("cvt.rn.tf32.f32", {"3f803000"}, 0x3f804000),
      to_32("cvt.rn.tf32.f32", {"3f801001"}, 0x3f802000),
      to_32("cvt.rz.tf32.f32", {"3f803fff"}, 0x3f802000),
      to_32("cvt.rn.relu.tf32.f32", {kMinusTwo}, 0),
      to_32("cvt.rz.satfinite.relu.tf32.f32", {kInf}, 0x7f7fe000),
  });
}

TEST_CASE("conversions to and from 16-bit formats in every rounding") {
  check_words({
      to_16("cvt.rn.satfinite.f16.f32", {"49742400"}, 0x7bff),
      to_16("cvt.rz.satfinite.f16.f32", {kMinusInf}, 0xfbff),
      to_16("cvt.rn.satfinite.bf16.f32", {"7f7fffff"}, 0x7f7f),
      to_16("cvt.rn.bf16.f32", {"7f7fffff"}, 0x7f80),
      to_16("cvt.rn.satfinite.f16.f32", {kNan}, 0x7fff),
      to_16("cvt.rz.f16.f32", {"477fefff"}, 0x7bff),
      to_16("cvt.rp.f16.f32", {"477fe001"}, 0x7c00),
      to_16("cvt.rm.f16.f32", {kMinusTiny}, 0x8001),
      to_16("cvt.rm.ftz.f16.f32", {kMinusTiny}, 0x8000),
      to_16("cvt.rn.sat.f16.f32", {kTwo}, 0x3c00),
      to_16("cvt.rn.ftz.sat.f16.f32", {kNan}, 0),
      to_16("cvt.rp.bf16.f32", {"3f800001"}, 0x3f81),
      to_32("cvt.rz.f16x2.f32", {"3f801fff", "bf801fff"}, 0x3c00bc00),
      to_32("cvt.rn.satfinite.f16x2.f32", {kInf, kOne}, 0x7bff3c00),
      from_int("cvt.rn.bf16.u64", "0xffffffffffffffff", 0x5f80),
      from_int("cvt.rz.bf16.u64", "0xffffffffffffffff", 0x5f7f),
      from_int("cvt.rn.bf16.u64", "0x8080000000000000", 0x5f00),
      from_int("cvt.rn.bf16.u64", "0x8080000000000001", 0x5f01),
      from_int("cvt.rm.bf16.s64", "0x8000000000000001", 0xdf00),
      from_int("cvt.rn.f16.s32", "2049", 0x6800),
      from_int("cvt.rp.f16.s32", "2049", 0x6801),
      from_int("cvt.rz.f16.s32", "-2049", 0xe800),
      from_int("cvt.rm.f16.s32", "-2049", 0xe801),
      from_int("cvt.rz.f16.u32", "70000", 0x7bff),
      from_int("cvt.rn.sat.bf16.s32", "-7", 0),
      b16("cvt.rp.bf16.f16", {0x3c01}, 0x3f81),
      b16("cvt.rn.f16.bf16", {0x4780}, 0x7c00),
      b16("cvt.rz.f16.bf16", {0x4780}, 0x7bff),
      b16("cvt.rni.bf16.bf16", {0x4020}, 0x4000),
      b16("cvt.rpi.bf16.bf16", {0x4020}, 0x4040),
      b16("cvt.rmi.f16.f16", {0xb800}, 0xbc00),
      {"mov.b16 %rs1, 0xc020;\ncvt.rzi.s32.bf16 %r9, %rs1;\n", 0xfffffffe},
      {"mov.b16 %rs1, 0x0001;\ncvt.ftz.f32.bf16 %f9, %rs1;\nmov.b32 %r9, %f9;\n", 0},
      {"mov.b16 %rs1, 0x4000;\ncvt.sat.f32.f16 %f9, %rs1;\nmov.b32 %r9, %f9;\n", 0x3f800000},
  });
  check_doubles({
      {"mov.b16 %rs1, 0x4049;\ncvt.f64.bf16 %fd9, %rs1;\nmov.b64 %rd9, %fd9;\n",
       0x4009200000000000},
      {"mov.b16 %rs1, 0x0001;\ncvt.f64.f16 %fd9, %rs1;\nmov.b64 %rd9, %fd9;\n", 0x3e70000000000000},
  });
}

TEST_CASE("cvt.pack saturates two integers above the lower bits of a register") {
  const auto pack = [](const std::string& types, int a, int b, std::uint32_t value, bool onto) {
    std::string code = "mov.b32 %r5, " + std::to_string(a) + ";\nmov.b32 %r6, " +
                       std::to_string(b) + ";\nmov.b32 %r7, 0x12345678;\ncvt.pack.sat." + types +
                       " %r9, %r5, %r6";
    return Word{code + (onto ? ", %r7;\n" : ";\n"), value};
  };
  check_words({
      pack("s8.s32.b32", 300, -5, 0x56787ffb, true),
      pack("u8.s32.b32", 300, -5, 0x5678ff00, true),
      pack("s8.s32.b32", -300, 5, 0x56788005, true),
      pack("u4.s32.b32", 20, 3, 0x345678f3, true),
      pack("s4.s32.b32", -20, 3, 0x34567883, true),
      pack("s2.s32.b32", 5, -7, 0x23456786, true),
      pack("u2.s32.b32", 5, -7, 0x2345678c, true),
      pack("s16.s32", 40000, -40000, 0x7fff8000, false),
      pack("u16.s32", 70000, -1, 0xffff0000, false),
  });
}

TEST_CASE("formats of six and four bits") {
  const std::string to_word = "cvt.u32.u16 %r9, %rs8;\n";
  check_words({
      to_16("cvt.rn.satfinite.e2m3x2.f32", {kOne, "c2c80000"}, 0x083f),
      to_16("cvt.rn.satfinite.relu.e2m3x2.f32", {kNan, kMinusTwo}, 0x1f00),
      to_16("cvt.rn.satfinite.e3m2x2.f32", {"41e00000", "3d800000"}, 0x1f01),
      {".reg .b8 %b1;\ncvt.rn.satfinite.e2m1x2.f32 %b1, 0f40C00000, 0fBF000000;\n"
       "cvt.u32.u8 %r9, %b1;\n",
       0x79},
      {".reg .b8 %b2;\ncvt.rn.satfinite.e2m1x2.f32 %b2, 0f7FC00000, 0f3E800000;\n"
       "cvt.u32.u8 %r9, %b2;\n",
       0x70},
      {"mov.b16 %rs1, 0x083f;\ncvt.rn.f16x2.e2m3x2 %r9, %rs1;\n", 0x3c00c780},
      {"mov.b16 %rs1, 0x1f21;\ncvt.rn.relu.f16x2.e3m2x2 %r9, %rs1;\n", 0x4f000000},
      {".reg .b8 %b3;\nmov.b16 %rs1, 0x79;\ncvt.u8.u16 %b3, %rs1;\n"
       "cvt.rn.f16x2.e2m1x2 %r9, %b3;\n",
       0x4600b800},
  });
}

TEST_CASE("functions of bfloat16") {
  check_words({
      b16("tanh.approx.bf16", {0x0000}, 0x0000),
      b16("tanh.approx.bf16", {0x7f80}, 0x3f80),
      b16("tanh.approx.bf16", {0x3f80}, 0x3f43),
      pair("tanh.approx.bf16x2", {0xff803f80}, 0xbf803f43),
      b16("ex2.approx.ftz.bf16", {0x4040}, 0x4100),
      b16("ex2.approx.ftz.bf16", {0x0001}, 0x3f80),
      b16("ex2.approx.ftz.bf16", {0xff80}, 0x0000),
      b16("ex2.approx.ftz.bf16", {0xc2fe}, 0x0000),
      b16("ex2.approx.ftz.bf16", {0x3f00}, 0x3fb5),
      pair("ex2.approx.ftz.bf16x2", {0x40403f00}, 0x41003fb5),
  });
}

TEST_CASE("comparisons of bfloat16 pairs and of halves to integers") {
  check_words({
      predicates("setp.lt.bf16x2", 0x3f804000, 0x40003f80, 2),
      predicates("setp.gtu.bf16x2", 0x7fc03f80, 0x3f804000, 2),
      predicates("setp.num.bf16x2", 0x7fc03f80, 0x3f804000, 1),
      pair("set.lt.u32.bf16x2", {0x3f804000, 0x40003f80}, 0xffff0000),
      pair("set.ge.bf16x2.bf16x2", {0x3f804000, 0x40003f80}, 0x00003f80),
      b16("set.lt.u16.f16", {0x3c00, 0x4000}, 0xffff),
      b16("set.eq.s16.bf16", {0x3f80, 0x4000}, 0),
      {"mov.b32 %r5, 7;\nset.eq.f32.b32 %f9, %r5, 7;\nmov.b32 %r9, %f9;\n", 0x3f800000},
      to_16("set.gt.bf16.f32", {kTwo, kOne}, 0x3f80),
  });
}

TEST_CASE("lop3 with a predicate tests its result") {
  const auto lop = [](const char* op, unsigned table, bool q, const char* to, std::uint32_t value) {
    return Word{std::string("mov.u32 %r5, 0xf0;\nmov.u32 %r6, 0xcc;\nmov.u32 %r7, 0xaa;\n") +
                    "mov.u32 %r8, 0;\nsetp.eq.u32 %p2, %r8, " + (q ? "0" : "1") + ";\nlop3." + op +
                    ".b32 " + to + "|%p1, %r5, %r6, %r7, " + std::to_string(table) +
                    ", %p2;\nselp.u32 %r7, 0x1000, 0, %p1;\nor.b32 %r9, %r8, %r7;\n",
                value};
  };
  check_words({
      lop("or", 0x80, false, "%r8", 0x1080),
      lop("and", 0x80, false, "%r8", 0x80),
      lop("and", 0x80, true, "%r8", 0x1080),
      lop("or", 0x00, true, "%r8", 0x1000),
      lop("or", 0x00, false, "%r8", 0),
      lop("and", 0xfe, true, "_", 0x1000),
      lop("or", 0x80, false, "_", 0x1000),
  });
}

TEST_CASE("moves of bytes and of 128 bits") {
  check_words({
      {".reg .b8 %b<5>;\nmov.b32 %r5, 0x44332211;\nmov.b32 {%b1, %b2, %b3, %b4}, %r5;\n"
       "mov.b32 %r9, {%b4, %b3, %b2, %b1};\n",
       0x11223344},
      {".reg .b8 %c<3>;\nmov.b16 %rs1, 0x2211;\nmov.b16 {%c1, %c2}, %rs1;\n"
       "mov.b16 %rs2, {%c2, %c1};\ncvt.u32.u16 %r9, %rs2;\n",
       0x1122},
  });
  check_doubles({
      {".reg .b128 %q<3>;\nmov.b64 %rd5, 0x1111;\nmov.b64 %rd6, 0x2222;\n"
       "mov.b128 %q1, {%rd5, %rd6};\nmov.b128 %q2, %q1;\nmov.b128 {%rd6, %rd5}, %q2;\n"
       "shl.b64 %rd5, %rd5, 16;\nor.b64 %rd9, %rd5, %rd6;\n",
       0x22221111},
      {".reg .b128 %s<3>;\nst.global.u64 [%rd2], 0x33;\nst.global.u64 [%rd2+8], 0x44;\n"
       "ld.global.b128 %s1, [%rd2];\nst.global.b128 [%rd2+16], %s1;\n"
       "ld.global.v2.u64 {%rd5, %rd6}, [%rd2+16];\nshl.b64 %rd6, %rd6, 8;\n"
       "or.b64 %rd9, %rd5, %rd6;\n",
       0x4433},
  });
}

TEST_CASE("redux of single precision orders zeros and skips NaN") {
  struct Case {
    const char* form;
    std::vector<std::uint32_t> values;  ///< of lanes 0 to 3; the others repeat them
    std::uint32_t want;
  };
  const std::vector<Case> cases = {
      {"min", {0x3f800000, 0xc0000000, 0x40000000, 0x7fc00000}, 0xc0000000},
      {"max", {0x3f800000, 0xc0000000, 0x40000000, 0x7fc00000}, 0x40000000},
      {"max.NaN", {0x3f800000, 0xc0000000, 0x40000000, 0x7fc00000}, 0x7fffffff},
      {"min.abs", {0x3f800000, 0xc0000000, 0xbf000000, 0x7fc00000}, 0x3f000000},
      {"max.abs.NaN", {0x3f800000, 0xc0000000, 0x3f800000, 0xbf800000}, 0x40000000},
      {"min", {0, 0x80000000, 0, 0}, 0x80000000},
      {"max", {0x80000000, 0, 0x80000000, 0x80000000}, 0},
      {"max", {0xff800000, 0x80000001, 0xff800000, 0x80000002}, 0x80000001},
      {"min", {0xffc00000, 0x7fc00000, 0x7fc00001, 0x7fffffff}, 0x7fffffff},
  };
  for (const Case& c : cases) {
    INFO(c.form);
    KernelRunner k(kernel_text(
        "and.b32 %r1, %r0, 3;\nmul.wide.u32 %rd4, %r1, 4;\nadd.u64 %rd4, %rd4, %rd2;\n"
        "ld.global.f32 %f1, [%rd4];\nredux.sync." +
        std::string(c.form) + ".f32 %f2, %f1, 0xffffffff;\nst.global.f32 [%rd1], %f2;\n"));
    for (unsigned i = 0; i < 4; ++i) k.set_input(i, c.values[i]);
    k.run();
    for (unsigned lane = 0; lane < 32; ++lane) REQUIRE(k.result<std::uint32_t>(lane) == c.want);
  }
}

TEST_CASE("isspacep tells constant, parameter, shared, local and global addresses apart") {
  const std::string scope =
      ".const .align 4 .u32 first = 1;\n.const .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
      ".global .align 4 .u32 word;\n.shared .align 4 .u32 tile;\n";
  std::string body = ".local .align 4 .b8 depot[16];\n";
  // Generic addresses: constants (first, last byte), behind them, global, parameter, shared, local.
  body +=
      "mov.u64 %rd10, first;\ncvta.const.u64 %rd10, %rd10;\nmov.u64 %rd11, table;\n"
      "cvta.const.u64 %rd11, %rd11;\nadd.u64 %rd11, %rd11, 15;\nadd.u64 %rd12, %rd11, 1;\n"
      "mov.u64 %rd13, word;\ncvta.global.u64 %rd13, %rd13;\nmov.b64 %rd14, in;\n"
      "cvta.param.u64 %rd14, %rd14;\nmov.u64 %rd15, tile;\ncvta.shared.u64 %rd15, %rd15;\n"
      "mov.u64 %rd16, depot;\ncvta.local.u64 %rd16, %rd16;\n";
  const std::vector<std::string> spaces = {"const",       "global", "param::entry",
                                           "shared::cta", "local",  "shared::cluster"};
  for (unsigned a = 0; a < 7; ++a) {
    body += "mov.u32 %r1, 0;\n";
    for (unsigned s = 0; s < spaces.size(); ++s) {
      body += "isspacep." + spaces[s] + " %p1, %rd" + std::to_string(10 + a) + ";\nselp.u32 %r2, " +
              std::to_string(1u << s) + ", 0, %p1;\nor.b32 %r1, %r1, %r2;\n";
    }
    body += "st.global.u32 [%rd0+" + std::to_string(8 * a) + "], %r1;\n";
  }
  KernelRunner k(kernel_text(body, scope));
  k.run({1, 1, 1});
  CHECK(k.result<std::uint32_t>(0) == 1);
  CHECK(k.result<std::uint32_t>(1) == 1);
  CHECK(k.result<std::uint32_t>(2) == 2);
  CHECK(k.result<std::uint32_t>(3) == 2);
  CHECK(k.result<std::uint32_t>(4) == 6);  // the window of parameters is global, too
  CHECK(k.result<std::uint32_t>(5) == 40);
  CHECK(k.result<std::uint32_t>(6) == 16);
}

TEST_CASE("a grid without clusters has clusters of one CTA") {
  std::string body;
  unsigned n = 0;
  const auto store = [&](const std::string& code) {
    body += code + "\nst.global.u32 [%rd4+" + std::to_string(8 * n++) + "], %r1;\n";
  };
  body = "mul.wide.u32 %rd4, %r31, 256;\nadd.u64 %rd4, %rd4, %rd0;\n";
  for (const char* name :
       {"%clusterid.x", "%nclusterid.x", "%clusterid.y", "%nclusterid.y", "%cluster_ctaid.x",
        "%cluster_nctaid.x", "%cluster_ctarank", "%cluster_nctarank", "%aggr_smem_size"}) {
    store(std::string("mov.u32 %r1, ") + name + ";");
  }
  store("mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r1, 1, 0, %p1;");
  store("mov.u32 %r2, tile;\nmapa.shared::cluster.u32 %r1, %r2, 0;\nsub.u32 %r1, %r1, %r2;");
  store(
      "mov.u64 %rd5, tile;\ncvta.shared.u64 %rd5, %rd5;\nmapa.u64 %rd6, %rd5, 0;\n"
      "sub.u64 %rd6, %rd6, %rd5;\ncvt.u32.u64 %r1, %rd6;");
  store("getctarank.u64 %r1, %rd5;");
  store("st.shared::cluster.u32 [tile], 77;\nld.shared::cluster.u32 %r1, [tile];");
  store("mov.u64 %rd7, %current_graph_exec;\ncvt.u32.u64 %r1, %rd7;");
  KernelRunner k(kernel_text(body, ".shared .align 4 .b8 tile[64];\n"));
  k.run({1, 1, 1}, {3, 2, 1});
  const std::vector<std::uint32_t> want = {2, 3, 1, 2, 0, 1, 0, 1, 64, 0, 0, 0, 0, 77, 0};
  for (unsigned i = 0; i < want.size(); ++i) {
    INFO(i);
    // CTA (2, 1) writes last, because %r31 is its x.
    CHECK(k.result<std::uint32_t>(64 + i) == want[i]);
  }
}

TEST_CASE("an address of another CTA of the cluster is out of bounds") {
  KernelRunner k(
      kernel_text("mov.u32 %r2, tile;\nmapa.shared::cluster.u32 %r1, %r2, 1;\n"
                  "ld.shared::cluster.u32 %r3, [%r1];\n",
                  ".shared .align 4 .b8 tile[64];\n"));
  CHECK_THROWS_WITH(k.run({1, 1, 1}), Catch::Contains("load of 4 bytes at 0xffffffff"));
}

}  // namespace tessera::form_values_test
