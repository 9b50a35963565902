// SPDX-License-Identifier: Apache-2.0
// Garbled text: every message names the file, the line, what stands there and what was expected.
#include "parser_support.h"

namespace tessera::ptx::parser_error_test {
namespace {

/// Message for text at module scope, which begins in line 4.
std::string module_error(const std::string& text) { return error_of(kHeader + text); }

/// Message for text in a body, in line 5.
std::string body_error(const std::string& text) {
  return error_of(kHeader + ".entry k() { .reg .b32 %r<9>; .reg .pred p;\n" + text + "\n}");
}

TEST_CASE("text that is not PTX") {
  CHECK(error_of("") == "t.ptx:1: end of the text; expected PTX text, which begins with .version");
  CHECK(error_of("\nELF") == "t.ptx:2: found 'ELF'; expected PTX text, which begins with .version");
  CHECK(error_of(".version 8.0\n") ==
        "t.ptx:2: end of the text; expected a .target directive before it");
  CHECK(module_error("\x7f") == "t.ptx:4: found '\\x7f'; expected PTX text");
  CHECK(module_error("#define A 1") ==
        "t.ptx:4: preprocessor directive; expected text that has been preprocessed");
}

TEST_CASE("unterminated strings, comments and blocks") {
  CHECK(module_error(".pragma \"a\n;") == "t.ptx:4: string without an end; expected '\"'");
  CHECK(module_error("\n/* a\n") == "t.ptx:5: comment without an end; expected '*/'");
  CHECK(module_error(".entry k()\n{\n ret;\n") ==
        "t.ptx:7: end of the text in 'k', whose body was opened in line 5; expected '}'");
  CHECK(module_error(".entry k() {{ ret; }") ==
        "t.ptx:4: end of the text in 'k', whose body was opened in line 4; expected '}'");
  CHECK(module_error(".section .debug_info {\n .b8 1\n") ==
        "t.ptx:6: end of the text in the block opened in line 4; expected '}'");
  CHECK(module_error("}") == "t.ptx:4: found '}'; expected a directive at module scope");
}

TEST_CASE("a missing semicolon") {
  CHECK(body_error("add.u32 %r1, %r2, 3\n ret;") ==
        "t.ptx:6: found 'ret'; expected ';' to end 'add' of line 5");
  CHECK(body_error("ret") == "t.ptx:6: found '}'; expected an operand");
  CHECK(module_error(".global .u32 a\n.global .u32 b;") ==
        "t.ptx:5: found '.global'; expected ';' to end the declaration");
}

TEST_CASE("bad numbers") {
  CHECK(body_error("op 09;") == "t.ptx:5: bad number '09'; expected an integer of base 8");
  CHECK(body_error("op 0x;") == "t.ptx:5: bad number '0x'; expected an integer of base 16");
  CHECK(body_error("op 12abc;") == "t.ptx:5: bad number '12abc'; expected an integer of base 10");
  CHECK(body_error("op 0b12;") == "t.ptx:5: bad number '0b12'; expected an integer of base 2");
  CHECK(body_error("op 18446744073709551616;") ==
        "t.ptx:5: bad number '18446744073709551616'; expected at most 64 bits");
  CHECK(body_error("op 0f3F80000;") == "t.ptx:5: bad number '0f3F80000'; expected 8 hex digits");
  CHECK(body_error("op 0f3F8000000;") ==
        "t.ptx:5: bad number '0f3F8000000'; expected 8 hex digits");
  CHECK(body_error("op 0dZ;") == "t.ptx:5: bad number '0dZ'; expected 16 hex digits");
  CHECK(body_error("op 1e;") == "t.ptx:5: bad number '1e'; expected digits of an exponent");
  CHECK(body_error("op 1.5x;") ==
        "t.ptx:5: bad number '1.5x'; expected a decimal floating-point number");
  CHECK(body_error("op 1e999;") ==
        "t.ptx:5: bad number '1e999'; expected a number that a double can hold");
}

TEST_CASE("numbers out of range") {
  CHECK(module_error(".global .u8 a = 256;") ==
        "t.ptx:4: value out of range; expected one that fits .u8");
  CHECK(module_error(".global .s16 a = -32769;") ==
        "t.ptx:4: value out of range; expected one that fits .s16");
  CHECK(module_error(".global .u32 a = 0x100000000;") ==
        "t.ptx:4: value out of range; expected one that fits .u32");
  CHECK(module_error(".global .u32 a[0x4000000001];") ==
        "t.ptx:4: array out of range; expected at most 2^40 bytes");
  CHECK(module_error(".global .u8 a[0x100000000][0x100000000];") ==
        "t.ptx:4: array out of range; expected at most 2^40 bytes");
  CHECK(module_error(".global .u8 a[-1];") ==
        "t.ptx:4: array out of range; expected at most 2^40 bytes");
  CHECK(module_error(".global .u8 a[2][0x40000000] = {{1},{2}};") ==
        "t.ptx:4: found '2'; expected an initialiser of at most 67108864 bytes");
  CHECK(module_error(".entry k { .reg .b32 %r<4000000000>; }") ==
        "t.ptx:4: found '4000000000'; expected a number of registers of at most 262144");
  CHECK(module_error(".entry k { .reg .b32 %r<262144>, x; }") ==
        "t.ptx:4: more registers than a function can have; expected at most 262144");
  CHECK(module_error(".entry k() .maxntid 4294967296 { }") ==
        "t.ptx:4: found '4294967296'; expected a number of threads of at most 4294967295");
  CHECK(module_error(".global .align 3 .u8 a;") == "t.ptx:4: alignment 3; expected a power of two");
  CHECK(module_error(".address_size 48") == "t.ptx:4: address size 48; expected 32 or 64");
}

TEST_CASE("bad constant expressions") {
  CHECK(body_error("op 1/0;") == "t.ptx:5: '/' by zero; expected a divisor other than 0");
  CHECK(body_error("op 1<<64;") == "t.ptx:5: shift by more than 63; expected 0 to 63");
  CHECK(body_error("op (1+;") == "t.ptx:5: found ';'; expected a constant");
  CHECK(body_error("op (1;") == "t.ptx:5: found ';'; expected ')' to end the expression");
  CHECK(body_error("op 1.5%2;") ==
        "t.ptx:5: '%' on floating-point constants; expected +, -, * or / (not by zero)");
  CHECK(body_error("op [%r1+1.5];") == "t.ptx:5: floating-point offset; expected an integer");
  CHECK(module_error(".global .u8 a[1.5];") ==
        "t.ptx:4: floating-point constant; expected an integer");
}

TEST_CASE("bad operands") {
  CHECK(body_error("op %r1,;") == "t.ptx:5: found ';'; expected an operand");
  CHECK(body_error("op {%r1;") == "t.ptx:5: found ';'; expected '}' to close the list");
  CHECK(body_error("op [%r1;") == "t.ptx:5: found ';'; expected ']' to close the address");
  CHECK(body_error("op []; ") == "t.ptx:5: found ']'; expected a constant");
  CHECK(body_error("op %r1+4;") ==
        "t.ptx:5: offset on register '%r1' outside [ ]; expected a register or an address");
  CHECK(body_error("op %r1.q;") ==
        "t.ptx:5: found '.q'; expected a component .x, .y, .z or .w, or a selector such as .b0");
  CHECK(body_error("@ ;") == "t.ptx:5: found ';'; expected a guard predicate");
  CHECK(body_error("@p ;") == "t.ptx:5: found ';'; expected an opcode");
  CHECK(body_error("= 4;") ==
        "t.ptx:5: found '='; expected a directive, a label, an instruction or '}'");
}

TEST_CASE("bad declarations") {
  CHECK(module_error(".global a;") == "t.ptx:4: found 'a'; expected a type such as .u32");
  CHECK(module_error(".global .u33 a;") ==
        "t.ptx:4: found '.u33' in a declaration; expected one state space, one type, .v2/.v4, "
        ".align or .ptr");
  CHECK(module_error(".global .u32 .u32 a;").find("one type") != std::string::npos);
  CHECK(module_error(".entry k(.u32 a);") ==
        "t.ptx:4: found 'a'; expected a state space such as .param");
  CHECK(module_error(".global .u32 a[2] = {1,2,3};") ==
        "t.ptx:4: found '3'; expected no more values than the variable has elements");
  CHECK(module_error(".global .u32 a[2] = {{{1}}};") ==
        "t.ptx:4: found '{'; expected a value: the variable has no more dimensions");
  CHECK(module_error(".global .u32 a[2] = 1;") ==
        "t.ptx:4: found '1'; expected '{' to open the initialiser of an array or a vector");
  CHECK(module_error(".global .u32 a[];") ==
        "t.ptx:4: found ';'; expected an initialiser of 'a', whose size is not given");
  CHECK(module_error(".shared .u32 a = 1;") ==
        "t.ptx:4: found '1'; expected no initialiser but for .global and .const");
  CHECK(module_error(".global .u32 a = 1.5;") ==
        "t.ptx:4: floating-point value for a variable of type .u32; expected an integer");
  CHECK(module_error(".global .u8 a = 0xF0(b);") ==
        "t.ptx:4: bad mask of a symbol's address; expected whole bytes that fit the variable's "
        "type");
}

TEST_CASE("unknown directives name the nearest known one") {
  CHECK(module_error(".visable .entry k() { }") ==
        "t.ptx:4: found '.visable'; expected a directive at module scope; did you mean "
        "'.visible'?");
  CHECK(body_error(".pragna \"x\";") ==
        "t.ptx:5: found '.pragna'; expected a directive of a function's body; did you mean "
        "'.pragma'?");
}

TEST_CASE("names defined twice") {
  CHECK(body_error("L:\nL: ret;") ==
        "t.ptx:6: label 'L' was defined in line 5 already; expected another name");
  CHECK(body_error("{ L: }\n{ L: ret; }").empty());
  CHECK(body_error(".reg .f32 %r1;") ==
        "t.ptx:5: name '%r1' was defined in line 4 already; expected another name");
  CHECK(module_error(".func f { }\n.func f { }") ==
        "t.ptx:5: function 'f' was defined in line 4 already; expected another name");
  CHECK(module_error(".global .u32 a;\n.global .u32 a;") ==
        "t.ptx:5: variable 'a' was defined in line 4 already; expected another name");
  CHECK(module_error(".alias a, b;") ==
        "t.ptx:4: alias of 'b'; expected the name of a function with a body");
  CHECK(error_of(kHeader + ".version 8.0") == "t.ptx:4: found '8.0'; expected one .version only");
}

TEST_CASE("nesting has bounds") {
  const auto many = [](const char* text) {
    std::string out;
    for (int i = 0; i < 100000; ++i) out += text;
    return out;
  };
  CHECK(body_error("op " + many("(") + ";").find("nested too deeply") != std::string::npos);
  CHECK(body_error("op " + many("-") + "1;").find("nested too deeply") != std::string::npos);
  CHECK(body_error("op " + many("1?") + ";").find("nested too deeply") != std::string::npos);
  CHECK(body_error("op " + many("{") + ";").find("nested too deeply") != std::string::npos);
  CHECK(body_error("op " + many("[a,") + ";").find("nested too deeply") != std::string::npos);
  CHECK(body_error("call " + many("(") + ";").find("nested too deeply") != std::string::npos);
  CHECK(body_error(many("{")).find("nested too deeply") != std::string::npos);
  CHECK(module_error(".global .u8 a" + many("[1]") + ";") ==
        "t.ptx:4: found '1'; expected fewer dimensions");
  CHECK(body_error("op " + many("1+") + "1;").empty());
  CHECK(body_error(many("L:")).find("already") != std::string::npos);
}

TEST_CASE("a file that cannot be read") {
  CHECK_THROWS_WITH(parse_file("/nonexistent/k.ptx"),
                    "/nonexistent/k.ptx: cannot be read: no such file");
  CHECK_THROWS_AS(parse_file("/"), InputError);
}

}  // namespace
}  // namespace tessera::ptx::parser_error_test
