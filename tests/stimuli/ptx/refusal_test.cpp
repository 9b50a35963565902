// SPDX-License-Identifier: Apache-2.0
// What cannot run is refused at decode, with its line, its text and what would do.

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::refusal_test {

using tessera::test::kernel_text;
using tessera::test::KernelRunner;

namespace {

std::string refusal(const std::string& body, const std::string& module_scope = {}) {
  const auto module = tessera::ptx::parse(kernel_text(body, module_scope), "test.ptx");
  try {
    tessera::ptx::decode(module, "k");
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

bool says(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    if (message.find(part) == std::string::npos) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("refusals name file, line, text and what is supported") {
  const std::string m = refusal("add.rz.f16 %rs1, %rs2, %rs3;");
  INFO(m);
  CHECK(says(m, {"test.ptx:", "'add.rz.f16 %rs1, %rs2, %rs3' is not supported", "supported: add.",
                 "add.f32"}));
}

TEST_CASE("modifiers that would change the value are not ignored") {
  for (const char* text :
       {"add.sat.u32 %r1, %r2, %r3;", "mul.f32.ftz %f1, %f2, %f3;",
        "min.xorsign.f32 %f1, %f2, %f3;",
        "ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];",
        "ld.global.unified.u32 %r1, [%rd1];", "atom.global.add.noftz.f32 %f1, [%rd1], %f2;",
        "atom.global.min.f32 %f1, [%rd1], %f2;", "st.global.nc.u32 [%rd1], %r1;",
        "cvt.rm.relu.f16.f32 %rs1, %f1;", "bar.sync.foo 0;", "bra.foo L;",
        "atom.global.exch.b16 %rs1, [%rd1], %rs2;", "atom.global.add.f16 %rs1, [%rd1], %rs2;",
        "setp.lt.nand.u32 %p1, %r1, %r2, %p2;", "add.rn.relu.f16 %rs1, %rs1, %rs1;"}) {
    INFO(text);
    CHECK(says(refusal(text), {"is not supported"}));
  }
}

TEST_CASE("what the model leaves out is refused by name") {
  CHECK(says(refusal("wgmma.fence.sync.aligned;"),
             {"this form of tensor core instruction is not modelled; supported: mma, wmma"}));
  CHECK(says(refusal("cp.async.bulk.tensor.1d.shared::cluster.global.tile [%r1], [%rd1, {%r2}];"),
             {"tensor maps are not modelled; supported: cp.async"}));
  CHECK(says(refusal("sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3;"),
             {"test.ptx:21:", "reductions on surfaces are not modelled"}));
  CHECK(says(refusal("mov.u32 %r1, %envreg3;"), {"%envreg3", "supported: %envreg1 and %envreg2"}));
  CHECK(says(refusal("call (%r1), mallocs, (%rd1);",
                     ".extern .func (.param .b64 r) mallocs\n"
                     "(.param .b64 n);\n"),
             {"no function 'mallocs' with a body", "__assertfail, malloc, free"}));
  CHECK(says(refusal("brx.idx %r1, L;"), {"indirect branches"}));
  CHECK(
      says(refusal("frobnicate.u32 %r1;"), {"unknown instruction 'frobnicate'", "supported: abs"}));
  CHECK(says(refusal("adds.u32 %r1, %r2, %r3;"), {"did you mean 'add'?"}));
  const std::string close = refusal("mmma.sync.aligned.m16n8k16 %r1;");
  CHECK(says(close, {"did you mean 'mma'?", "brkpt", "vabsdiff4", "vadd,"}));
  CHECK(close.find(" _") == std::string::npos);
}

TEST_CASE("forms of textures and surfaces that do not run are refused by name") {
  const auto fetch = [](const std::string& form, const std::string& tail) {
    return refusal(form + " {%f1, %f2, %f3, %f4}, [%rd1, " + tail + ";");
  };
  CHECK(says(fetch("tex.cube.v4.f32.f32", "{%f5, %f6, %f7, %f7}]"),
             {"test.ptx:21:", "cube maps are not modelled"}));
  CHECK(says(fetch("tex.grad.2d.v4.f32.f32", "{%f5, %f6}], {%f1, %f2}, {%f3, %f4}"),
             {"mipmaps, which are not modelled"}));
  CHECK(says(fetch("tex.2dms.v4.f32.s32", "{%r1, %r2, %r3, %r3}]"), {"multi-sample"}));
  CHECK(says(fetch("tex.2d.v4.f32.f32", "%rd2, {%f5, %f6}]"), {"separate samplers"}));
  CHECK(says(fetch("tex.2d.v4.f32.f32", "{%f5, %f6}], {%r1, %r2}"),
             {"offsets and depth comparison"}));
  CHECK(says(fetch("tex.2d.v4.f32.f32", "{%f5}]"), {"1 coordinates where 2 are needed"}));
  CHECK(says(fetch("tex.2d.v2.f32.f32", "{%f5, %f6}]"), {"supported: tex{.level}"}));
  CHECK(says(fetch("tex.2d.v4.f16.f32", "{%f5, %f6}]"), {"supported: tex{.level}"}));
  CHECK(says(fetch("tld4.r.3d.v4.f32.f32", "{%f5, %f6, %f7, %f7}]"), {"tld4.{r,g,b,a}"}));
  CHECK(says(refusal("sust.p.2d.v4.b32.trap [%rd1, {%r1, %r2}], {%r3, %r4, %r5, %r6};"),
             {"formatted surface accesses are not modelled; supported: .b"}));
  CHECK(says(refusal("suld.b.2d.v4.b64.trap {%rd1, %rd2, %rd3, %rd4}, [%rd1, {%r1, %r2}];"),
             {"supported: suld.b"}));
  CHECK(says(refusal("txq.channel_order.b32 %r1, [%rd1];"), {"supported: txq.{width"}));
  CHECK(says(refusal("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%r1, {%f5, %f6}];"),
             {"'%r1' has 32 bits where 64 bits are needed"}));
  CHECK(fetch("tex.2d.v4.f32.f32", "{%f5, %f6}]") == "accepted");
}

TEST_CASE("operands must fit the instruction") {
  CHECK(says(refusal("add.u32 %r1, %r2, %rd3;"), {"'%rd3' has 64 bits where 32 bits are needed"}));
  CHECK(says(refusal("add.u32 %r1, %r2, %r99;"), {"%r99"}));
  CHECK(says(refusal("add.u32 %r1, %r2;"), {"2 operands instead of 3"}));
  CHECK(says(refusal("@%p8 bra NOWHERE;"), {"label 'NOWHERE'"}));
  CHECK(says(refusal("setp.eq.u32 %r1, %r2, %r3;"), {"%r1"}));
  CHECK(says(refusal("ld.global.u32 %p1, [%rd1];"), {"is a predicate"}));
  CHECK(says(refusal("ld.param.u64 %rd5, [in+4];"), {"runs over the end of the parameter"}));
  CHECK(says(refusal("st.param.u64 [in], %rd5;"), {"cannot be written"}));
}

TEST_CASE("hints that change no value are accepted") {
  CHECK(refusal("ld.global.L1::evict_last.L2::128B.u32 %r1, [%rd1];") == "accepted");
  CHECK(refusal("div.full.ftz.f32 %f1, %f2, %f3;") == "accepted");
  CHECK(refusal("prefetch.global.L2 [%rd1];") == "accepted");
}

TEST_CASE("launches must fit the kernel") {
  KernelRunner k(kernel_text(""));
  tessera::LaunchRequest request;
  request.arguments = {tessera::KernelArgument::of(k.out)};
  tessera::ptx::MemoryView view;
  view.allocations = &k.allocations;
  const auto kernel = tessera::ptx::decode(k.module, "k");
  CHECK_THROWS_WITH(tessera::ptx::make_program(kernel, request, view),
                    Catch::Contains("takes 2 arguments, not 1"));
  request.arguments.push_back(tessera::KernelArgument::of(1));
  CHECK_THROWS_WITH(tessera::ptx::make_program(kernel, request, view),
                    Catch::Contains("has 4 bytes; expected 8"));
  request.arguments[1] = tessera::KernelArgument::of(k.in);
  request.block = {1025, 1, 1};
  CHECK_THROWS_WITH(tessera::ptx::make_program(kernel, request, view),
                    Catch::Contains("1025 threads"));
  CHECK_THROWS_WITH(tessera::ptx::decode(k.module, "kk"), Catch::Contains("did you mean 'k'?"));
}

}  // namespace tessera::refusal_test
