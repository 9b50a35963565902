// SPDX-License-Identifier: Apache-2.0
// Initial contents of a manifest's arrays: lists, runs of numbers, permutations, sparse matrices.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "common/error.h"
#include "stimuli/runner/contents.h"
#include "stimuli/runner/manifest.h"

namespace tessera::manifest_initial_test {

namespace {

using namespace tessera::kernels;
using Ints = std::vector<std::int32_t>;

std::string text(const std::string& arrays) {
  return R"({"name": "t", "ptx": "t.ptx", "sizes": {"small": {"n": 100}},
"arrays": [)" +
         arrays + R"(], "launches": []})";
}

std::string array(const std::string& init, const std::string& type = "i32",
                  const std::string& count = "4") {
  return R"({"name": "a", "type": ")" + type + R"(", "count": )" + count + R"(, "init": )" + init +
         "}";
}

template <class T = std::int32_t>
std::vector<T> contents(const std::string& arrays, const std::string& name = "a",
                        std::uint64_t seed = 1) {
  const Manifest m = parse_manifest(text(arrays), "m.json");
  return Inputs(m, Scale::kSmall, seed).values<T>(name).vector();
}

std::string error_of(const std::string& arrays) {
  try {
    const Manifest m = parse_manifest(text(arrays), "m.json");
    const Inputs inputs(m, Scale::kSmall, 1);
    for (const ArraySpec& a : m.arrays) {
      std::vector<std::byte> out(inputs.count(a) * element_bytes(a.type));
      inputs.fill(a, out.data());
    }
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

const std::string kRows = R"({"name": "r", "type": "i32", "count": "n + 1", "init":
  {"row_starts": {"min": 0, "max": 9}}})";

}  // namespace

TEST_CASE("a list gives every element") {
  CHECK(contents(array("[3, -1, 2, 0]")) == Ints{3, -1, 2, 0});
  const auto reals = contents<float>(array(R"([0.5, 2, "inf", "nan"])", "f32"));
  CHECK(reals[0] == 0.5f);
  CHECK(reals[1] == 2);
  CHECK(std::isinf(reals[2]));
  CHECK(std::isnan(reals[3]));
  CHECK(error_of(array("[1, 2]")) ==
        "m.json:2: /arrays/0/init: expected 4 values, as many as \"a\" has elements, found 2");
  CHECK(error_of(array("[1, 2, 3, 256]", "u8")) ==
        "m.json:2: /arrays/0/init/3: 256 does not fit the type u8");
  CHECK(error_of(array("[1, 2, 3, 0.5]")) ==
        "m.json:2: /arrays/0/init/3: expected an integer for the type i32, found 0.5");
  CHECK(error_of(array(R"([1, 2, 3, "nam"])", "f32")) ==
        "m.json:2: /arrays/0/init/3: \"nam\" is not one of nan, inf, -inf; did you mean 'nan'?");
}

TEST_CASE("iota has a start and a step") {
  CHECK(contents(array("\"iota\"")) == Ints{0, 1, 2, 3});
  CHECK(contents(array(R"({"iota": {"start": "n", "step": -2}})")) == Ints{100, 98, 96, 94});
  CHECK(contents<float>(array(R"({"iota": {"start": 1, "step": 0.25}})", "f32")) ==
        std::vector<float>{1, 1.25f, 1.5f, 1.75f});
  CHECK(error_of(array(R"({"iota": {"step": 100}})", "u8")) ==
        "m.json:2: /arrays/0/init: the last element does not fit the type u8");
  CHECK_THAT(error_of(array(R"({"iota": {"stpe": 1}})")), Catch::Contains("did you mean 'step'?"));
}

TEST_CASE("a permutation has every number once, in an order of the seed and the name") {
  const Ints one = contents(array("\"permutation\"", "i32", "\"n\""));
  CHECK_FALSE(std::is_sorted(one.begin(), one.end()));
  Ints sorted = one;
  std::sort(sorted.begin(), sorted.end());
  for (std::int32_t i = 0; i < 100; ++i) CHECK(sorted[static_cast<std::size_t>(i)] == i);
  CHECK(contents(array("\"permutation\"", "i32", "\"n\"")) == one);
  CHECK(contents(array("\"permutation\"", "i32", "\"n\""), "a", 2) != one);
  CHECK_THAT(error_of(array("\"permutation\"", "f32")), Catch::Contains("is for integers"));
  CHECK_THAT(error_of(array("\"permutation\"", "u8", "1000")),
             Catch::Contains("999 does not fit the type u8"));
  CHECK_THAT(error_of(array("\"permutaion\"")), Catch::Contains("did you mean 'permutation'?"));
}

TEST_CASE("row starts follow given degrees or a range of them") {
  CHECK(contents(array(R"({"row_starts": [2, 0, 5]})")) == Ints{0, 2, 2, 7});
  CHECK(error_of(array(R"({"row_starts": [2, 0]})")) ==
        "m.json:2: /arrays/0/init/row_starts: expected 3 degrees, one fewer than elements, found "
        "2");
  const Ints rows = contents(kRows, "r");
  std::set<std::int32_t> degrees;
  REQUIRE(rows.size() == 101);
  CHECK(rows[0] == 0);
  for (std::size_t i = 1; i < rows.size(); ++i) degrees.insert(rows[i] - rows[i - 1]);
  CHECK(*degrees.begin() >= 0);
  CHECK(*degrees.rbegin() <= 9);
  CHECK(degrees.size() >= 8);
  CHECK_THAT(error_of(array(R"({"row_starts": {"min": 3, "max": 2}})")),
             Catch::Contains("/init/row_starts/min: expected min <= max"));
}

TEST_CASE("columns fit their rows: as many, different, below the limit, sorted or not") {
  const auto columns = [](const std::string& more) {
    return kRows + R"(, {"name": "c", "type": "i32", "init": {"columns": {"rows": "r", "of": 20)" +
           more + "}}}";
  };
  const Ints rows = contents(kRows, "r");
  for (const bool sorted : {true, false}) {
    const Ints all = contents(columns(sorted ? "" : ", \"sorted\": false"), "c");
    REQUIRE(all.size() == static_cast<std::size_t>(rows.back()));
    bool every_row_sorted = true;
    for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
      const Ints row(all.begin() + rows[r], all.begin() + rows[r + 1]);
      const std::set<std::int32_t> different(row.begin(), row.end());
      CHECK(different.size() == row.size());
      if (!row.empty()) {
        CHECK(*different.begin() >= 0);
        CHECK(*different.rbegin() < 20);
      }
      every_row_sorted = every_row_sorted && std::is_sorted(row.begin(), row.end());
    }
    CHECK(every_row_sorted == sorted);
  }
}

TEST_CASE("columns that cannot be are refused") {
  const auto columns = [](const std::string& init, const std::string& count = "") {
    return kRows + R"(, {"name": "c", "type": "i32", )" + count + R"("init": {"columns": )" + init +
           "}}";
  };
  CHECK_THAT(error_of(columns(R"({"rows": "q", "of": 9})")),
             Catch::Contains("/arrays/1/init/columns/rows: unknown array \"q\""));
  CHECK_THAT(error_of(columns(R"({"rows": "r", "of": 2})")),
             Catch::Contains("more than the 2 columns"));
  CHECK_THAT(error_of(columns(R"({"rows": "r", "of": 20})", R"("count": 3, )")),
             Catch::Contains("/arrays/1: the rows of \"r\" have"));
  CHECK_THAT(
      error_of(array("[0, 3, 2, 4]") +
               R"(, {"name": "c", "type": "i32", "init": {"columns": {"rows": "a", "of": 9}}})"),
      Catch::Contains("\"a\" holds no row starts: element 2 is 2, less than the one before"));
}

}  // namespace tessera::manifest_initial_test
