// SPDX-License-Identifier: Apache-2.0
#include "app/import/option_file.h"

#include <catch2/catch.hpp>

#include "common/error.h"

namespace tessera::import {

namespace {

std::vector<GivenOption> read(const std::string& text) {
  const auto is_flag = [](const std::string& name) { return name == "-flag"; };
  const auto is_known = [](const std::string& name) { return name != "-mine"; };
  return read_options(text, "a.config", is_flag, is_known);
}

void check(const GivenOption& option, const char* name, const char* value, unsigned line) {
  CHECK(option.name == name);
  CHECK(option.value == value);
  CHECK(option.line == line);
}

}  // namespace

TEST_CASE("options are names with values, without comments, with the lines of the names") {
  const auto all = read(
      "# -not 1\n"
      "-a 1 -b 2# comment\r\n"
      "\t-c:d\n"
      "   3\n"
      "-e -1 -f x:y,z\n"
      "-g \"one=1:\n"
      "    two=2\" -h \"\" -i \"word\"\n"
      "-a 4");
  REQUIRE(all.size() == 9);
  check(all[0], "-a", "1", 2);
  check(all[1], "-b", "2", 2);
  check(all[2], "-c:d", "3", 3);
  check(all[3], "-e", "-1", 5);
  check(all[4], "-f", "x:y,z", 5);
  check(all[5], "-g", "one=1: two=2", 6);
  check(all[6], "-h", "", 7);
  check(all[7], "-i", "word", 7);
  check(all[8], "-a", "4", 8);
}

TEST_CASE("a flag without a value is 1, and an unknown option can be without a value") {
  const auto all = read("-flag -flag 0 -mine -a 1 -mine");
  REQUIRE(all.size() == 5);
  check(all[0], "-flag", "1", 1);
  check(all[1], "-flag", "0", 1);
  check(all[2], "-mine", "", 1);
  check(all[3], "-a", "1", 1);
  check(all[4], "-mine", "", 1);
}

TEST_CASE("malformed lines are refused with file and line") {
  const auto refused = [](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH(read(text), message);
    CHECK_THROWS_AS(read(text), InputError);
  };
  const std::string end =
      " is neither an option nor the value of one: expected '-NAME VALUE' (the format of a "
      "gpgpusim.config)";
  refused("-a 1\n-b 2 3\n", "a.config:2: '3'" + end);
  refused("\nuse_map = 0;\n", "a.config:2: 'use_map'" + end);
  refused("- 1", "a.config:1: '-'" + end);
  refused("-a 1\n\"-b\" 2", "a.config:2: '-b'" + end);
  refused("-a\n-b 2\n", "a.config:1: -a: the value is missing");
  refused("-b 2\n-a # 1\n", "a.config:2: -a: the value is missing");
  refused("-a 1\n-b \"c\nd # \"\n",
          "a.config:2: the quotation '\"c d' has no end: expected a word that ends with \"");
  refused(std::string(100, 'x'), "a.config:1: '" + std::string(60, 'x') + "...'" + end);
}

TEST_CASE("a text without options has none") {
  CHECK(read("").empty());
  CHECK(read(" \n# -a 1\n\n").empty());
}

}  // namespace tessera::import
