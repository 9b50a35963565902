// SPDX-License-Identifier: Apache-2.0
// Bodies of functions: registers, scopes, labels, targets.
#include "parser_support.h"

namespace tessera::ptx::parser_scope_test {
namespace {

Strings names(const std::vector<Variable>& variables) {
  Strings out;
  for (const Variable& v : variables) out.push_back(v.name);
  return out;
}

TEST_CASE("a register range stands for its names") {
  const Function f =
      module_of(".func f { .reg .b32 %r<3>, x; .reg .pred %p<2>; .reg .v2 .f32 w; }").functions[0];
  CHECK(names(f.variables) == Strings{"%r0", "%r1", "%r2", "x", "%p0", "%p1", "w"});
  CHECK(f.variables[2].type == Type::kB32);
  CHECK(f.variables[3].space == StateSpace::kReg);
  CHECK(f.variables[4].type == Type::kPred);
  CHECK(f.variables[6].vector == 2);
  CHECK(f.variables[6].bytes() == 8);
}

TEST_CASE("bodies declare shared, local and param arrays") {
  const Function f =
      module_of(".entry k { .shared .align 16 .b8 t[128]; .local .f64 l[2][3]; .param .b64 p; }")
          .functions[0];
  REQUIRE(f.variables.size() == 3);
  CHECK(f.variables[0].space == StateSpace::kShared);
  CHECK(f.variables[0].align == 16);
  CHECK(f.variables[0].bytes() == 128);
  CHECK(f.variables[1].space == StateSpace::kLocal);
  CHECK(f.variables[1].elements == 6);
  CHECK(f.variables[1].bytes() == 48);
  CHECK(f.variables[2].space == StateSpace::kParam);
  CHECK_FALSE(f.variables[2].is_array);
}

TEST_CASE("names of an inner scope hide outer ones and end with it") {
  const Function f = body_of(
      "mov.u32 %r1, 1;\n"
      "{ .reg .b32 %r1; .reg .pred t; mov.u32 %r1, %r2; @t mov.u32 %r3, %r1;\n"
      "  { .reg .pred t; @!t mov.u32 %r1, [%r1+4]; } }\n"
      "{ .reg .pred t; setp.eq.u32 t|q, %r1, 0; }\n"
      "mov.u32 %r1, t;");
  REQUIRE(f.body.size() == 6);
  CHECK(f.body[0].operands[0].name == "%r1");
  CHECK(f.body[1].operands[0].name == "%r1@1");
  CHECK(f.body[1].operands[1].name == "%r2");
  CHECK(f.body[2].guard == "t@1");
  CHECK(f.body[2].operands[0].name == "%r3");
  CHECK(f.body[2].operands[1].name == "%r1@1");
  CHECK(f.body[3].guard == "t@2");
  CHECK(f.body[3].operands[1].kind == Operand::Kind::kAddress);
  CHECK(f.body[3].operands[1].name == "%r1@1");
  CHECK(f.body[4].operands[0].name == "t@3");
  CHECK(f.body[4].operands[0].kind == Operand::Kind::kRegister);
  CHECK(f.body[5].operands[0].name == "%r1");
  CHECK(f.body[5].operands[1].kind == Operand::Kind::kSymbol);

  const Strings all = names(f.variables);
  for (const char* name : {"%r1", "%r1@1", "t@1", "t@2", "t@3"}) {
    CHECK(std::count(all.begin(), all.end(), name) == 1);
  }
}

TEST_CASE("a name means the outer one until the inner declaration") {
  const Function f = body_of("{ mov.u32 %r1, 1; .reg .b32 %r1; mov.u32 %r1, 2; }");
  CHECK(f.body[0].operands[0].name == "%r1");
  CHECK(f.body[1].operands[0].name == "%r1@1");
}

TEST_CASE("second destinations and list elements are renamed as well") {
  const Function f = body_of(
      "{ .reg .pred s; .reg .b32 u; shfl.sync.idx.b32 %r1|s, {u, %r2}, [%rd1, {u}], 0, -1; }");
  const std::vector<Operand>& o = f.body[0].operands;
  CHECK(o[0].second_name == "s@1");
  CHECK(o[1].elements[0].name == "u@1");
  CHECK(o[1].elements[1].name == "%r2");
  CHECK(o[2].elements[0].elements[0].name == "u@1");
}

TEST_CASE("parameters of a call belong to its scope") {
  const Function f = body_of(
      "{ .param .b32 x; st.param.b32 [x+0], %r1; call f, (x); }\n"
      "{ .param .b64 x; st.param.b64 [x+0], %rd1; call f, (x); }");
  CHECK(f.body[0].operands[0].name == "x@1");
  CHECK(f.body[1].operands[1].elements[0].name == "x@1");
  CHECK(f.body[1].operands[1].elements[0].kind == Operand::Kind::kSymbol);
  CHECK(f.body[2].operands[0].name == "x@2");
}

TEST_CASE("labels give the index of the next instruction, forwards and backwards") {
  const Function f =
      body_of("bra $L__BB0_2;\n$L__BB0_1: LBB0_3:\n ret;\n$L__BB0_2: bra LBB0_3; end:");
  REQUIRE(f.labels.size() == 4);
  CHECK(f.labels[0].name == "$L__BB0_1");
  CHECK(f.labels[0].position == 1);
  CHECK(f.labels[1].name == "LBB0_3");
  CHECK(f.labels[1].position == 1);
  CHECK(f.labels[2].position == 2);
  CHECK(f.labels[3].name == "end");
  CHECK(f.labels[3].position == 3);
  CHECK(f.body[0].operands[0].kind == Operand::Kind::kSymbol);
  CHECK(f.body[0].operands[0].name == "$L__BB0_2");
}

TEST_CASE("labels of separate scopes may be named alike") {
  const Function f = body_of("{ bra W; W: ret; }\n{ W: bra W; bra X; }\n X:");
  REQUIRE(f.labels.size() == 3);
  CHECK(f.labels[0].name == "W@1");
  CHECK(f.labels[1].name == "W@2");
  CHECK(f.body[0].operands[0].name == "W@1");
  CHECK(f.body[2].operands[0].name == "W@2");
  CHECK(f.body[3].operands[0].name == "X");
}

TEST_CASE("branch targets, call targets and prototypes are kept by name") {
  const Function f = body_of(
      "{ ts: .branchtargets A, B, C;\n brx.idx %r1, ts;\n A: B: }\n C: ret;\n"
      "cs: .calltargets f, g;\n"
      "pr : .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16], .param .f64 _);\n"
      "none: .callprototype ()_ () .noreturn;\n");
  CHECK(f.branch_targets.at("ts@1") == Strings{"A@1", "B@1", "C"});
  CHECK(f.body[0].operands[1].name == "ts@1");
  CHECK(f.call_targets.at("cs") == Strings{"f", "g"});
  const Prototype& p = f.prototypes.at("pr");
  REQUIRE(p.returns.size() == 1);
  CHECK(p.returns[0].type == Type::kB32);
  REQUIRE(p.parameters.size() == 2);
  CHECK(p.parameters[0].bytes() == 16);
  CHECK(p.parameters[0].align == 8);
  CHECK(p.parameters[1].type == Type::kF64);
  CHECK_FALSE(p.noreturn);
  CHECK(f.prototypes.at("none").noreturn);
  CHECK(f.prototypes.at("none").returns.empty());
  CHECK(f.labels.size() == 3);
}

TEST_CASE("debugging directives in a body make no statement") {
  const Function f = body_of(
      ".loc 1 12 5\n mov.u32 %r1, 0;\n"
      ".loc\t1 3 9, function_name $L__info_string0, inlined_at 1 10 3\n mov.u32 %r1, 1;\n"
      ".loc 1 3 9, function_name $L__info_string0+16, inlined_at 1 10 3\n ret;");
  CHECK(f.body.size() == 3);
  CHECK(f.labels.empty());
}

TEST_CASE("pragmas are kept as text") {
  CHECK(body_of(".pragma \"nounroll\";\n.pragma \"a\", \"b\";").directives.at("pragma") ==
        "nounroll, a, b");
}

TEST_CASE("a parameter in a register is a register") {
  const Function f =
      module_of(".func (.reg .u32 r) f(.reg .u32 x, .param .u32 y) { add.u32 r, x, y; }")
          .functions[0];
  CHECK(f.body[0].operands[0].kind == Operand::Kind::kRegister);
  CHECK(f.body[0].operands[1].kind == Operand::Kind::kRegister);
  CHECK(f.body[0].operands[2].kind == Operand::Kind::kSymbol);
}

}  // namespace
}  // namespace tessera::ptx::parser_scope_test
