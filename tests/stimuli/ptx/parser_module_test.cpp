// SPDX-License-Identifier: Apache-2.0
// Module scope: variables with initialisers, functions and their directives.
#include "parser_support.h"

namespace tessera::ptx::parser_module_test {
namespace {

using Symbols = std::vector<std::pair<std::uint64_t, std::string>>;

TEST_CASE("types have a name and a size") {
  CHECK(type_from_name("u32") == Type::kU32);
  CHECK(type_from_name("bf16x2") == Type::kBf16x2);
  CHECK(type_from_name("texref") == Type::kTexref);
  CHECK(type_from_name("u33") == Type::kNone);
  CHECK(type_bytes(Type::kB128) == 16);
  CHECK(type_bytes(Type::kF16x2) == 4);
  CHECK(type_bytes(Type::kS8) == 1);
  CHECK(type_bytes(Type::kPred) == 0);
  for (int i = 1; i <= static_cast<int>(Type::kSurfref); ++i) {
    const Type t = static_cast<Type>(i);
    CHECK(type_from_name(type_name(t)) == t);
  }
}

TEST_CASE("the header says version, target and address size") {
  const Module m = parse(".version 6.0\n.target sm_90a, debug\n.address_size 32\n", "a.ptx");
  CHECK(m.file == "a.ptx");
  CHECK(m.version == "6.0");
  CHECK(m.target == "sm_90a");
  CHECK(m.target_options == Strings{"debug"});
  CHECK(m.address_bits == 32);
  CHECK(parse(".version 6.0\n.target sm_70", "a.ptx").address_bits == 64);
}

TEST_CASE("module variables have a space, a type and an alignment") {
  const Module m = module_of(
      ".visible .global .align 4 .u32 counter = 7;\n"
      ".extern .shared .align 16 .b8 dyn[];\n"
      ".const .v4 .f32 c = {0f3F800000, 2.0, 3, -1.5};\n"
      ".weak .global .attribute(.managed) .f64 d[3], e;\n"
      ".global .texref t;\n .global .samplerref s = {addr_mode_0 = wrap, filter_mode = nearest};\n"
      ".tex .u32 old;\n .common .global .s8 z;");
  REQUIRE(m.variables.size() == 9);
  CHECK(m.variables[0].name == "counter");
  CHECK(m.variables[0].space == StateSpace::kGlobal);
  CHECK(m.variables[0].align == 4);
  CHECK(m.variables[0].line == 4);
  CHECK_FALSE(m.variables[0].is_extern);
  CHECK(m.variables[0].initial == Bytes{7, 0, 0, 0});
  CHECK(m.variables[1].is_extern);
  CHECK(m.variables[1].is_array);
  CHECK(m.variables[1].elements == 0);
  CHECK(m.variables[1].space == StateSpace::kShared);
  CHECK(m.variables[2].vector == 4);
  CHECK(m.variables[2].bytes() == 16);
  CHECK(m.variables[2].initial ==
        Bytes{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0xc0, 0xbf});
  CHECK(m.variables[3].elements == 3);
  CHECK(m.variables[4].name == "e");
  CHECK(m.variables[4].elements == 1);
  CHECK_FALSE(m.variables[4].is_array);
  CHECK(m.variables[5].type == Type::kTexref);
  CHECK(m.variables[6].type == Type::kSamplerref);
  CHECK(m.variables[7].type == Type::kTexref);
  CHECK(m.variables[8].type == Type::kS8);
}

TEST_CASE("initialisers fill rows and leave the rest zero") {
  CHECK(variable_of(".global .u8 a[2][3] = {{1,2},{4}};").initial == Bytes{1, 2, 0, 4});
  CHECK(variable_of(".global .u8 a[2][3] = {1,2,3,4};").initial == Bytes{1, 2, 3, 4});
  CHECK(variable_of(".global .u16 a[4] = {-1, 0x102};").initial == Bytes{0xff, 0xff, 2, 1});
  CHECK(variable_of(".global .u8 a[2][3] = {1,{4,5}};").initial == Bytes{1, 0, 0, 4, 5});
  const Variable unsized = variable_of(".global .u16 a[] = {1,2,3};");
  CHECK(unsized.elements == 3);
  CHECK(unsized.bytes() == 6);
  const Variable rows = variable_of(".global .u8 a[][4] = {{1},{2},{3}};");
  CHECK(rows.elements == 12);
  CHECK(rows.initial == Bytes{1, 0, 0, 0, 2, 0, 0, 0, 3});
  CHECK(variable_of(".global .v2 .u8 a[] = {{1,2},{3,4}};").elements == 2);
  CHECK(variable_of(".global .f64 a = 0d3FF0000000000000;").initial ==
        Bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
  CHECK(variable_of(".global .b32 a = 0f3F800000;").initial == Bytes{0, 0, 0x80, 0x3f});
  CHECK(variable_of(".const .b128 a = -2;").initial ==
        Bytes{0xfe, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255});
  CHECK(variable_of(".global .u64 a = 0xFFFFFFFFFFFFFFFF;").initial == Bytes(8, 0xff));
  CHECK(variable_of(".global .s8 a = (1<<3)-WARP_SZ;").initial == Bytes{0xe8});
  CHECK(variable_of(".global .u32 a[(2+2)*4];").bytes() == 64);
  CHECK(variable_of(".global .u32 a[0];").bytes() == 0);
}

TEST_CASE("initialisers take the addresses of symbols") {
  const Variable v =
      variable_of(".global .align 8 .u64 a[5] = {f, generic(g), generic(g)+8, 5, h-4};");
  CHECK(v.initial_symbols == Symbols{{0, "f"}, {8, "g"}, {16, "g"}, {32, "h"}});
  CHECK(v.initial_addends == std::vector<std::int64_t>{0, 0, 8, -4});
  REQUIRE(v.initial.size() == 40);
  CHECK(v.initial[24] == 5);
  CHECK(v.partial_symbols.empty());
}

TEST_CASE("eight byte masks make one address, others stay apart") {
  const Variable whole = variable_of(
      ".global .u8 a[10] = {1, 0xFF(generic(c)+4), 0xFF00(generic(c)+4), 0xFF0000(generic(c)+4), "
      "0xFF000000(generic(c)+4), 0xFF00000000(generic(c)+4), 0xFF0000000000(generic(c)+4), "
      "0xFF000000000000(generic(c)+4), 0xFF00000000000000(generic(c)+4), 9};");
  CHECK(whole.initial_symbols == Symbols{{1, "c"}});
  CHECK(whole.initial_addends == std::vector<std::int64_t>{4});
  CHECK(whole.partial_symbols.empty());
  CHECK(whole.initial == Bytes{1, 0, 0, 0, 0, 0, 0, 0, 0, 9});

  const Variable part = variable_of(".global .u8 a[2] = {0xff(c), 0xff00(c)};");
  CHECK(part.initial_symbols.empty());
  REQUIRE(part.partial_symbols.size() == 2);
  CHECK(part.partial_symbols[1].offset == 1);
  CHECK(part.partial_symbols[1].name == "c");
  CHECK(part.partial_symbols[1].shift == 8);
  CHECK(part.partial_symbols[1].bytes == 1);

  // Eight masks that are not the bytes of one address, in order.
  for (const char* fourth : {"0xFF(c)", "0xFF000000(c+1)", "0xFF000000(d)"}) {
    CAPTURE(fourth);
    const Variable eight = variable_of(
        ".global .u8 a[8] = {0xFF(c), 0xFF00(c), 0xFF0000(c), " + std::string(fourth) +
        ", 0xFF00000000(c), 0xFF0000000000(c), 0xFF000000000000(c), 0xFF00000000000000(c)};");
    CHECK(eight.initial_symbols.empty());
    CHECK(eight.partial_symbols.size() == 8);
  }

  const Variable word = variable_of(".global .u32 a = c;");
  REQUIRE(word.partial_symbols.size() == 1);
  CHECK(word.partial_symbols[0].bytes == 4);
  CHECK(word.partial_symbols[0].shift == 0);
}

TEST_CASE("entries have parameters by value, as arrays and as pointers") {
  const Module m = module_of(
      ".visible .entry k(.param .align 8 .b8 s[40], .param .u64 .ptr .global .align 16 p,\n"
      ".param .u64 .ptr .align 1 g, .param .f32 f, .param .v2 .u32 v)\n"
      ".maxntid 256, 2\n.reqntid 128\n.minnctapersm 4 .maxnreg 32 .explicitcluster\n"
      ".reqnctapercluster 2, 1, 1 .maxclusterrank 8 .pragma \"abi\";\n.unknown_hint 3, 4\n"
      "{ ret; }");
  const Function* f = m.function("k");
  REQUIRE(f != nullptr);
  CHECK(f->is_entry);
  CHECK_FALSE(f->is_declaration);
  REQUIRE(f->parameters.size() == 5);
  CHECK(f->parameters[0].bytes() == 40);
  CHECK(f->parameters[0].align == 8);
  CHECK_FALSE(f->parameters[0].is_pointer);
  CHECK(f->parameters[1].is_pointer);
  CHECK(f->parameters[1].space == StateSpace::kParam);
  CHECK(f->parameters[1].pointer_space == StateSpace::kGlobal);
  CHECK(f->parameters[1].pointer_align == 16);
  CHECK(f->parameters[1].align == 0);
  CHECK(f->parameters[2].pointer_space == StateSpace::kGeneric);
  CHECK(f->parameters[2].pointer_align == 1);
  CHECK(f->parameters[3].type == Type::kF32);
  CHECK(f->parameters[4].vector == 2);
  CHECK(f->max_threads == std::array<std::uint32_t, 3>{256, 2, 1});
  CHECK(f->required_threads == std::array<std::uint32_t, 3>{128, 1, 1});
  CHECK(f->directives == std::map<std::string, std::string>{{"minnctapersm", "4"},
                                                            {"maxnreg", "32"},
                                                            {"explicitcluster", ""},
                                                            {"reqnctapercluster", "2, 1, 1"},
                                                            {"maxclusterrank", "8"},
                                                            {"pragma", "abi"},
                                                            {"unknown_hint", "3, 4"}});
}

TEST_CASE("functions have results, prototypes and no return") {
  const Module m = module_of(
      ".extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b)\n;\n"
      ".extern .func __assertfail(.param .b64 a) .noreturn;\n"
      ".func .noreturn n() { trap; }\n .func .attribute(.unified(1, 2)) plain { ret; }\n"
      ".func (.param .b32 r) f(.param .b8 rest[]);\n"
      ".visible .func (.param .b32 r) f(.param .b8 rest[]) { ret; }\n"
      ".func (.param .b32 r) f(.param .b8 rest[]);\n .entry e1() { }\n .entry e0 { }\n"
      ".visible .entry declared();");
  REQUIRE(m.functions.size() == 8);
  CHECK(m.function("vprintf")->is_declaration);
  CHECK(m.function("vprintf")->parameters.size() == 2);
  CHECK(m.function("__assertfail")->noreturn);
  CHECK(m.function("n")->noreturn);
  CHECK_FALSE(m.function("plain")->noreturn);
  const Function* f = m.function("f");
  REQUIRE(f != nullptr);
  CHECK_FALSE(f->is_declaration);
  CHECK(f->line == 10);
  CHECK(f->body.size() == 1);
  CHECK(f->returns.size() == 1);
  CHECK(f->parameters[0].elements == 0);
  CHECK(m.function("nobody") == nullptr);
  CHECK(m.entries() == Strings{"e1", "e0"});
}

TEST_CASE("an alias leads to the function it stands for") {
  const Module m = module_of(".func real() { ret; }\n.visible .func other();\n.alias other, real;");
  CHECK(m.aliases.at("other") == "real");
  REQUIRE(m.function("other") != nullptr);
  CHECK(m.function("other")->name == "real");
}

TEST_CASE("an extern declaration gives way to the definition") {
  const Module m = module_of(
      ".extern .global .u32 a;\n.global .u32 a = 3;\n.extern .global .u32 a;\n"
      ".extern .global .u8 b[];");
  REQUIRE(m.variables.size() == 2);
  CHECK_FALSE(m.variables[0].is_extern);
  CHECK(m.variables[0].initial == Bytes{3, 0, 0, 0});
  CHECK(m.variables[1].is_extern);
}

TEST_CASE("debugging sections and files leave no trace") {
  const Module m = module_of(
      ".file 1 \"a \\\" b.cu\", 1700000000, 42\n.file 2 \"c.h\"\n.pragma \"x\";\n"
      "@@DWARF .byte 0x02, 0x00\n"
      ".section .debug_info\n{\n.b32 .debug_abbrev\n$L__x:\n.b8 1,2\n.b64 $L__f+4\n}\n"
      "\t.section\t.debug_loc\t{\t}\n.func f { ret; }");
  CHECK(m.variables.empty());
  REQUIRE(m.functions.size() == 1);
  CHECK(m.functions[0].line == 16);
}

TEST_CASE("a terminating NUL is no part of the text") {
  const Module m = parse(kHeader + std::string(3, '\0'), "t.ptx");
  CHECK(m.target == "sm_75");
}

}  // namespace
TEST_CASE("an instruction has the place of the last .loc in its function") {
  const Module m = module_of(
      ".file 1 \"a.cu\"\n"
      ".entry k()\n{\n.reg .b32 %r<4>;\nmov.u32 %r1, 0;\n.loc 1 12 5\nmov.u32 %r2, 1;\n"
      "$L: mov.u32 %r3, 2;\n"
      ".loc 2 3 9, function_name $L__info_string0, inlined_at 1 10 3\nret;\n}\n"
      ".entry other()\n{\nret;\n}\n"
      ".file 2 \"include/b.h\", 1700000000, 42\n");
  CHECK(m.source_files == SourceFiles{{1, "a.cu"}, {2, "include/b.h"}});
  std::vector<std::pair<std::uint32_t, unsigned>> places;
  for (const Function& f : m.functions) {
    for (const Instruction& i : f.body) places.emplace_back(i.source.file, i.source.line);
  }
  CHECK(places ==
        std::vector<std::pair<std::uint32_t, unsigned>>{{0, 0}, {1, 12}, {1, 12}, {2, 3}, {0, 0}});
}

TEST_CASE("the places of files of compilers are those of their source") {
  for (const char* name : {"clang14_sm70_debug.ptx", "nvcc_sm75_lineinfo.ptx"}) {
    CAPTURE(name);
    const Module m = parse_file(TESSERA_SOURCE_DIR "/tests/stimuli/ptx/data/" + std::string(name));
    REQUIRE_FALSE(m.source_files.empty());
    const std::string& file = m.source_files.at(1);
    CHECK(file.substr(file.rfind('/') + 1) == "forms.cu");
    std::size_t placed = 0;
    std::size_t all = 0;
    for (const Function& f : m.functions) {
      for (const Instruction& i : f.body) {
        ++all;
        if (i.source.line == 0) continue;
        ++placed;
        CHECK(m.source_files.count(i.source.file) == 1);
      }
    }
    CHECK(2 * placed > all);
  }
}

}  // namespace tessera::ptx::parser_module_test
