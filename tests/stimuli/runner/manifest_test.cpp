// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/manifest.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/error.h"

namespace tessera::manifest_test {

namespace {

using namespace tessera::kernels;

/// A good manifest, with one piece replaced.
std::string text(const std::string& from = "", const std::string& to = "") {
  std::string out = R"json({
  "name": "t",
  "ptx": "t.ptx",
  "sizes": {
    "small": {"n": 64, "m": 2},
    "medium": {"n": 128, "m": 0}
  },
  "arrays": [
    {"name": "input", "type": "f32", "count": "n", "init": {"uniform": [-1, 1]}},
    {"name": "output", "type": "f32", "count": "n"}
  ],
  "scalars": [
    {"name": "count", "type": "i32", "value": "n"}
  ],
  "launches": [
    {"kernel": "k", "grid": ["ceil_div(n, 32)"], "block": [32],
     "repeat": 2,
     "arguments": ["input", "output", "count", {"type": "u32", "value": "iteration + 1"}]}
  ],
  "outputs": [{"array": "output", "absolute": 1e-6}],
  "expected": {"output": "out.bin"}
})json";
  if (!from.empty()) {
    const auto at = out.find(from);
    REQUIRE(at != std::string::npos);
    out.replace(at, from.size(), to);
  }
  return out;
}

std::string error_of(const std::string& from, const std::string& to) {
  try {
    parse_manifest(text(from, to), "dir/m.json");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a manifest is read as it is written") {
  const Manifest m = parse_manifest(text(), "dir/m.json");
  CHECK(m.info.name == "t");
  CHECK(m.info.race_free);
  CHECK(m.ptx == std::vector<std::string>{"dir/t.ptx"});
  CHECK(m.sizes_of(Scale::kSmall).at("n") == 64);
  REQUIRE(m.arrays.size() == 2);
  CHECK(m.arrays[0].type == Element::kF32);
  CHECK(std::get<Uniform>(m.arrays[0].initial).low == -1);
  CHECK(std::holds_alternative<Zero>(m.arrays[1].initial));
  REQUIRE(m.launches().size() == 1);
  CHECK(m.launches()[0]->grid[0].text == "ceil_div(n, 32)");
  CHECK(m.launches()[0]->grid[1].text == "1");
  CHECK(m.launches()[0]->arguments.size() == 4);
  CHECK(*m.outputs.at(0).absolute == 1e-6);
  CHECK(std::get<std::string>(m.expected.at("output").values) == "dir/out.bin");
}

TEST_CASE("malformed JSON names file and line") {
  CHECK_THAT(error_of("\"ptx\": \"t.ptx\",", "\"ptx\": \"t.ptx\""),
             Catch::StartsWith("dir/m.json:4: malformed JSON: "));
}

TEST_CASE("unknown keys are refused with the nearest known one") {
  CHECK_THAT(error_of("\"repeat\"", "\"repaet\""),
             Catch::StartsWith("dir/m.json:17: /launches/0/repaet: unknown key \"repaet\"; did you "
                               "mean 'repeat'? (known: "));
  CHECK_THAT(error_of("\"outputs\"", "\"output\""),
             Catch::StartsWith("dir/m.json:20: /output: unknown key \"output\"; did you mean "
                               "'outputs'?"));
}

TEST_CASE("a misspelt array is named with the nearest known one") {
  CHECK(error_of("[\"input\", \"output\"", "[\"input\", \"outptu\"") ==
        "dir/m.json:18: /launches/0/arguments/1: unknown array, variable, scalar, texture or "
        "surface \"outptu\"; did you mean "
        "'output'?");
  CHECK(error_of("{\"array\": \"output\"", "{\"array\": \"ouput\"") ==
        "dir/m.json:20: /outputs/0/array: unknown array \"ouput\"; did you mean 'output'?");
  CHECK(error_of("{\"output\": \"out.bin\"}", "{\"outputs\": \"out.bin\"}") ==
        "dir/m.json:21: /expected/outputs: \"outputs\" is not listed in \"outputs\"; did you mean "
        "'output'?");
}

TEST_CASE("a wrong expression is named with its place") {
  CHECK(error_of("ceil_div(n, 32)", "ceil_div(n, k)") ==
        "dir/m.json:16: /launches/0/grid/0: in \"ceil_div(n, k)\": unknown name 'k'");
  CHECK(error_of("\"count\": \"n\", \"init\"", "\"count\": \"n +\", \"init\"") ==
        "dir/m.json:9: /arrays/0/count: in \"n +\", column 4: expected a number, a name or '(', "
        "found the end");
}

TEST_CASE("every scale is tried, whichever will run") {
  // m is 0 at scale medium only.
  CHECK(error_of("\"count\": \"n\"}", "\"count\": \"n / m\"}") ==
        "dir/m.json:10: /arrays/1/count: in \"n / m\": division by zero");
  CHECK(error_of("\"count\": \"n\"}", "\"count\": \"m\"}") ==
        "dir/m.json:10: /arrays/1/count: expected between 1 and 2^40 elements, found 0 at scale "
        "medium");
}

TEST_CASE("missing keys and wrong types are named") {
  CHECK(error_of("  \"ptx\": \"t.ptx\",\n", "") == "dir/m.json:1: the key \"ptx\" is missing");
  CHECK(error_of("\"kernel\": \"k\", ", "") ==
        "dir/m.json:16: /launches/0: the key \"kernel\" is missing (a launch has it; a loop has "
        "\"repeat\" or \"until\" and \"launches\"; a write of the host has \"fill\" or \"set\")");
  CHECK(error_of("\"repeat\": 2", "\"repeat\": 2.5") ==
        "dir/m.json:17: /launches/0/repeat: expected an integer or an expression (a string), found "
        "2.5");
  CHECK(error_of("\"type\": \"f32\", \"count\": \"n\"}", "\"type\": \"f31\", \"count\": \"n\"}") ==
        "dir/m.json:10: /arrays/1/type: unknown type \"f31\"; did you mean 'f32'? (known: i8, u8, "
        "i16, u16, i32, u32, i64, u64, f32, f64)");
  CHECK(error_of("[\n    {\"name\": \"count\", \"type\": \"i32\", \"value\": \"n\"}\n  ]", "7") ==
        "dir/m.json:12: /scalars: expected a list, found 7");
  CHECK(error_of("\"block\": [32]", "\"block\": [1, 2, 3, 4]") ==
        "dir/m.json:16: /launches/0/block: expected one to three dimensions, found [1,2,3,4]");
}

TEST_CASE("initialisations are checked") {
  const std::string good = R"({"uniform": [-1, 1]})";
  CHECK_THAT(error_of(good, R"({"unifrom": [-1, 1]})"),
             Catch::Contains("/arrays/0/init/unifrom: unknown initialisation \"unifrom\"; did you "
                             "mean 'uniform'?"));
  CHECK_THAT(error_of(good, R"("uniform")"), Catch::Contains("\"uniform\" needs values"));
  CHECK_THAT(error_of(good, R"({"uniform": [1, 1]})"), Catch::Contains("low < high"));
  CHECK_THAT(error_of(good, R"({"uniform": [1]})"), Catch::Contains("expected [low, high]"));
  CHECK_THAT(error_of(good, R"({"random": [5, 4]})"), Catch::Contains("expected low <= high"));
  CHECK_THAT(error_of("\"type\": \"f32\", \"count\": \"n\", \"init\": {\"uniform\": [-1, 1]}",
                      "\"type\": \"u8\", \"count\": \"n\", \"init\": {\"constant\": 256}"),
             Catch::Contains("/arrays/0/init/constant: 256 does not fit the type u8"));
  CHECK_THAT(error_of("\"type\": \"f32\", \"count\": \"n\", \"init\": {\"uniform\": [-1, 1]}",
                      "\"type\": \"u8\", \"count\": \"n\", \"init\": {\"constant\": 2.5}"),
             Catch::Contains("expected an integer for the type u8, found 2.5"));
}

TEST_CASE("names are unique") {
  CHECK(error_of("\"name\": \"count\"", "\"name\": \"input\"") ==
        "dir/m.json:13: /scalars/0/name: the name \"input\" is taken");
}

TEST_CASE("sizes agree between scales, and a scale must be there to run") {
  CHECK_THAT(error_of("{\"n\": 128, \"m\": 0}", "{\"n\": 128}"),
             Catch::Contains("/sizes/medium: has other names than the sizes of \"small\""));
  const Manifest m = parse_manifest(text(), "dir/m.json");
  CHECK_THROWS_WITH(m.sizes_of(Scale::kPaper),
                    "dir/m.json:4: /sizes: there are no sizes for the scale paper");
}

TEST_CASE("a tolerance without expected values is refused") {
  CHECK_THAT(error_of(",\n  \"expected\": {\"output\": \"out.bin\"}", ""),
             Catch::Contains("/outputs/0: a tolerance needs expected values"));
}

}  // namespace tessera::manifest_test
