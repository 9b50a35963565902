// SPDX-License-Identifier: Apache-2.0
// Values at the edges, each as the PTX ISA manual gives it.

#include "tests/stimuli/ptx/semantics_words.h"

namespace tessera::semantics_edge_test {

using namespace tessera::test;

TEST_CASE("signs, zeros and subnormals of single precision") {
  check_words({
      f32("abs.f32", {kMinusZero}, 0),
      f32("abs.f32", {kMinusInf}, 0x7f800000),
      f32("abs.f32", {kMinusTiny}, 1),
      f32("abs.ftz.f32", {kMinusTiny}, 0),
      f32("neg.f32", {kZero}, 0x80000000),
      f32("neg.f32", {kTiny}, 0x80000001),
      f32("neg.ftz.f32", {kTiny}, 0x80000000),
      f32("add.rn.f32", {kOne, "bf800000"}, 0),
      f32("add.rm.f32", {kOne, "bf800000"}, 0x80000000),
      f32("sub.rm.f32", {kOne, kOne}, 0x80000000),
      f32("add.rn.f32", {kInf, kMinusInf}, kNanResult),
      f32("mul.rn.f32", {kZero, kInf}, kNanResult),
      f32("fma.rn.f32", {kInf, kOne, kMinusInf}, kNanResult),
      f32("add.rz.f32", {"7f7fffff", "7f7fffff"}, 0x7f7fffff),
      f32("add.rp.f32", {"7f7fffff", "7f7fffff"}, 0x7f800000),
      f32("add.rm.f32", {"ff7fffff", "ff7fffff"}, 0xff800000),
      f32("add.rp.f32", {"ff7fffff", "ff7fffff"}, 0xff7fffff),
      f32("mul.rn.f32", {"3f800001", "3f800001"}, 0x3f800002),
      f32("mul.rp.f32", {"3f800001", "3f800001"}, 0x3f800003),
      f32("mul.rm.f32", {"3f800001", "3f800001"}, 0x3f800002),
      f32("fma.rz.f32", {"3f800001", "bf800001", kZero}, 0xbf800002),
      f32("fma.rm.f32", {"3f800001", "bf800001", kZero}, 0xbf800003),
      f32("mul.ftz.f32", {"00800000", "3f000000"}, 0),
      f32("mul.f32", {"00800000", "3f000000"}, 0x00400000),
      f32("sqrt.rn.f32", {kMinusZero}, 0x80000000),
      f32("sqrt.rp.f32", {"40000000"}, 0x3fb504f4),
      f32("sqrt.rm.f32", {"40000000"}, 0x3fb504f3),
      f32("rcp.rn.f32", {kMinusZero}, 0xff800000),
      f32("rcp.rz.f32", {"40400000"}, 0x3eaaaaaa),
      f32("rcp.rn.f32", {"40400000"}, 0x3eaaaaab),
      f32("add.sat.f32", {kNan, kOne}, 0),
      f32("mul.sat.f32", {"c0000000", kOne}, 0),
      f32("fma.rn.sat.f32", {"40000000", kOne, kZero}, 0x3f800000),
      f32("min.f32", {kNan, kNan}, kNanResult),
      f32("max.f32", {kNan, kMinusInf}, 0xff800000),
      f32("min.ftz.f32", {kMinusTiny, kZero}, 0x80000000),
  });
}

TEST_CASE("conversions: ties, signs of zero, infinities, saturation") {
  check_words({
      f32("cvt.rni.f32.f32", {"40200000"}, 0x40000000),  // 2.5
      f32("cvt.rni.f32.f32", {"40600000"}, 0x40800000),  // 3.5
      f32("cvt.rmi.f32.f32", {"bf000000"}, 0xbf800000),
      f32("cvt.rpi.f32.f32", {"bf000000"}, 0x80000000),
      f32("cvt.rzi.f32.f32", {"bf7fffff"}, 0x80000000),
      f32("cvt.rmi.f32.f32", {kTiny}, 0),
      f32("cvt.rpi.f32.f32", {kTiny}, 0x3f800000),
      f32("cvt.rpi.ftz.f32.f32", {kTiny}, 0),
      f32("cvt.sat.f32.f32", {kNan}, 0),
      f32("cvt.sat.f32.f32", {"40000000"}, 0x3f800000),
      f32("cvt.sat.f32.f32", {"bf800000"}, 0),
      {"cvt.rzi.s32.f32 %r9, 0f7fc00001;\n", 0},
      {"cvt.rzi.s32.f32 %r9, 0f4f000000;\n", 0x7fffffff},
      {"cvt.rzi.s32.f32 %r9, 0fcf000001;\n", 0x80000000},
      {"cvt.rzi.u32.f32 %r9, 0fbf800000;\n", 0},
      {"cvt.rpi.u32.f32 %r9, 0f7f800000;\n", 0xffffffff},
      {"cvt.rni.s32.f32 %r9, 0f3f000000;\n", 0},
      {"cvt.rni.s32.f32 %r9, 0f3fc00000;\n", 2},
      {"cvt.rmi.s32.f64 %r9, 0dbfe0000000000000;\n", 0xffffffff},
      {"cvt.rzi.u32.f64 %r9, 0d41f0000000000000;\n", 0xffffffff},
      {"cvt.rzi.u32.f64 %r9, 0d7ff8000000000000;\n", 0x80000000},
      {"mov.u32 %r1, -3;\ncvt.rn.sat.f32.s32 %f9, %r1;\nmov.b32 %r9, %f9;\n", 0},
      {"mov.u32 %r1, 5;\ncvt.rn.sat.f32.s32 %f9, %r1;\nmov.b32 %r9, %f9;\n", 0x3f800000},
      {"mov.u32 %r1, 16777217;\ncvt.rn.f32.u32 %f9, %r1;\nmov.b32 %r9, %f9;\n", 0x4b800000},
      {"mov.u32 %r1, 16777217;\ncvt.rp.f32.u32 %f9, %r1;\nmov.b32 %r9, %f9;\n", 0x4b800001},
      // 1 + 2^-30
      {"cvt.rz.f32.f64 %f9, 0d3ff0000000400000;\nmov.b32 %r9, %f9;\n", 0x3f800000},
      {"cvt.rp.f32.f64 %f9, 0d3ff0000000400000;\nmov.b32 %r9, %f9;\n", 0x3f800001},
      {"cvt.rm.f32.f64 %f9, 0dbff0000000400000;\nmov.b32 %r9, %f9;\n", 0xbf800001},
      {"cvt.rn.f32.f64 %f9, 0d7e37e43c8800759c;\nmov.b32 %r9, %f9;\n", 0x7f800000},
      {"cvt.rz.f32.f64 %f9, 0d7e37e43c8800759c;\nmov.b32 %r9, %f9;\n", 0x7f7fffff},
      {"cvt.rn.f32.f64 %f9, 0d3730000000000000;\nmov.b32 %r9, %f9;\n", 0x00000200},  // 2^-140
      {"cvt.rn.ftz.f32.f64 %f9, 0d3730000000000000;\nmov.b32 %r9, %f9;\n", 0},
      {"mov.u32 %r1, -5;\ncvt.sat.u8.s32 %r9, %r1;\n", 0},
      {"mov.u32 %r1, 300;\ncvt.sat.u8.s32 %r9, %r1;\n", 255},
      {"mov.u32 %r1, 200;\ncvt.s8.s32 %r9, %r1;\n", 0xffffffc8},
  });
  check_doubles({
      {"cvt.rzi.s64.f32 %rd9, 0f7fc00001;\n", 0x8000000000000000},
      {"cvt.rzi.s64.f32 %rd9, 0f5f000000;\n", 0x7fffffffffffffff},
      {"cvt.rzi.u64.f64 %rd9, 0d43f0000000000000;\n", 0xffffffffffffffff},
      {"cvt.rzi.u64.f64 %rd9, 0dbff0000000000000;\n", 0},
      {"cvt.f64.f32 %fd9, 0f00000001;\nmov.b64 %rd9, %fd9;\n", 0x36a0000000000000},
      {"cvt.ftz.f64.f32 %fd9, 0f80000001;\nmov.b64 %rd9, %fd9;\n", 0x8000000000000000},
      {"mul.f64 %fd9, 0d0010000000000000, 0d3fe0000000000000;\nmov.b64 %rd9, %fd9;\n",
       0x0008000000000000},
  });
}

TEST_CASE("integers: overflow, saturation, fields and products of parts") {
  check_words({
      b32("abs.s32 -2147483648", 0x80000000),
      b32("neg.s32 -2147483648", 0x80000000),
      b32("div.u32 7, 0", 0xffffffff),
      b32("rem.u32 7, 0", 7),
      b32("div.s32 -2147483648, -1", 0x80000000),
      b32("rem.s32 -7, 3", 0xffffffff),
      b32("div.s32 -7, 3", 0xfffffffe),
      b32("add.sat.s32 2147483647, 1", 0x7fffffff),
      b32("sub.sat.s32 -2147483648, 1", 0x80000000),
      b32("mad.hi.sat.s32 2147483647, 2147483647, 2147483647", 0x7fffffff),
      b32("mul24.lo.u32 16777215, 16777215", 0xfe000001),
      b32("mul24.hi.u32 16777215, 16777215", 0xfffffe00),
      b32("mul24.lo.s32 8388608, 2", 0xff000000),
      b32("mad24.lo.u32 16777216, 5, 9", 9),  // the factor's upper byte does not count
      b32("dp4a.s32.u32 -16711165, 33686018, 5", 15),
      b32("dp2a.lo.s32.s32 196607, 67305985, 10", 13),
      b32("dp2a.hi.s32.s32 196607, 67305985, 10", 15),
      b32("shl.b32 1, 32", 0),
      b32("shr.s32 -2147483648, 99", 0xffffffff),
      b32("shr.u32 -1, 32", 0),
      b32("shf.l.clamp.b32 10, 20, 33", 10),
      b32("shf.r.clamp.b32 10, 20, 40", 20),
      b32("shf.l.wrap.b32 0, 20, 33", 40),
      b32("shf.r.wrap.b32 0, 1, 33", 0x80000000),
      b32("bfe.s32 128, 7, 1", 0xffffffff),
      b32("bfe.u32 -1, 28, 8", 15),
      b32("bfe.s32 -2147483648, 40, 4", 0xffffffff),
      b32("bfi.b32 255, 0, 28, 8", 0xf0000000),
      b32("bmsk.clamp.b32 4, 8", 0xff0),
      b32("bmsk.clamp.b32 28, 8", 0xf0000000),
      b32("bmsk.clamp.b32 36, 8", 0),
      b32("bmsk.wrap.b32 36, 40", 0xff0),
      b32("szext.clamp.s32 255, 8", 0xffffffff),
      b32("szext.clamp.u32 -1, 8", 0xff),
      b32("szext.wrap.s32 255, 40", 0xffffffff),
      b32("szext.clamp.s32 255, 40", 0xff),
      b32("slct.u32.s32 11, 22, -1", 22),
      b32("slct.u32.s32 11, 22, 0", 11),
      b32("slct.u32.f32 11, 22, 0f80000000", 11),
      b32("slct.u32.f32 11, 22, 0f80000001", 22),
      b32("slct.ftz.u32.f32 11, 22, 0f80000001", 11),
      b32("slct.u32.f32 11, 22, 0f7fc00001", 22),
      b32("clz.b32 0", 32),
      b32("bfind.u32 0", 0xffffffff),
      b32("bfind.s32 -1", 0xffffffff),
      b32("cnot.b32 0", 1),
  });
}

TEST_CASE("halves: rounding, subnormals, infinities, pairs") {
  check_words({
      b16("add.f16", {0x7bff, 0x7bff}, 0x7c00),
      b16("add.f16", {0x0001, 0x0001}, 0x0002),
      b16("add.ftz.f16", {0x0001, 0x0001}, 0),
      b16("mul.f16", {0x0001, 0x3800}, 0),       // a tie, to even
      b16("mul.f16", {0x0003, 0x3800}, 0x0002),  // 1.5 of the smallest, to even
      b16("add.sat.f16", {0x3c00, 0x3c00}, 0x3c00),
      b16("sub.sat.f16", {0x0000, 0x3c00}, 0),
      b16("sub.f16", {0x7c00, 0x7c00}, 0x7fff),
      b16("min.f16", {0x7e00, 0x3c00}, 0x3c00),
      b16("max.NaN.f16", {0x7e00, 0x3c00}, 0x7fff),
      b16("neg.f16", {0x0000}, 0x8000),
      b16("abs.ftz.f16", {0x8001}, 0),
      b16("ex2.approx.f16", {0x4200}, 0x4800),
      b16("ex2.approx.f16", {0xfc00}, 0),
      b16("tanh.approx.f16", {0xfc00}, 0xbc00),
      b16("tanh.approx.f16", {0x8000}, 0x8000),
      b16("set.lt.f16.f16", {0x3c00, 0x4000}, 0x3c00),
      // {2, 3} * {4, 5} + {1, 1} = {9, 16}, lower half first
      pair("fma.rn.f16x2", {0x42004000, 0x45004400, 0x3c003c00}, 0x4c004880),
      pair("set.eq.f16x2.f16x2", {0x40003c00, 0x42003c00}, 0x00003c00),
      pair("set.ne.f16x2.f16x2", {0x40003c00, 0x42003c00}, 0x3c000000),
      pair("set.eq.u32.f16x2", {0x40003c00, 0x40003c01}, 0xffff0000),
      pair("set.lt.f16x2.f16x2", {0x7e003c00, 0x3c007e00}, 0),
      pair("set.ltu.f16x2.f16x2", {0x7e003c00, 0x3c007e00}, 0x3c003c00),
      pair("set.eq.ftz.f16x2.f16x2", {0x00013c00, 0x80013c00}, 0x3c003c00),
      pair("set.eq.f16x2.f16x2", {0x00013c00, 0x80013c00}, 0x00003c00),
      {"mov.b32 %r1, 0x40003c00;\nmov.b32 %r2, 0x3c004000;\nsetp.lt.f16x2 %p1|%p2, %r1, %r2;\n"
       "selp.u32 %r9, 1, 0, %p1;\n@%p2 or.b32 %r9, %r9, 2;\n",
       1},
      {"mov.b32 %r1, 0x40003c00;\nmov.b32 %r2, 0x3c004000;\nsetp.ge.u32 %p3, 0, 0;\n"
       "setp.lt.xor.f16x2 %p1|%p2, %r1, %r2, %p3;\n"
       "selp.u32 %r9, 1, 0, %p1;\n@%p2 or.b32 %r9, %r9, 2;\n",
       2},
      {"cvt.rn.bf16.f32 %rs1, 0f3f808000;\ncvt.u32.u16 %r9, %rs1;\n", 0x3f80},  // a tie, to even
      {"cvt.rn.bf16.f32 %rs1, 0f3f818000;\ncvt.u32.u16 %r9, %rs1;\n", 0x3f82},
      {"mov.b16 %rs1, 0x7bff;\ncvt.f32.f16 %f9, %rs1;\nmov.b32 %r9, %f9;\n", 0x477fe000},
      {"cvt.rn.f16.f32 %rs1, 0f477ff000;\ncvt.u32.u16 %r9, %rs1;\n", 0x7c00},
  });
}

TEST_CASE("modifiers in the order of inline assembly") {
  check_words({{"setp.eq.u32 %p1, 0, 0;\nvote.ballot.sync.b32 %r9, %p1, 0xffffffff;\n", 1},
               {"setp.eq.u32 %p1, 0, 0;\nvote.sync.ballot.b32 %r9, %p1, 0xffffffff;\n", 1}});
}

}  // namespace tessera::semantics_edge_test
