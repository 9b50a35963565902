// SPDX-License-Identifier: Apache-2.0
// Instructions, operands and constant expressions.
#include <cstring>
#include <limits>

#include "parser_support.h"

namespace tessera::ptx::parser_test {
namespace {

double as_double(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::int64_t integer_of(const std::string& text) {
  const std::vector<Operand> o = operands_of(text);
  REQUIRE(o.size() == 1);
  REQUIRE(o[0].kind == Operand::Kind::kInteger);
  return o[0].integer;
}

Operand one(const std::string& text) {
  const std::vector<Operand> o = operands_of(text);
  REQUIRE(o.size() == 1);
  return o[0];
}

TEST_CASE("an instruction keeps its opcode, modifiers, line and text") {
  const Function f = body_of("ret;\n  ld.global.nc.L2::128B.v4.f32  {%f1, %f2,\n _, %f3}, [%rd1];");
  REQUIRE(f.body.size() == 2);
  const Instruction& i = f.body[1];
  CHECK(i.opcode == "ld");
  CHECK(i.modifiers == Strings{"global", "nc", "L2::128B", "v4", "f32"});
  CHECK(i.line == 6);
  CHECK(i.text == "ld.global.nc.L2::128B.v4.f32 {%f1, %f2, _, %f3}, [%rd1]");
  CHECK(i.guard.empty());
  CHECK(f.body[0].opcode == "ret");
  CHECK(f.body[0].operands.empty());
  CHECK(f.body[0].line == 5);
}

TEST_CASE("modifiers may begin with a digit or hold several colons") {
  CHECK(instruction_of("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];").modifiers ==
        Strings{"2d", "v4", "f32", "f32"});
  CHECK(instruction_of("st.shared::cta.u32 [%r1], %r2;").modifiers ==
        Strings{"shared::cta", "u32"});
  CHECK(instruction_of("cp.x.mbarrier::complete_tx::bytes [%r1], 4;").modifiers ==
        Strings{"x", "mbarrier::complete_tx::bytes"});
}

TEST_CASE("a guard is a predicate, negated or not") {
  const Instruction plain = instruction_of("@p bra.uni L; L:");
  CHECK(plain.guard == "p");
  CHECK_FALSE(plain.guard_negated);
  CHECK(plain.text == "@p bra.uni L");
  const Instruction negated = instruction_of("@!q\n mov.u32 %r1, 5;");
  CHECK(negated.guard == "q");
  CHECK(negated.guard_negated);
  CHECK(negated.line == 6);
}

TEST_CASE("integers may be decimal, hex, octal or binary, and unsigned") {
  CHECK(integer_of("0") == 0);
  CHECK(integer_of("2147483648") == 2147483648);
  CHECK(integer_of("-1") == -1);
  CHECK(integer_of("0x1F") == 31);
  CHECK(integer_of("0Xff") == 255);
  CHECK(integer_of("017") == 15);
  CHECK(integer_of("0b101") == 5);
  CHECK(integer_of("0B11") == 3);
  CHECK(integer_of("42U") == 42);
  CHECK(integer_of("0x10U") == 16);
  CHECK(integer_of("0xFFFFFFFFFFFFFFFF") == -1);
  CHECK(integer_of("18446744073709551615U") == -1);
  CHECK(integer_of("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("constant expressions follow C") {
  CHECK(integer_of("WARP_SZ") == 32);
  CHECK(integer_of("(1<<4)+WARP_SZ") == 48);
  CHECK(integer_of("2+3*4-1") == 13);
  CHECK(integer_of("(2+3)*4") == 20);
  CHECK(integer_of("10-4-3") == 3);
  CHECK(integer_of("7%4") == 3);
  CHECK(integer_of("-7/2") == -3);
  CHECK(integer_of("-8>>1") == -4);
  CHECK(integer_of("0x8000000000000000U>>63") == 1);
  CHECK(integer_of("~5&0xff") == 250);
  CHECK(integer_of("1|6^2") == 5);
  CHECK(integer_of("1 < 2 && 3 >= 3") == 1);
  CHECK(integer_of("1 > 2 || 3 != 3") == 0);
  CHECK(integer_of("4 <= 3") == 0);
  CHECK(integer_of("2 == 2 ? 7 : 8") == 7);
  CHECK(integer_of("0 ? 7 : 1 ? 8 : 9") == 8);
  CHECK(integer_of("!3") == 0);
  CHECK(integer_of("!0") == 1);
  CHECK(integer_of("-1 < 0") == 1);
  CHECK(integer_of("-1 < 0U") == 0);
  CHECK(integer_of("18446744073709551615 > 0") == 1);
  CHECK(integer_of("-0.0 ? 7 : 8") == 8);
  CHECK(integer_of("(.u64)-1 / 2") == std::numeric_limits<std::int64_t>::max());
  CHECK(integer_of("(-9223372036854775807-1)/-1") == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("floats are bit patterns or decimal") {
  const Operand one_f32 = one("0f3F800000");
  CHECK(one_f32.kind == Operand::Kind::kFloat);
  CHECK(one_f32.is_f32_literal);
  CHECK(as_double(one_f32.float_bits) == 1.0);
  const Operand tiny = one("0F00000001");
  CHECK(as_double(tiny.float_bits) == std::numeric_limits<float>::denorm_min());
  CHECK(one("0f7F800001").float_bits == 0x7ff0000020000000);
  CHECK(one("0fFFC00000").float_bits == 0xfff8000000000000);
  CHECK(as_double(one("-0f3F800000").float_bits) == -1.0);

  const Operand f64 = one("0d400921FB54442D18");
  CHECK_FALSE(f64.is_f32_literal);
  CHECK(f64.float_bits == 0x400921FB54442D18);
  CHECK(as_double(one("1.5").float_bits) == 1.5);
  CHECK(as_double(one("-2.5e-3").float_bits) == -2.5e-3);
  CHECK(as_double(one("1e3").float_bits) == 1000.0);
  CHECK(as_double(one(".25").float_bits) == 0.25);
  CHECK(as_double(one("2.").float_bits) == 2.0);
  CHECK(as_double(one("1.0/4").float_bits) == 0.25);
  CHECK(one("1.5").is_f32_literal == false);
}

TEST_CASE("addresses have a base and an offset") {
  struct Case {
    const char* text;
    const char* name;
    std::int64_t offset;
  };
  for (const Case& c :
       {Case{"[%rd1]", "%rd1", 0}, Case{"[%rd1+16]", "%rd1", 16}, Case{"[%rd1+-8]", "%rd1", -8},
        Case{"[%rd1-8]", "%rd1", -8}, Case{"[%rd1-8+2*4]", "%rd1", 0}, Case{"[sym]", "sym", 0},
        Case{"[sym+4]", "sym", 4}, Case{"[a]", "a", 0}, Case{"[0x40]", "", 64},
        Case{"[%rd1+(2*4)]", "%rd1", 8}}) {
    CAPTURE(c.text);
    const Operand o = one(c.text);
    CHECK(o.kind == Operand::Kind::kAddress);
    CHECK(o.name == c.name);
    CHECK(o.integer == c.offset);
    CHECK(o.elements.empty());
  }
}

TEST_CASE("an address may be followed by a sampler and coordinates") {
  const Operand o = one("[tex, smp, {%f1, 0f00000000}]");
  CHECK(o.kind == Operand::Kind::kAddress);
  CHECK(o.name == "tex");
  REQUIRE(o.elements.size() == 2);
  CHECK(o.elements[0].kind == Operand::Kind::kSymbol);
  CHECK(o.elements[0].name == "smp");
  CHECK(o.elements[1].kind == Operand::Kind::kVector);
  REQUIRE(o.elements[1].elements.size() == 2);
  CHECK(o.elements[1].elements[0].name == "%f1");
  CHECK(o.elements[1].elements[0].kind == Operand::Kind::kRegister);
  CHECK(o.elements[1].elements[1].kind == Operand::Kind::kFloat);
}

TEST_CASE("registers, special registers, components and selectors") {
  const std::vector<Operand> o =
      operands_of("%r1, v.x, v.a, %tid.x, %ctaid.z, %laneid, !p, -%f1, %r2.b3, %r3.h1");
  REQUIRE(o.size() == 10);
  for (const Operand& operand : o) CHECK(operand.kind == Operand::Kind::kRegister);
  CHECK(o[0].name == "%r1");
  CHECK(o[0].component == -1);
  CHECK(o[1].name == "v");
  CHECK(o[1].component == 0);
  CHECK(o[2].name == "v");
  CHECK(o[2].component == 3);
  CHECK(o[3].name == "%tid.x");
  CHECK(o[3].component == -1);
  CHECK(o[4].name == "%ctaid.z");
  CHECK(o[5].name == "%laneid");
  CHECK(one("%nclusterid.w").name == "%nclusterid.w");
  CHECK(o[6].name == "p");
  CHECK(o[6].negated);
  CHECK(o[7].name == "%f1");
  CHECK(o[7].negated);
  CHECK_FALSE(o[1].negated);
  CHECK(o[8].selector == "b3");
  CHECK(o[9].selector == "h1");
  CHECK(o[9].name == "%r3");
}

TEST_CASE("two destinations share an operand") {
  const std::vector<Operand> o = operands_of("p|q, _|q, p|_, _");
  REQUIRE(o.size() == 4);
  CHECK(o[0].kind == Operand::Kind::kRegister);
  CHECK(o[0].name == "p");
  CHECK(o[0].second_name == "q");
  CHECK(o[1].kind == Operand::Kind::kSink);
  CHECK(o[1].second_name == "q");
  CHECK(o[2].name == "p");
  CHECK(o[2].second_name.empty());
  CHECK(o[3].kind == Operand::Kind::kSink);
  CHECK(o[3].second_name.empty());
}

TEST_CASE("a name that is no register is a symbol, with an offset") {
  const std::vector<Operand> o = operands_of("table, table+12, table-4, L, a");
  REQUIRE(o.size() == 5);
  for (const Operand& operand : o) CHECK(operand.kind == Operand::Kind::kSymbol);
  CHECK(o[0].name == "table");
  CHECK(o[0].integer == 0);
  CHECK(o[1].integer == 12);
  CHECK(o[2].integer == -4);
}

TEST_CASE("vectors hold registers, sinks and constants") {
  const Operand o = one("{%r1, _, 3, v.y}");
  CHECK(o.kind == Operand::Kind::kVector);
  REQUIRE(o.elements.size() == 4);
  CHECK(o.elements[0].kind == Operand::Kind::kRegister);
  CHECK(o.elements[1].kind == Operand::Kind::kSink);
  CHECK(o.elements[2].integer == 3);
  CHECK(o.elements[3].component == 1);
}

TEST_CASE("calls have lists of results and arguments") {
  const Instruction full = instruction_of("call.uni (r0), f, (x, 5, %r1), proto;");
  CHECK(full.modifiers == Strings{"uni"});
  REQUIRE(full.operands.size() == 4);
  CHECK(full.operands[0].kind == Operand::Kind::kParenList);
  REQUIRE(full.operands[0].elements.size() == 1);
  CHECK(full.operands[0].elements[0].name == "r0");
  CHECK(full.operands[1].kind == Operand::Kind::kSymbol);
  CHECK(full.operands[1].name == "f");
  REQUIRE(full.operands[2].elements.size() == 3);
  CHECK(full.operands[2].elements[1].integer == 5);
  CHECK(full.operands[3].name == "proto");

  const Instruction bare = instruction_of("call f;");
  REQUIRE(bare.operands.size() == 1);
  CHECK(bare.operands[0].name == "f");
  const Instruction empty = instruction_of("call f, ();");
  REQUIRE(empty.operands.size() == 2);
  CHECK(empty.operands[1].kind == Operand::Kind::kParenList);
  CHECK(empty.operands[1].elements.empty());
  CHECK(instruction_of("call (r0), %rd1, (x), proto;").operands[1].kind ==
        Operand::Kind::kRegister);
}

TEST_CASE("the census's forms of synchronisation and atomics") {
  CHECK(instruction_of("bar.sync 0;").operands[0].integer == 0);
  CHECK(instruction_of("barrier.cta.red.popc.u32 %r1, 0, !p;").operands[2].negated);
  CHECK(instruction_of("bar.warp.sync 0xffffffff;").operands[0].integer == 0xffffffff);
  CHECK(instruction_of("atom.add.acq_rel.gpu.global.u32 %r1, [%rd1+4], -1;").modifiers ==
        Strings{"add", "acq_rel", "gpu", "global", "u32"});
  const Instruction shfl = instruction_of("shfl.sync.bfly.b32 %r1|p, %r2, 16, 31, -1;");
  REQUIRE(shfl.operands.size() == 5);
  CHECK(shfl.operands[0].second_name == "p");
  CHECK(shfl.operands[4].integer == -1);
  CHECK(instruction_of("setp.lt.and.f32 p|q, %f1, %f2, !p;").operands.size() == 4);
}

TEST_CASE("comments and blanks stand anywhere") {
  const Function f = body_of(
      "mov.u32 // to the end ; of the line\n %r1 /* a\n b ; */ , 7 ;\r\n"
      "# 12 \"x.cu\"\n;;mov.u32 %r2,%r1;");
  REQUIRE(f.body.size() == 2);
  CHECK(f.body[0].line == 5);
  CHECK(f.body[0].text == "mov.u32 %r1 , 7");
  CHECK(f.body[0].operands[1].integer == 7);
  CHECK(f.body[1].line == 9);
}

}  // namespace
}  // namespace tessera::ptx::parser_test
