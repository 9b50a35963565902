// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/adaptive_search.h"

#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>

namespace tessera::adaptive_search_test {

using namespace tessera::studies;

namespace {

/// Five resources: the time falls with each, the cost grows with each, and both differ.
ObjectiveValues model(const LevelPoint& p) {
  const double work[] = {8, 5, 3, 2, 0.2};
  const double price[] = {1, 2, 0.5, 3, 4};
  ObjectiveValues v = {0, 0};
  for (std::size_t d = 0; d < p.size(); ++d) {
    v[0] += work[d] / static_cast<double>(p[d] + 1);
    v[1] += price[d] * static_cast<double>(p[d]);
  }
  return v;
}

const std::vector<std::size_t> kLevels = {8, 8, 8, 8, 8};
/// The worst of both objectives.
const ObjectiveValues kReference = {18.2, 73.5};

struct Search {
  std::vector<LevelPoint> evaluated;
  std::vector<std::size_t> batches;
  std::vector<ObjectiveValues> values;

  explicit Search(const SearchLimits& limits, const SearchTarget& change = {}) {
    SearchTarget target;
    target.levels = change.levels.empty() ? kLevels : change.levels;
    target.admissible =
        change.admissible ? change.admissible : [](const LevelPoint&) { return true; };
    target.evaluate = [this, &change](const std::vector<LevelPoint>& points) {
      batches.push_back(points.size());
      if (change.evaluate) change.evaluate(points);
      std::vector<std::optional<ObjectiveValues>> out;
      for (const LevelPoint& p : points) {
        evaluated.push_back(p);
        values.push_back(model(p));
        out.emplace_back(values.back());
      }
      return out;
    };
    adaptive_search(target, limits);
  }
};

}  // namespace

TEST_CASE("the search reaches 95 % of the grid's hypervolume with a hundredth of its designs") {
  std::vector<ObjectiveValues> all;
  for (const LevelPoint& p : full_grid(kLevels)) all.push_back(model(p));
  REQUIRE(all.size() == 32'768);
  const double best = hypervolume(all, kReference);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Search s({300, 16, seed});
    CAPTURE(seed);
    CHECK(s.evaluated.size() == 300);
    CHECK(hypervolume(s.values, kReference) >= 0.95 * best);
    // As many random designs have less.
    std::vector<ObjectiveValues> random;
    for (const UnitPoint& u : random_points(300, 5, seed)) {
      LevelPoint p;
      for (const double x : u) p.push_back(level_of(x, 8));
      random.push_back(model(p));
    }
    CHECK(hypervolume(random, kReference) < hypervolume(s.values, kReference));
  }
}

TEST_CASE("no design is evaluated twice, and the budget is used exactly") {
  const Search s({40, 8, 3});
  CHECK(s.evaluated.size() == 40);
  CHECK(std::set<LevelPoint>(s.evaluated.begin(), s.evaluated.end()).size() == 40);
  // The first generation is one batch.
  CHECK(s.batches.front() == 8);
}

TEST_CASE("equal seeds search equally, and others do not") {
  CHECK(Search({40, 8, 3}).evaluated == Search({40, 8, 3}).evaluated);
  CHECK(Search({40, 8, 3}).evaluated != Search({40, 8, 4}).evaluated);
}

TEST_CASE("a small space is searched to its end") {
  SearchTarget small;
  small.levels = {2, 3, 1};
  const Search s({100, 8, 1}, small);
  CHECK(s.evaluated.size() == 6);
}

TEST_CASE("designs that are not admissible are not evaluated") {
  SearchTarget odd;
  std::size_t refused = 0;
  odd.admissible = [&refused](const LevelPoint& p) {
    const bool good = p[0] % 2 == 1;
    if (!good) ++refused;
    return good;
  };
  const Search s({40, 8, 1}, odd);
  CHECK(s.evaluated.size() == 40);
  CHECK(refused > 0);
  for (const LevelPoint& p : s.evaluated) CHECK(p[0] % 2 == 1);
}

TEST_CASE("an exception of an evaluation ends the search") {
  SearchTarget failing;
  failing.evaluate =
      [calls = 0](
          const std::vector<LevelPoint>&) mutable -> std::vector<std::optional<ObjectiveValues>> {
    if (++calls == 2) throw std::runtime_error("interrupted");
    return {};
  };
  CHECK_THROWS_WITH(Search({40, 8, 1}, failing), "interrupted");
}

}  // namespace tessera::adaptive_search_test
