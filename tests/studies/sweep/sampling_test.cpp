// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sampling.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <set>

namespace tessera::sampling_test {

using namespace tessera::studies;

namespace {

/// The interval of each point in a dimension that is divided into `count`.
std::vector<std::size_t> intervals_of(const std::vector<UnitPoint>& points, std::size_t d,
                                      std::size_t count) {
  std::vector<std::size_t> out;
  for (const UnitPoint& p : points) out.push_back(level_of(p[d], count));
  return out;
}

}  // namespace

TEST_CASE("a grid has all combinations and varies the last dimension fastest") {
  CHECK(full_grid({2, 3}) ==
        std::vector<LevelPoint>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  CHECK(full_grid({3}) == std::vector<LevelPoint>{{0}, {1}, {2}});
  CHECK(full_grid({2, 1, 2}) ==
        std::vector<LevelPoint>{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1}});
}

TEST_CASE("the size of a grid does not overflow") {
  CHECK(grid_size({4, 5, 6}) == 120);
  CHECK(grid_size({}) == 1);
  const std::size_t half = std::size_t{1} << 33U;
  CHECK(grid_size({half, half}) == std::numeric_limits<std::size_t>::max());
}

TEST_CASE("the first Sobol points are the sequence's") {
  // Joe and Kuo: dimension 1 is the sequence of van der Corput in Gray code's order.
  const std::vector<UnitPoint> points = sobol_points(7, 2, 0);
  CHECK(points == std::vector<UnitPoint>{{0.5, 0.5},
                                         {0.75, 0.25},
                                         {0.25, 0.75},
                                         {0.375, 0.375},
                                         {0.875, 0.875},
                                         {0.625, 0.125},
                                         {0.125, 0.625}});
}

TEST_CASE("a Sobol sequence continues after the skipped points") {
  const std::vector<UnitPoint> all = sobol_points(9, 3, 0);
  CHECK(sobol_points(5, 3, 4) == std::vector<UnitPoint>(all.begin() + 4, all.end()));
}

TEST_CASE("2^k - 1 Sobol points and the origin have one point in each of 2^k intervals") {
  const std::vector<UnitPoint> points = sobol_points(63, 5, 0);
  for (std::size_t d = 0; d < 5; ++d) {
    std::set<std::size_t> intervals = {0};
    for (const std::size_t i : intervals_of(points, d, 64)) CHECK(intervals.insert(i).second);
    CHECK(intervals.size() == 64);
  }
}

TEST_CASE("a Latin hypercube has one point in each interval of each dimension") {
  for (const std::uint64_t seed : {1, 2, 77}) {
    const std::vector<UnitPoint> points = latin_hypercube(17, 4, seed);
    for (std::size_t d = 0; d < 4; ++d) {
      const std::vector<std::size_t> all = intervals_of(points, d, 17);
      CHECK(std::set<std::size_t>(all.begin(), all.end()).size() == 17);
    }
  }
  // The intervals of two dimensions are paired at random.
  const std::vector<UnitPoint> points = latin_hypercube(17, 2, 1);
  CHECK(intervals_of(points, 0, 17) != intervals_of(points, 1, 17));
  CHECK(intervals_of(points, 0, 17) != intervals_of(latin_hypercube(17, 2, 2), 0, 17));
}

TEST_CASE("random points are the outputs of the standard's generator") {
  // The standard gives the 10000th output of mt19937_64 with its default seed.
  std::mt19937_64 engine;
  engine.discard(9999);
  REQUIRE(engine() == 9981545732273789042U);
  const std::vector<UnitPoint> points = random_points(5000, 2, std::mt19937_64::default_seed);
  CHECK(points.back()[1] == static_cast<double>(9981545732273789042U >> 11U) / 9007199254740992.0);
}

TEST_CASE("equal seeds give equal samples, and others do not") {
  CHECK(random_points(8, 3, 5) == random_points(8, 3, 5));
  CHECK(random_points(8, 3, 5) != random_points(8, 3, 6));
  CHECK(latin_hypercube(8, 3, 5) == latin_hypercube(8, 3, 5));
  CHECK(latin_hypercube(8, 3, 5) != latin_hypercube(8, 3, 6));
}

TEST_CASE("levels divide the unit interval equally") {
  CHECK(level_of(0, 4) == 0);
  CHECK(level_of(0.249, 4) == 0);
  CHECK(level_of(0.25, 4) == 1);
  CHECK(level_of(0.999, 4) == 3);
  CHECK(level_of(0.7, 1) == 0);
}

}  // namespace tessera::sampling_test
