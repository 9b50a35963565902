// SPDX-License-Identifier: Apache-2.0
// The dialect of compilers and libraries for sm_80 to sm_100: each form decodes, or is refused by
// name.

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::dialect_test {

using tessera::test::KernelRunner;

namespace {

std::string outcome(const std::string& instruction) {
  const std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .pred %p<9>;\n"
      ".reg .b8 %b<9>;\n.reg .b16 %h<17>;\n.reg .b32 %r<17>;\n.reg .f32 %f<17>;\n"
      ".reg .f64 %fd<17>;\n.reg .b64 %rd<17>;\n.reg .b128 %q<9>;\n.shared .align 16 .b8 sh[64];\n"
      "ld.param.u64 %rd1, [in];\n" +
      instruction + "\nret;\n}\n";
  try {
    tessera::ptx::decode(tessera::ptx::parse(text, "d.ptx"), "k");
  } catch (const InputError& e) {
    return e.what();
  }
  return "decodes";
}

}  // namespace

TEST_CASE("forms that compilers write for sm_80 and later decode") {
  const std::vector<std::string> forms = {
      // Cache hints and eviction policies.
      "ld.global.nc.L1::no_allocate.L2::128B.u32 %r1,[%rd1];",
      "ld.global.L1::evict_last.u32 %r1,[%rd1];",
      "ld.weak.global.u32 %r1,[%rd1];",
      "ld.global.L2::256B.v4.f32 {%f1,%f2,%f3,%f4},[%rd1];",
      "ld.global.v4.f32 {%f1,_,%f3,_},[%rd1];",
      "st.global.L1::no_allocate.u32 [%rd1],%r1;",
      "ld.global.nc.L2::cache_hint.u32 %r1,[%rd1],%rd5;",
      "ld.global.L1::evict_first.L2::evict_last.L2::cache_hint.v2.b64 {%rd2,%rd3},[%rd1],%rd5;",
      "st.global.L2::cache_hint.v4.b32 [%rd1],{%r1,%r2,%r3,%r4},%rd5;",
      "red.global.add.L2::cache_hint.f32 [%rd1],%f1,%rd2;",
      "atom.global.add.noftz.L2::cache_hint.bf16x2 %r1,[%rd1],%r2,%rd2;",
      "createpolicy.fractional.L2::evict_first.b64 %rd5,1.0;",
      "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd5;",
      "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %rd2,[%rd1],0x100000,"
      "0x200000;",
      "createpolicy.cvt.L2.b64 %rd2,%rd3;",
      "discard.global.L2 [%rd1],128;",
      "applypriority.global.L2::evict_normal [%rd1],128;",
      "prefetch.global.L2::evict_last [%rd1];",
      "prefetchu.L1 [%rd1];",
      // Atomics.
      "red.global.add.u32 [%rd1],%r1;",
      "red.relaxed.gpu.global.add.f32 [%rd1],%f1;",
      "atom.global.sys.cas.b64 %rd5,[%rd1],%rd2,%rd3;",
      "atom.global.add.noftz.bf16x2 %r1,[%rd1],%r2;",
      "atom.global.add.noftz.bf16 %h1,[%rd1],%h2;",
      "atom.global.exch.b128 %q1,[%rd1],%q2;",
      "atom.shared.exch.b128 %q1,[sh],%q2;",
      "atom.global.cas.b128 %q1,[%rd1],%q2,%q3;",
      "atom.global.v2.f32.add {%f1,%f2},[%rd1],{%f3,%f4};",
      "atom.global.add.v2.f32 {%f1,%f2},[%rd1],{%f3,%f4};",
      "red.global.v4.f32.add [%rd1],{%f1,%f2,%f3,%f4};",
      "atom.global.max.noftz.v2.bf16 {%h1,%h2},[%rd1],{%h3,%h4};",
      "atom.global.v8.bf16.add.noftz {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8},[%rd1],"
      "{%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8};",
      "red.global.add.noftz.v4.bf16x2 [%rd1],{%r1,%r2,%r3,%r4};",
      "red.global.v2.f16x2.max.noftz [%rd1],{%r1,%r2};",
      // Arithmetic.
      "cvt.rna.tf32.f32 %r1,%f1;",
      "cvt.rn.bf16x2.f32 %r1,%f1,%f2;",
      "cvt.rn.f16x2.f32 %r1,%f1,%f2;",
      "cvt.rn.relu.satfinite.f16x2.f32 %r1,%f1,%f2;",
      "cvt.rn.satfinite.e4m3x2.f32 %h1,%f1,%f2;",
      "cvt.pack.sat.s8.s32.b32 %r1,%r2,%r3,%r4;",
      "add.cc.u64 %rd1,%rd2,%rd3;",
      "mad.hi.cc.s32 %r1,%r2,%r3,%r4;",
      "madc.lo.cc.u64 %rd1,%rd2,%rd3,%rd4;",
      "fma.rn.relu.f16x2 %r1,%r2,%r3,%r4;",
      "min.xorsign.abs.f32 %f1,%f2,%f3;",
      "min.NaN.f32 %f1,%f2,%f3;",
      "max.NaN.abs.f32 %f1,%f2,%f3,%f4;",
      "add.sat.f32 %f1,%f2,%f3;",
      "div.rn.f64 %fd1,%fd2,%fd3;",
      "sqrt.rp.f32 %f1,%f2;",
      "rcp.rz.f64 %fd1,%fd2;",
      "fma.rm.f64 %fd1,%fd2,%fd3,%fd4;",
      "bmsk.clamp.b32 %r1,%r2,%r3;",
      "szext.wrap.s32 %r1,%r2,%r3;",
      "shf.r.wrap.b32 %r1,%r2,%r3,%r4;",
      "prmt.b32.f4e %r1,%r2,%r3,%r4;",
      "lop3.or.b32 %r1|%p1,%r2,%r3,%r4,0x3f,%p2;",
      "lop3.and.b32 _|%p1,%r1,%r2,%r3,0x3f,!%p2;",
      "dp4a.u32.s32 %r1,%r2,%r3,%r4;",
      "vadd4.u32.u32.u32.sat %r1,%r2,%r3,%r4;",
      "vset4.u32.u32.lt %r1,%r2,%r3,%r4;",
      "vmad.u32.u32.u32 %r1,%r2,%r3,%r4;",
      "vmad.s32.s32.u32.sat %r1,%r2,%r3,-%r4;",
      "vshl.u32.u32.u32.clamp %r1,%r2,%r3,%r4;",
      "vabsdiff.s32.s32.s32.sat %r1.h0,%r2.b0,%r3.b2,%r4;",
      "vavrg2.s32.s32.s32 %r1.h1,%r2.h20,%r3,%r4;",
      "tanh.approx.bf16 %h1,%h2;",
      "ex2.approx.ftz.f32 %f1,%f2;",
      "mov.b128 %q1,{%rd1,%rd2};",
      "setp.ne.and.s32 %p1|%p3,%r1,%r2,!%p2;",
      "set.lt.f32.s32 %f1,%r1,%r2;",
      "cnot.b32 %r1,%r2;",
      "min.s32.relu %r1,%r2,%r3;",
      "max.s16x2.relu %r1,%r2,%r3;",
      "fma.rn.f16x2.relu %r1,%r2,%r3,%r4;",
      // Spaces, fences, special registers.
      "isspacep.global %p1,%rd1;",
      "isspacep.shared::cta %p1,%rd1;",
      "membar.sys;",
      "membar.proxy.alias;",
      "fence.acq_rel.gpu;",
      "fence.sc.sys;",
      "fence.proxy.async;",
      "fence.proxy.async.shared::cta;",
      "fence.proxy.alias;",
      "fence.mbarrier_init.release.cluster;",
      "fence.acquire.sync_restrict::shared::cluster.cluster;",
      "griddepcontrol.wait;",
      "griddepcontrol.launch_dependents;",
      "setmaxnreg.inc.sync.aligned.u32 160;",
      "mov.u32 %r1,%smid;",
      "mov.u64 %rd1,%clock64;",
      "mov.u32 %r1,%dynamic_smem_size;",
      "mov.u32 %r1,%total_smem_size;",
      "mov.u32 %r1,%nwarpid;",
      "mov.u64 %rd1,%gridid;",
      "mov.u32 %r1,%cluster_ctarank;",
      "mapa.u64 %rd1,%rd2,0;",
      "pmevent 1;",
      "nanosleep.u32 100;",
      // Warps and barriers.
      "barrier.cta.red.popc.aligned.u32 %r1,0,%p1;",
      "bar.red.or.pred %p1,0,!%p2;",
      "bar.warp.sync 0xffffffff;",
      "redux.sync.xor.b32 %r1,%r2,0xffffffff;",
      "redux.sync.min.f32 %f1,%f2,0xffffffff;",
      "match.all.sync.b64 %r1|%p1,%rd1,0xffffffff;",
      "shfl.sync.bfly.b32 %r1|%p1,%r2,1,0x1f,0xffffffff;",
      "vote.sync.uni.pred %p1,%p2,0xffffffff;",
      "@!%p1 ld.global.u32 %r1,[%rd9];",
      // Matrices.
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4},[%r5];",
      "ldmatrix.sync.aligned.x4.m8n8.trans.shared.b16 {%r1,%r2,%r3,%r4},[sh];",
      "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r5],{%r1,%r2};",
      "movmatrix.sync.aligned.m8n8.trans.b16 %r1,%r2;",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},"
      "{%r5,%r6},{%f1,%f2,%f3,%f4};",
      "mma.sync.aligned.m8n8k4.row.col.f64.rn.f64.f64.f64 {%fd1,%fd2},{%fd3},{%fd4},{%fd5,%fd6};",
  };
  for (const std::string& form : forms) {
    INFO(form);
    CHECK(outcome(form) == "decodes");
  }
}

TEST_CASE("forms beyond the model are refused with their reason") {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"max3.f32 %f1,%f2,%f3,%f4;", "PTX 8.8 writes max.f32 with three sources"},
      {"tensormap.replace.tile.rank.global.b1024.b32 [%rd1],1;", "tensor maps are not modelled"},
      {"wgmma.fence.sync.aligned;", "this form of tensor core instruction is not modelled"},
      {"tcgen05.fence::before_thread_sync;", "this form of tensor core instruction"},
      {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2},"
       "{%r5,%r6},{%f1,%f2,%f3,%f4},%r7,0;",
       "sparse matrices are not modelled"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},"
       "{%r5,%r6},{%r7,%r8};",
       "supported: mma.sync.aligned"},
      {"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},"
       "{%r5,%r6},{%f1,%f2,%f3,%f4};",
       "supported: mma.sync.aligned"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2},{%r5,%r6},"
       "{%f1,%f2,%f3,%f4};",
       "a fragment of 4 registers is needed, not of 2"},
      {"mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 {%fd1,%fd2},{%fd3},{%fd4},{%fd5,%fd6};",
       "'.rz'"},
      {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1,%r2},[%r5];", "'.m16n16'"},
      {"atom.shared.add.noftz.v2.f16 {%h1,%h2},[sh],{%h3,%h4};", "supported: atom/red"},
      {"atom.global.v2.f32.min {%f1,%f2},[%rd1],{%f3,%f4};", "supported: atom/red"},
      {"atom.global.min.noftz.f16x2 %r1,[%rd1],%r2;", "supported: atom/red"},
      {"vset4.u32.u32.ne.max %r1,%r2,%r3,%r4;", "supported: v{add"},
      {"vset4.u32.u32.u32.lt %r1,%r2,%r3,%r4;", "supported: v{add"},
      {"vadd4.s32.s32.s32.sat.add %r1,%r2,%r3,%r4;", "supported: v{add"},
      {"vadd.u32.u32.u32 %r1.b1,%r2,%r3;", "instead of 4"},
      {"fence.proxy.tensormap::generic.release.gpu;", "supported: membar"},
      {"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
       "[%r1],[%r2];",
       "clusters are not modelled"},
      {"add.u32 %q1,%r1,%r2;", "destination '%q1' has 128 bits instead of 32"},
      {"ld.global.u32 %q1,[%rd1];", "has 128 bits"},
      {"lop3.b32 %r1|%p1,%r2,%r3,%r4,0x3f;", "it has one destination"},
  };
  for (const auto& [form, why] : forms) {
    INFO(form);
    CHECK_THAT(outcome(form), Catch::Contains("is not supported") && Catch::Contains(why));
  }
}

TEST_CASE("a kernel of clusters of several CTAs is refused, one of single CTAs is not") {
  const auto with = [](const std::string& directive) {
    const std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()" +
                             directive + "\n{\nret;\n}\n";
    try {
      tessera::ptx::decode(tessera::ptx::parse(text, "d.ptx"), "k");
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("decodes");
  };
  CHECK(with(".explicitcluster\n.reqnctapercluster 1, 1, 1") == "decodes");
  CHECK(with(".reqnctapercluster 2, 1, 1") ==
        "d.ptx:4: kernel 'k' needs clusters of 2, 1, 1 CTAs (.reqnctapercluster); supported: "
        "clusters of one CTA");
}

TEST_CASE("cache hints and policies change no value") {
  const std::string plain =
      "ld.global.v2.u32 {%r1, %r2}, [%rd2];\nst.global.u32 [%rd1], %r1;\n"
      "red.global.add.u32 [%rd1], %r2;\n";
  const std::string hinted =
      "createpolicy.fractional.L2::evict_first.b64 %rd9, 0.5;\n"
      "prefetch.global.L2::evict_last [%rd2];\napplypriority.global.L2::evict_normal [%rd2], 128;\n"
      "ld.global.L1::no_allocate.L2::cache_hint.L2::256B.v2.u32 {%r1, %r2}, [%rd2], %rd9;\n"
      "st.global.L1::evict_last.L2::cache_hint.u32 [%rd1], %r1, %rd9;\n"
      "discard.global.L2 [%rd2], 128;\n"
      "red.global.add.L2::cache_hint.u32 [%rd1], %r2, %rd9;\n";
  std::vector<std::uint32_t> results;
  for (const std::string& body : {plain, hinted}) {
    for (const bool carried : {false, true}) {
      KernelRunner k(tessera::test::kernel_text(body));
      k.set_input<std::uint32_t>(0, 40);
      k.set_input<std::uint32_t>(1, 2);
      carried ? k.run_carried({32, 1, 1}, {1, 1, 1}, 5) : static_cast<void>(k.run());
      results.push_back(k.result<std::uint32_t>(31));
    }
  }
  CHECK(results == std::vector<std::uint32_t>{42, 42, 42, 42});
}

TEST_CASE("a fence of the asynchronous proxy waits for writes beyond shared memory") {
  KernelRunner k(tessera::test::kernel_text(
      "fence.proxy.async;\nfence.proxy.async.global;\nfence.proxy.async.shared::cta;\n"
      "fence.mbarrier_init.release.cluster;\nfence.acq_rel.cluster;\n"));
  const auto program = k.program({1, 1, 1}, {32, 1, 1}, false);
  tessera::test::CarriedRunner runner(*program, k.memory, 1);
  runner.run();
  CHECK(runner.fences == 3);
}

}  // namespace tessera::dialect_test
