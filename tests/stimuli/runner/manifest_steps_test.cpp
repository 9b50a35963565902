// SPDX-License-Identifier: Apache-2.0
// Loops, writes of the host and arguments of a manifest.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/stimuli/runner/manifest_folder.h"

namespace tessera::manifest_steps_test {

namespace {

using tessera::test::ManifestFolder;
using tessera::test::ManifestRun;
using Ints = std::vector<std::int32_t>;

// add: to[0] = from[0] + v. fadd: the same of a float v, rounded. pick: to[0] = s.p[0] + s.v of
// struct { char c; int* p; int v; }.
constexpr const char* kPtx = R"(.version 6.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 from, .param .u64 to, .param .u32 v)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  ld.param.u32 %r1, [v];
  ld.global.u32 %r2, [%rd1];
  add.s32 %r3, %r1, %r2;
  st.global.u32 [%rd2], %r3;
  ret;
}
.visible .entry fadd(.param .u64 to, .param .f32 v)
{
  .reg .b32 %r<2>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [to];
  ld.param.f32 %f1, [v];
  cvt.rni.s32.f32 %r1, %f1;
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry any(.param .u64 to, .param .b32 v)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [to];
  ld.param.b32 %r1, [v];
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry pick(.param .align 8 .b8 s[24], .param .u64 to)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [s+8];
  ld.param.u32 %r1, [s+16];
  ld.param.u64 %rd2, [to];
  ld.global.u32 %r2, [%rd1];
  add.s32 %r3, %r1, %r2;
  st.global.u32 [%rd2], %r3;
  ret;
}
)";

std::string launch(const std::string& kernel, const std::string& arguments,
                   const std::string& more = "") {
  return R"({"kernel": ")" + kernel + R"(", "grid": 1, "block": 1, "arguments": [)" + arguments +
         "]" + more + "}";
}

std::string constant(int v) { return R"({"type": "i32", "value": )" + std::to_string(v) + "}"; }

struct Run {
  ManifestFolder folder;
  ManifestRun run;
  explicit Run(const std::string& launches) : run(write(launches)) { INFO(run.error); }

  std::string write(const std::string& launches) const {
    folder.put("k.ptx", kPtx);
    return folder.put("m.json", R"({
  "name": "m", "ptx": "k.ptx", "sizes": {"small": {"n": 4}},
  "arrays": [{"name": "a", "type": "i32", "count": "n", "init": "iota"},
             {"name": "b", "type": "i32", "count": "n"}],
  "scalars": [{"name": "two", "type": "i32", "value": 2}],
  "launches": [)" + launches + "]}");
  }
  std::string error() const { return run.error; }
};

}  // namespace

TEST_CASE("a loop repeats several launches, with its count in their formulas") {
  // b[k] = a[k] + 10 k, then a[k] = b[k] + 1.
  Run r(R"({"repeat": "n", "as": "k", "launches": [)" +
        launch("add", R"({"array": "a", "offset": "k"}, {"array": "b", "offset": "iteration"},
                         {"type": "i32", "value": "10 * iteration"})") +
        "," +
        launch("add",
               R"({"array": "b", "offset": "k"}, {"array": "a", "offset": "k"},)" + constant(1)) +
        "]}");
  REQUIRE(r.error().empty());
  CHECK(r.run.array<std::int32_t>("b") == Ints{0, 11, 22, 33});
  CHECK(r.run.array<std::int32_t>("a") == Ints{1, 12, 23, 34});
  CHECK(r.run.device.launches() == 8);
}

TEST_CASE("loops nest: iteration is the innermost one's, names reach further") {
  Run r(R"({"repeat": 2, "as": "i", "launches": [{"repeat": 2, "as": "j", "launches": [)" +
        launch("add", R"({"array": "a", "offset": 0}, {"array": "b", "offset": "2 * i + j"},
                         {"type": "i32", "value": "100 * i + 10 * j + iteration"})") +
        "]}]}");
  REQUIRE(r.error().empty());
  CHECK(r.run.array<std::int32_t>("b") == Ints{0, 11, 100, 111});
}

TEST_CASE("a loop runs until an element has a value, at least once") {
  const std::string count_down =
      launch("add", R"({"array": "a", "offset": 3}, {"array": "a", "offset": 3},)" + constant(-1));
  const std::string until = R"({"until": {"array": "a", "index": "n - 1", "equals": 0},)";
  Run r(until + R"("at_most": 3, "launches": [)" + count_down + "]}");
  REQUIRE(r.error().empty());
  CHECK(r.run.device.launches() == 3);

  Run once(R"({"until": {"array": "a", "index": 0, "equals": 0}, "at_most": 9, "launches": [)" +
           launch("add", R"("b", "b", "two")") + "]}");
  REQUIRE(once.error().empty());
  CHECK(once.run.device.launches() == 1);

  Run endless(until + "\n" + R"("at_most": 2, "launches": [)" + count_down + "]}");
  CHECK(endless.run.run_error);
  CHECK_THAT(endless.error(),
             Catch::EndsWith("m.json:7: /launches/0/at_most: the loop until \"a\"[n - 1] equals 0 "
                             "did not end in 2 passes; the element is 1"));
}

TEST_CASE("the host writes whole arrays and single elements between launches") {
  Run r(R"({"fill": "b", "value": "n + 3"}, {"set": {"array": "b", "index": "n - 1", "value": -1}},
           {"repeat": 2, "launches": [{"set": {"array": "a", "index": "iteration", "value": 9}}]})");
  REQUIRE(r.error().empty());
  CHECK(r.run.array<std::int32_t>("b") == Ints{7, 7, 7, -1});
  CHECK(r.run.array<std::int32_t>("a") == Ints{9, 9, 2, 3});
  CHECK_THAT(
      Run(R"({"set": {"array": "b", "index": "n", "value": 1}})").error(),
      Catch::Contains("/launches/0/set/index: expected an element of \"b\", 0 to 3, found 4"));
  CHECK_THAT(Run(R"({"fill": "bb", "value": 1})").error(),
             Catch::Contains("/launches/0/fill: unknown array \"bb\"; did you mean 'b'?"));
  CHECK_THAT(Run(R"({"fill": "b", "value": 1.5})").error(),
             Catch::Contains("/launches/0/value: expected an integer for the type i32, found 1.5"));
}

TEST_CASE("arguments alternate with the iteration") {
  const std::string swap = R"({"alternate": ["a", "b"]}, {"alternate": ["b", "a"]},)";
  Run r(launch("add", swap + constant(1), R"(, "repeat": 5)"));
  REQUIRE(r.error().empty());
  // a: 0 -> b: 1 -> a: 2 -> b: 3 -> a: 4 -> b: 5.
  CHECK(r.run.array<std::int32_t>("a")[0] == 4);
  CHECK(r.run.array<std::int32_t>("b")[0] == 5);
  CHECK_THAT(Run(launch("add", swap + constant(1))).error(),
             Catch::Contains("/launches/0/arguments/0: \"alternate\" needs a loop around it"));
  CHECK_THAT(
      Run(launch("add", R"({"alternate": ["a", "two"]}, "b", "two")", R"(, "repeat": 2)")).error(),
      Catch::Contains("parameter 0 of \"add\" has 8 bytes, but a scalar of type i32 has 4"));
}

TEST_CASE("an offset counts elements and stays inside of the array, in the last pass too") {
  Run r(launch("add", R"({"array": "a", "offset": "n - 1"}, {"array": "b", "offset": 1}, "two")"));
  REQUIRE(r.error().empty());
  CHECK(r.run.array<std::int32_t>("b") == Ints{0, 5, 0, 0});
  CHECK_THAT(Run(launch("add", R"({"array": "a", "offset": "n"}, "b", "two")")).error(),
             Catch::Contains("m.json:6: /launches/0/arguments/0/offset: expected an element of "
                             "\"a\", 0 to 3, found 4"));
  CHECK_THAT(Run(launch("add", R"({"array": "a", "offset": "iteration"}, "b", "two")",
                        R"(, "repeat": "n + 1")"))
                 .error(),
             Catch::Contains("/launches/0/arguments/0/offset: expected an element of \"a\", 0 to "
                             "3, found 4"));
}

TEST_CASE("a structure is laid out as C does") {
  const auto structure = [](const std::string& members) {
    return launch("pick", R"({"struct": [)" + members + R"(]}, "b")");
  };
  Run r(structure(R"({"type": "i8", "value": 1}, {"array": "a", "offset": 2}, "two")"));
  REQUIRE(r.error().empty());
  CHECK(r.run.array<std::int32_t>("b")[0] == 4);
  // The inner structure is aligned to its pointer and padded behind its integer.
  Run nested(structure(R"({"type": "i8", "value": 1}, {"struct": ["a", "two"]})"));
  REQUIRE(nested.error().empty());
  CHECK(nested.run.array<std::int32_t>("b")[0] == 2);
  CHECK_THAT(Run(structure(R"("a", "two")")).error(),
             Catch::Contains("m.json:6: /launches/0/arguments/0: parameter 0 of \"pick\" has 24 "
                             "bytes, but the structure (members at bytes 0, 8) has 16"));
  // A larger alignment pads the end.
  CHECK_THAT(Run(launch("pick", R"({"struct": ["a", "two"], "align": 32}, "b")")).error(),
             Catch::Contains("has 32"));
}

TEST_CASE("a scalar's kind must be its parameter's") {
  const std::string f = R"({"type": "f32", "value": 3.0})";
  CHECK(Run(launch("fadd", "\"b\", " + f)).error().empty());
  CHECK_THAT(Run(launch("fadd", "\"b\", " + constant(3))).error(),
             Catch::Contains("m.json:6: /launches/0/arguments/1: parameter 1 of \"fadd\" has the "
                             "type .f32, expected a scalar of type f32, found a scalar of type "
                             "i32"));
  CHECK_THAT(Run(launch("add", "\"a\", \"b\", " + f)).error(),
             Catch::Contains("parameter 2 of \"add\" has the type .u32, expected an integer, found "
                             "a scalar of type f32"));
  CHECK_THAT(Run(launch("add", R"({"type": "f64", "value": 1.0}, "b", "two")")).error(),
             Catch::Contains("type .u64, expected an integer or an address"));
  CHECK(Run(launch("any", "\"b\", " + f)).error().empty());
  CHECK(Run(launch("any", "\"b\", " + constant(3))).error().empty());
}

TEST_CASE("mistakes in loops are named") {
  const std::string body = R"("launches": [)" + launch("add", R"("a", "b", "two")") + "]";
  CHECK_THAT(Run(R"({"repeat": 2, "lanches": []})").error(),
             Catch::Contains("/launches/0/lanches: unknown key \"lanches\""));
  CHECK_THAT(Run(R"({"repeat": 2, "launches": []})").error(),
             Catch::Contains("/launches/0/launches: expected at least one launch"));
  CHECK_THAT(Run(R"({"until": {"array": "a", "index": 0, "equals": 0},)" + body + "}").error(),
             Catch::Contains("/launches/0: the key \"at_most\" is missing"));
  CHECK_THAT(Run(R"({"repeat": 2, "as": "n",)" + body + "}").error(),
             Catch::Contains("/launches/0/as: the name \"n\" is taken"));
  CHECK_THAT(Run(R"({"repeat": "-1",)" + body + "}").error(),
             Catch::Contains("/launches/0/repeat: expected an integer from 0"));
  // The last pass has no CTA.
  CHECK_THAT(Run(R"({"repeat": "n", "launches": [{"kernel": "add", "grid": "n - 1 - iteration",
                    "block": 1, "arguments": ["a", "b", "two"]}]})")
                 .error(),
             Catch::Contains("/launches/0/launches/0/grid: expected an integer from 1 to 2^31 - 1, "
                             "found 0 in iteration 3"));
}

}  // namespace tessera::manifest_steps_test
