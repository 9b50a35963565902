// SPDX-License-Identifier: Apache-2.0
// How a manifest compares outputs, and keeps them in files.
#include <catch2/catch.hpp>
#include <string>

#include "tests/stimuli/runner/manifest_folder.h"

namespace tessera::manifest_outputs_test {

namespace {

using tessera::test::ManifestFolder;
using tessera::test::ManifestRun;

/// A run whose array `a` is `init`, compared with `expected`.
struct Run {
  ManifestFolder folder;
  ManifestRun run;
  Run(const std::string& type, const std::string& init, const std::string& output,
      const std::string& expected)
      : run(write(type, init, output, expected)) {}
  std::string write(const std::string& type, const std::string& init, const std::string& output,
                    const std::string& expected) const {
    folder.put("k.ptx",
               ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
    return folder.put(
        "m.json", R"({"name": "m", "ptx": "k.ptx",
"arrays": [{"name": "a", "type": ")" +
                      type + R"(", "count": 4, "init": )" + init + R"(}],
"launches": [{"kernel": "k", "grid": 1, "block": 1, "arguments": []}],
"outputs": [{"array": "a")" +
                      output + "}]" +
                      (expected.empty() ? "" : R"(, "expected": {"a": )" + expected + "}") + "}");
  }
};

}  // namespace

TEST_CASE("values in any order pass as a multiset only") {
  const std::string any = R"(, "order": "any")";
  CHECK(Run("i32", "[3, 1, 2, 2]", any, "[2, 1, 2, 3]").run.passed());
  CHECK_FALSE(Run("i32", "[3, 1, 2, 2]", "", "[2, 1, 2, 3]").run.passed());
  Run wrong("i32", "[3, 1, 2, 2]", any, "[3, 1, 2, 3]");
  REQUIRE(wrong.run.verification);
  CHECK_FALSE(wrong.run.verification->passed);
  CHECK(wrong.run.verification->messages ==
        std::vector<std::string>{"a in ascending order: element 2 is 2, expected 3"});
  CHECK(Run("f32", "[3, 1, 2, 0.5]", any + R"(, "absolute": 0.125)", "[0.5, 1.125, 1.875, 3]")
            .run.passed());
}

TEST_CASE("NaN passes where it is expected and the manifest says so") {
  const std::string equal = R"(, "nan": "equal")";
  const std::string values = R"([1, "nan", "inf", "-inf"])";
  CHECK(Run("f32", values, equal, values).run.passed());
  CHECK_FALSE(Run("f32", values, "", values).run.passed());
  CHECK_FALSE(Run("f32", values, equal, R"(["nan", "nan", "inf", "-inf"])").run.passed());
  CHECK_FALSE(Run("f32", "[1, 2, 3, 4]", equal, R"([1, "nan", 3, 4])").run.passed());
  CHECK_FALSE(
      Run("f32", "[1, 2, 3, 4]", R"(, "relative": 0.1)", R"([1, 2, 3, "inf"])").run.passed());
  CHECK(Run("f32", R"(["nan", 1, "nan", 0])", equal + R"(, "order": "any")",
            R"([0, 1, "nan", "nan"])")
            .run.passed());
  CHECK_THAT(Run("i32", "[1, 2, 3, 4]", equal, "[1, 2, 3, 4]").run.error,
             Catch::Contains("/outputs/0/nan: integers have no NaN"));
  CHECK_THAT(Run("f32", values, equal, "").run.error,
             Catch::Contains("/outputs/0: a way to compare needs expected values"));
}

TEST_CASE("an output's raw elements are kept for a file, with or without expected values") {
  const Run r("u8", "[1, 2, 3, 4]", R"(, "file": "a.bin")", "");
  REQUIRE(r.run.error.empty());
  REQUIRE(r.run.workload->output_files().size() == 1);
  CHECK(r.run.workload->output_files()[0].name == "a.bin");
  CHECK(r.run.workload->output_files()[0].bytes == "\x01\x02\x03\x04");
  CHECK_THAT(Run("u8", "[1, 2, 3, 4]", R"(, "file": "x/a.bin")", "").run.error,
             Catch::Contains("/outputs/0/file: expected a file name without folders"));
  CHECK_THAT(Run("u8", "[1, 2, 3, 4]", R"(, "file": "stats.json")", "").run.error,
             Catch::Contains("is a file of the run's own"));
}

TEST_CASE("what would not be checked as it says is refused") {
  CHECK_THAT(Run("i32", "[1, 2, 3, 4]", R"(, "relative": 0.1)", "[1, 2, 3, 4]").run.error,
             Catch::Contains("/outputs/0: integers are compared exactly"));
  const ManifestFolder folder;
  folder.put("k.ptx",
             ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n");
  const std::string path = folder.put("m.json", R"({"name": "m", "ptx": "k.ptx",
"arrays": [{"name": "a", "type": "u8", "count": 1}, {"name": "b", "type": "u8", "count": 1}],
"launches": [{"kernel": "k", "grid": 1, "block": 1, "arguments": []}],
"outputs": [{"array": "a"}, {"array": "b"}], "expected": {"a": [0]}})");
  CHECK_THAT(ManifestRun(path).error,
             Catch::Contains("/outputs/1: nothing checks or keeps \"b\": expected a \"file\""));
}

TEST_CASE("numbers that would become infinite are refused") {
  const char* const message = "1e+39 does not fit the type f32";
  CHECK_THAT(Run("f32", R"({"constant": 1e39})", "", "[1, 2, 3, 4]").run.error,
             Catch::Contains(message));
  CHECK_THAT(Run("f32", "[1, 2, 1e39, 4]", "", "[1, 2, 3, 4]").run.error, Catch::Contains(message));
  CHECK_THAT(Run("f32", "[1, 2, 3, 4]", "", "[1, 2, 1e39, 4]").run.error, Catch::Contains(message));
  CHECK(Run("f64", "[1, 2, 1e39, 4]", "", "[1, 2, 1e39, 4]").run.passed());
}

TEST_CASE("iota of floats goes beyond 64-bit integers") {
  CHECK(Run("f64", R"({"iota": {"start": 0, "step": 4611686018427387904}})", "",
            "[0, 4611686018427387904, 9223372036854775808, 13835058055282163712]")
            .run.passed());
}

}  // namespace tessera::manifest_outputs_test
