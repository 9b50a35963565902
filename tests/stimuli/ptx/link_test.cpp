// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/link.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/error.h"

namespace tessera::link_test {

namespace {

using namespace tessera::ptx;

const std::string kHead = ".version 6.0\n.target sm_70\n.address_size 64\n";

Module linked(const std::string& a, const std::string& b) {
  return link({parse(kHead + a, "a.ptx"), parse(kHead + b, "dir/b.ptx")});
}

std::vector<std::string> variables_of(const Module& m) {
  std::vector<std::string> names;
  for (const Variable& v : m.variables) names.push_back(v.name);
  return names;
}

const std::string kBody = "\n{\n.reg .b32 %r<2>;\n";

}  // namespace

TEST_CASE("an extern symbol gets the visible definition of another file") {
  const Module m = linked(
      ".extern .global .align 4 .b8 table[];\n"
      ".extern .func f(.param .b32 x);\n"
      ".visible .entry k()" +
          kBody + "ld.global.u32 %r1, [table];\nret;\n}\n",
      ".visible .global .align 4 .b8 table[16];\n"
      ".visible .func f(.param .b32 x)\n{\nret;\n}\n");
  REQUIRE(m.variables.size() == 1);
  CHECK(m.variables[0].bytes() == 16);
  CHECK_FALSE(m.function("f")->is_declaration);
  CHECK(m.where(m.variables[0].line) == "dir/b.ptx:4");
  CHECK(m.where(m.function("k")->line) == "a.ptx:6");
  CHECK(undefined_variables(m).empty());
  CHECK_NOTHROW(check_symbols(m, *decode(m, "k")));
}

TEST_CASE("the places of linked files keep the names of their own source files") {
  const auto text = [](const std::string& kernel, const std::string& file) {
    return ".visible .entry " + kernel + "()" + kBody + ".loc 1 7 3\nret;\n}\n.file 1 \"" + file +
           "\"\n";
  };
  const Module m = linked(text("ka", "a.cu"), text("kb", "b.cu"));
  const auto file_of = [&m](const char* kernel) {
    const SourceLine& source = m.function(kernel)->body.back().source;
    CHECK(source.line == 7);
    return m.source_files.at(source.file);
  };
  CHECK(file_of("ka") == "a.cu");
  CHECK(file_of("kb") == "b.cu");
}

TEST_CASE("symbols of a file's own are kept apart from others of their name") {
  const std::string text = ".global .align 4 .u32 mine = 5;\n.global .align 8 .u64 to = mine;\n";
  const Module m =
      linked(text + ".visible .entry ka()" + kBody + "ld.global.u32 %r1, [mine];\nret;\n}\n",
             text + ".visible .entry kb()" + kBody + "ld.global.u32 %r1, [mine];\nret;\n}\n" +
                 ".visible .entry own()\n{\n.local .align 4 .b32 mine;\n.reg .b32 %r<2>;\n"
                 "ld.local.u32 %r1, [mine];\nret;\n}\n");
  CHECK(variables_of(m) == std::vector<std::string>{"mine@a", "to@a", "mine@b", "to@b"});
  CHECK(m.variables[3].initial_symbols.at(0).second == "mine@b");
  CHECK(m.function("ka")->body.at(0).operands.at(1).name == "mine@a");
  CHECK(m.function("kb")->body.at(0).operands.at(1).name == "mine@b");
  CHECK(m.function("own")->body.at(0).operands.at(1).name == "mine");
  CHECK(unlinked_name("mine@b") == "mine");
}

TEST_CASE("an extern symbol does not get what only another file sees") {
  const Module m =
      linked(".extern .global .align 4 .u32 x;\n.visible .entry k()" + kBody +
                 "ld.global.u32 %r1, [x];\nret;\n}\n.visible .entry other()\n{\nret;\n}\n",
             ".global .align 4 .u32 x;\n");
  CHECK(undefined_variables(m).count("x") == 1);
  CHECK_THROWS_WITH(check_symbols(m, *decode(m, "k")),
                    Catch::StartsWith("a.ptx:4: the variable 'x' is .extern, and no file that is "
                                      "linked defines it") &&
                        Catch::EndsWith("(used by the kernel 'k')"));
  CHECK_NOTHROW(check_symbols(m, *decode(m, "other")));
}

TEST_CASE("two definitions of one visible name are refused with both files") {
  CHECK_THROWS_WITH(linked("\n.visible .global .u32 x;\n", ".visible .global .u32 x;\n"),
                    "dir/b.ptx:4: 'x' is defined in a.ptx:5 already; one .visible definition of a "
                    "name can be linked");
  const std::string kernel = ".entry k()\n{\nret;\n}\n";
  CHECK_THROWS_WITH(linked(kernel, kernel), Catch::Contains("'k' is defined in a.ptx:4 already"));
  const Module weak = linked(".weak .global .u32 x = 1;\n", ".visible .global .u32 x = 2;\n");
  REQUIRE(weak.variables.size() == 1);
  CHECK(weak.variables[0].initial.at(0) == 2);
  CHECK_NOTHROW(linked(".weak .func f()\n{\nret;\n}\n", ".weak .func f()\n{\nret;\n}\n"));
}

TEST_CASE("declarations of another shape are refused with both files") {
  CHECK_THROWS_WITH(linked(".extern .global .u32 x;\n", ".visible .global .u64 x;\n"),
                    "dir/b.ptx:4: 'x' has 8 bytes of .global, but in a.ptx:4 it has 4 bytes of "
                    ".global");
  CHECK_THROWS_WITH(
      linked(".extern .func f(.param .b32 x);\n", ".visible .func f(.param .b64 x)\n{\nret;\n}\n"),
      "dir/b.ptx:4: 'f' has other parameters or return values than in a.ptx:4");
  CHECK_THROWS_WITH(linked(".visible .global .u32 x;\n", ".visible .func x()\n{\nret;\n}\n"),
                    Catch::Contains("is a variable, but in dir/b.ptx:4 it is a function"));
}

TEST_CASE("an instruction that cannot be executed is named with its own file") {
  const Module m = linked(".extern .func f();\n.visible .entry k()\n{\ncall.uni f;\nret;\n}\n",
                          ".visible .func f()" + kBody + "frobnicate.u32 %r1, 1;\nret;\n}\n");
  CHECK_THROWS_WITH(decode(m, "k"),
                    Catch::StartsWith("dir/b.ptx:7: 'frobnicate.u32 %r1, 1' is not supported"));
}

}  // namespace tessera::link_test
