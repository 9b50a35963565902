// SPDX-License-Identifier: Apache-2.0
#include "common/located_json.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/error.h"
#include "common/json.h"

namespace tessera::located_json_test {

namespace {

std::string error_of(const std::string& text) {
  try {
    parse_located_json(text, "f.json");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("every key and array element knows its line") {
  const LocatedJson j = parse_located_json(
      "{\n \"a\": [1,\n 2\n,3\n],\n\"b\":\n{\"c/d\": null,\n\n \"e\": {\n\"f~\": 1}}\n}\n",
      "f.json");
  CHECK((*j.value)["a"] == nlohmann::json({1, 2, 3}));
  CHECK((*j.value)["b"]["e"]["f~"] == 1);
  CHECK(j.line_of("") == 1);
  CHECK(j.line_of("/a") == 2);
  CHECK(j.line_of("/a/0") == 2);
  CHECK(j.line_of("/a/1") == 3);
  CHECK(j.line_of("/a/2") == 4);
  CHECK(j.line_of("/b") == 6);
  CHECK(j.line_of("/b/c~1d") == 7);
  CHECK(j.line_of("/b/e") == 9);
  CHECK(j.where("/b/e/f~0") == "f.json:10");
}

TEST_CASE("a pointer that is not there has the line of its nearest ancestor") {
  const LocatedJson j = parse_located_json("{\n\"a\": {\n\"b\": 1}}", "f.json");
  CHECK(j.line_of("/a/b/c/d") == 3);
  CHECK(j.line_of("/a/x") == 2);
  CHECK(j.line_of("/x") == 1);
}

TEST_CASE("JSON pointers escape their separators") {
  CHECK(tessera::json_pointer("/x", "a/b~c") == "/x/a~1b~0c");
  CHECK(tessera::json_pointer("", std::size_t{3}) == "/3");
}

TEST_CASE("malformed JSON names file and line") {
  CHECK_THAT(error_of("{\"a\":1\n\"b\":2}"), Catch::StartsWith("f.json:2: malformed JSON: "));
  CHECK_THAT(error_of("{\n\"a\n\":1}"), Catch::StartsWith("f.json:2: malformed JSON: "));
  CHECK_THAT(error_of(""), Catch::StartsWith("f.json:1: malformed JSON: "));
  CHECK_THAT(error_of("[1]\n\nx"), Catch::StartsWith("f.json:3: malformed JSON: "));
  CHECK(error_of("[\n1e999]") == "f.json:2: malformed JSON: number overflow parsing '1e999'");
}

TEST_CASE("comments are ignored, and lines are counted through them") {
  const LocatedJson j = parse_located_json(
      "// a platform\n{ /* of\n two lines */ \"a\": 1, // the first\n\"b\": [2 /* two */,\n"
      "//\n3]}\n// the end",
      "f.json");
  CHECK(j.value == nlohmann::json({{"a", 1}, {"b", {2, 3}}}));
  CHECK(j.line_of("/a") == 3);
  CHECK(j.line_of("/b") == 4);
  CHECK(j.line_of("/b/1") == 6);
  CHECK(parse_located_json("\"// no comment /* */\"", "f.json").value == "// no comment /* */");
}

TEST_CASE("a comment that does not end, and one that does not begin, are refused") {
  CHECK(error_of("{\n/* {}\n") ==
        "f.json:2: malformed JSON: syntax error while parsing object key - invalid comment; "
        "missing closing '*/'; last read: '{<U+000A>/* {}<U+000A>'; expected string literal");
  CHECK_THAT(error_of("{\n/ {}"), Catch::StartsWith("f.json:2: malformed JSON: "));
  CHECK_THAT(error_of("{} # no"), Catch::StartsWith("f.json:1: malformed JSON: "));
}

TEST_CASE("a key that stands twice in an object is refused") {
  CHECK(error_of("{\"a\":1,\n\n\"a\":2}") ==
        "f.json:3: the key \"a\" stands here for the second time; the first is on line 1");
}

TEST_CASE("nesting has a limit") {
  CHECK_THAT(error_of(std::string(100000, '[')), Catch::StartsWith("f.json:1: JSON nested deeper"));
}

TEST_CASE("a file that cannot be read is named") {
  CHECK_THROWS_WITH(load_located_json("/nonexistent/x.json"),
                    "/nonexistent/x.json: cannot be read: no such file");
  CHECK_THROWS_AS(load_located_json("/tmp"), InputError);
}

}  // namespace tessera::located_json_test
