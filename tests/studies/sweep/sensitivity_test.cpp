// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sensitivity.h"

#include <catch2/catch.hpp>
#include <functional>
#include <numeric>

#include "studies/sweep/sampling.h"

namespace tessera::sensitivity_test {

using namespace tessera::studies;

namespace {

using Function = std::function<double(const LevelPoint&)>;

/// The sensitivity of a function over a full grid.
std::optional<Sensitivity> over_grid(const std::vector<std::size_t>& levels, const Function& f) {
  std::vector<std::vector<std::size_t>> factors(levels.size());
  std::vector<double> values;
  for (const LevelPoint& p : full_grid(levels)) {
    for (std::size_t d = 0; d < p.size(); ++d) factors[d].push_back(p[d]);
    values.push_back(f(p));
  }
  return sensitivity(factors, values);
}

double number(std::size_t level) { return static_cast<double>(level); }

}  // namespace

TEST_CASE("a sum has main effects and no interaction") {
  // Variances of the terms: 3^2 * 2/3 = 6 and 2/3.
  const auto s =
      over_grid({3, 3}, [](const LevelPoint& p) { return 3 * number(p[0]) + number(p[1]); });
  REQUIRE(s);
  CHECK(s->main[0] == Approx(0.9));
  CHECK(s->main[1] == Approx(0.1));
  REQUIRE(s->interactions.size() == 1);
  CHECK(s->interactions[0].share == Approx(0).margin(1e-12));
}

TEST_CASE("an exclusive or has an interaction and no main effect") {
  const auto s = over_grid({2, 2}, [](const LevelPoint& p) { return p[0] == p[1] ? 0.0 : 1.0; });
  REQUIRE(s);
  CHECK(s->main == std::vector<double>{0, 0});
  REQUIRE(s->interactions.size() == 1);
  CHECK(s->interactions[0].share == Approx(1));
}

TEST_CASE("a product of levels 0 and 1 has thirds of the variance") {
  // 0, 0, 0, 1: V = 3/4; each main effect and the interaction are 1/4.
  const auto s = over_grid({2, 2}, [](const LevelPoint& p) { return number(p[0] * p[1]); });
  REQUIRE(s);
  CHECK(s->main[0] == Approx(1.0 / 3));
  CHECK(s->main[1] == Approx(1.0 / 3));
  CHECK(s->interactions[0].share == Approx(1.0 / 3));
}

TEST_CASE("interactions are sorted, and the shares of a function of pairs sum up to 1") {
  const auto s = over_grid({2, 3, 2}, [](const LevelPoint& p) {
    return 2 * number(p[0]) + number(p[0] * p[1]) + 5 * number(p[1] * p[2]);
  });
  REQUIRE(s);
  REQUIRE(s->interactions.size() == 3);
  CHECK(s->interactions[0].first == 1);
  CHECK(s->interactions[0].second == 2);
  CHECK(s->interactions[1].first == 0);
  CHECK(s->interactions[1].second == 1);
  CHECK(s->interactions[2].share == Approx(0).margin(1e-12));
  double sum = std::accumulate(s->main.begin(), s->main.end(), 0.0);
  for (const Interaction& i : s->interactions) sum += i.share;
  CHECK(sum == Approx(1));
}

TEST_CASE("a factor with one level explains nothing and interacts with none") {
  const auto s = over_grid({3, 1, 2}, [](const LevelPoint& p) { return number(p[0] * p[2]); });
  REQUIRE(s);
  CHECK(s->main[1] == 0);
  REQUIRE(s->interactions.size() == 1);
  CHECK(s->interactions[0].second == 2);
}

TEST_CASE("a pair with fewer than two designs for each of its combinations is left out") {
  // Four designs: each pair has four combinations.
  const auto s = sensitivity({{0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 0}}, {1, 2, 3, 5});
  REQUIRE(s);
  CHECK(s->interactions.empty());
  CHECK(s->main[0] == Approx((2 * 1.25 * 1.25 * 2) / 8.75));
}

TEST_CASE("equal values, and one design, have no sensitivity") {
  CHECK_FALSE(sensitivity({{0, 1}}, {4, 4}));
  CHECK_FALSE(sensitivity({{0}}, {4}));
}

TEST_CASE("ranks divide values into groups of equal size, with equal values together") {
  using Levels = std::vector<std::size_t>;
  CHECK(rank_levels({10, 0.5, 7, 3}, 2) == Levels{1, 0, 1, 0});
  CHECK(rank_levels({1, 1, 1, 1, 9, 9}, 3) == Levels{0, 0, 0, 0, 2, 2});
}

}  // namespace tessera::sensitivity_test
