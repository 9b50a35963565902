// SPDX-License-Identifier: Apache-2.0
#pragma once

// A kernel k(a, b, n) of two phases: a[i] = 3 i; grid.sync(); b[i] = a[n - 1 - i] + i. In between
// is what nvcc 13 makes of cooperative_groups::this_grid().sync().

#include <string>

namespace tessera::test {

inline std::string grid_sync_text() {
  return R"(.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
.reg .pred %p<5>;
.reg .b32 %r<47>;
.reg .b64 %rd<18>;
ld.param.u64 %rd6, [a];
ld.param.u64 %rd5, [b];
ld.param.u32 %r7, [n];
mov.u32 %r8, %envreg2;
cvt.u64.u32 %rd7, %r8;
mov.u32 %r9, %envreg1;
cvt.u64.u32 %rd8, %r9;
bfi.b64 %rd1, %rd8, %rd7, 32, 32;
mov.u32 %r1, %ntid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %tid.x;
mad.lo.s32 %r10, %r2, %r1, %r3;
mul.lo.s32 %r11, %r10, 3;
cvt.s64.s32 %rd2, %r10;
cvta.to.global.u64 %rd3, %rd6;
mul.wide.s32 %rd9, %r10, 4;
add.s64 %rd10, %rd3, %rd9;
st.global.u32 [%rd10], %r11;
setp.ne.s64 %p1, %rd1, 0;
@%p1 bra $L__BB2_2;
trap;
$L__BB2_2:
barrier.sync 0;
mov.u32 %r4, %tid.y;
add.s32 %r12, %r3, %r4;
mov.u32 %r5, %tid.z;
neg.s32 %r13, %r5;
setp.eq.s32 %p2, %r12, %r13;
@%p2 bra $L__BB2_3;
bra.uni $L__BB2_5;
$L__BB2_3:
add.s64 %rd11, %rd1, 4;
mov.u32 %r16, %nctaid.x;
mov.u32 %r17, %nctaid.y;
mul.lo.s32 %r18, %r16, %r17;
mov.u32 %r19, %nctaid.z;
mul.lo.s32 %r20, %r18, %r19;
mov.u32 %r21, %ctaid.y;
add.s32 %r22, %r2, %r21;
mov.u32 %r23, %ctaid.z;
neg.s32 %r24, %r23;
setp.eq.s32 %p3, %r22, %r24;
mov.u32 %r25, -2147483647;
sub.s32 %r26, %r25, %r20;
selp.b32 %r15, %r26, 1, %p3;
atom.add.release.gpu.u32 %r14,[%rd11],%r15;
$L__BB2_4:
ld.acquire.gpu.u32 %r27,[%rd11];
xor.b32 %r28, %r27, %r14;
setp.gt.s32 %p4, %r28, -1;
@%p4 bra $L__BB2_4;
$L__BB2_5:
cvt.u32.u64 %r29, %rd2;
barrier.sync 0;
not.b32 %r30, %r29;
add.s32 %r31, %r30, %r7;
mul.wide.s32 %rd13, %r31, 4;
add.s64 %rd14, %rd3, %rd13;
ld.global.u32 %r45, [%rd14];
add.s32 %r46, %r29, %r45;
cvta.to.global.u64 %rd15, %rd5;
shl.b64 %rd16, %rd2, 2;
add.s64 %rd17, %rd15, %rd16;
st.global.u32 [%rd17], %r46;
ret;
}
)";
}

}  // namespace tessera::test
