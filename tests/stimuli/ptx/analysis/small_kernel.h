// SPDX-License-Identifier: Apache-2.0
#pragma once

// PTX text of a kernel "k" with parameters p, q (pointers) and n, s (32-bit numbers).

#include <string>

namespace tessera::test {

/// The global pointers are in %rd1 and %rd2, n in %r1, s in %r2, tid.x in %r3, ctaid.x in %r4,
/// ntid.x in %r5, and the thread's index in the grid in %r6. Free: %r10 to %r99, %rd10 to %rd99.
inline std::string small_kernel(const std::string& body) {
  return ".version 7.0\n.target sm_75\n.address_size 64\n"
         ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n, .param .u32 s)\n{\n"
         ".reg .pred %p<40>;\n.reg .b16 %rs<20>;\n.reg .b32 %r<200>;\n.reg .b64 %rd<200>;\n"
         ".reg .f32 %f<20>;\n"
         "ld.param.u64 %rd3, [p];\nld.param.u64 %rd4, [q];\n"
         "cvta.to.global.u64 %rd1, %rd3;\ncvta.to.global.u64 %rd2, %rd4;\n"
         "ld.param.u32 %r1, [n];\nld.param.u32 %r2, [s];\n"
         "mov.u32 %r3, %tid.x;\nmov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\n"
         "mad.lo.s32 %r6, %r4, %r5, %r3;\n" +
         body + "\nret;\n}\n";
}

}  // namespace tessera::test
