// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/contents.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "common/error.h"
#include "stimuli/runner/random.h"

namespace tessera::contents_test {

namespace {

using namespace tessera::kernels;

Manifest manifest_with(const std::string& arrays) {
  return parse_manifest(R"({"name": "t", "ptx": "t.ptx", "sizes": {"small": {"n": 1001}},
    "arrays": [)" + arrays + R"(], "launches": []})",
                        "t.json");
}

}  // namespace

TEST_CASE("the random numbers are SplitMix64's") {
  // First outputs for seed 0, as its authors' program gives them.
  Random random(0);
  CHECK(random.next() == 0xe220a8397b1dcdafu);
  CHECK(random.next() == 0x6e789e6aa1b965f4u);
  CHECK(random.next() == 0x06c45d188009454fu);
}

TEST_CASE("random integers reach both ends of their range and nothing else") {
  Random random(1);
  std::vector<int> seen(5);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t v = random.integer(-2, 2);
    REQUIRE(v >= -2);
    REQUIRE(v <= 2);
    ++seen[static_cast<std::size_t>(v + 2)];
  }
  CHECK(*std::min_element(seen.begin(), seen.end()) > 100);
}

TEST_CASE("array contents are the same everywhere") {
  // Fixed values: a change here changes every published result.
  const Manifest m = manifest_with(
      R"({"name": "f", "type": "f32", "count": "n", "init": {"uniform": [-1, 1]}},
         {"name": "i", "type": "i32", "count": 4, "init": {"random": [0, "n - 1"]}})");
  const Inputs in(m, Scale::kSmall, 1);
  const auto f = in.values<float>("f").vector();
  REQUIRE(f.size() == 1001);
  CHECK(f[0] == -0x1.b0f9e2p-1f);
  CHECK(f[1000] == -0x1.3d60fap-1f);
  CHECK(in.values<std::int32_t>("i").vector() == std::vector<std::int32_t>{354, 221, 886, 710});
  CHECK(in.values<float>("f").vector() == f);
  CHECK(Inputs(m, Scale::kSmall, 2).values<float>("f").vector() != f);
}

TEST_CASE("an array's contents do not depend on the other arrays") {
  const std::string f = R"({"name": "f", "type": "f32", "count": 64, "init": {"uniform": [0, 1]}})";
  const std::string g = R"({"name": "g", "type": "f32", "count": 64, "init": {"uniform": [0, 1]}})";
  const Manifest one = manifest_with(f);
  const Manifest two = manifest_with(g + "," + f);
  const auto alone = Inputs(one, Scale::kSmall, 7).values<float>("f").vector();
  CHECK(Inputs(two, Scale::kSmall, 7).values<float>("f").vector() == alone);
  CHECK(Inputs(two, Scale::kSmall, 7).values<float>("g").vector() != alone);
}

TEST_CASE("zero, iota and constants fill every element") {
  const Manifest m = manifest_with(
      R"({"name": "z", "type": "i32", "count": 3},
         {"name": "i", "type": "u8", "count": 300, "init": "iota"},
         {"name": "c", "type": "f64", "count": 2, "init": {"constant": 2.5}},
         {"name": "k", "type": "i32", "count": 2, "init": {"constant": "-n"}})");
  const Inputs in(m, Scale::kSmall, 1);
  CHECK(in.values<std::int32_t>("z").vector() == std::vector<std::int32_t>{0, 0, 0});
  CHECK(in.values<std::uint8_t>("i")[299] == 299 % 256);
  CHECK(in.values<double>("c").vector() == std::vector<double>{2.5, 2.5});
  CHECK(in.values<std::int32_t>("k").vector() == std::vector<std::int32_t>{-1001, -1001});
}

TEST_CASE("row starts ascend to the promised total") {
  const Manifest m =
      manifest_with(R"({"name": "r", "type": "i32", "count": "n", "init": {"row_starts": 16}})");
  const auto r = Inputs(m, Scale::kSmall, 3).values<std::int32_t>("r").vector();
  CHECK(r.front() == 0);
  CHECK(r.back() == 16 * 1000);
  int shortest = 1000;
  int longest = 0;
  for (std::size_t i = 1; i < r.size(); ++i) {
    shortest = std::min(shortest, r[i] - r[i - 1]);
    longest = std::max(longest, r[i] - r[i - 1]);
  }
  CHECK(shortest == 8);
  CHECK(longest == 24);
}

}  // namespace tessera::contents_test
