// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/pareto.h"

#include <catch2/catch.hpp>

namespace tessera::pareto_test {

using namespace tessera::studies;
using Indices = std::vector<std::size_t>;

TEST_CASE("the front has the designs that no other design dominates") {
  CHECK(pareto_front({{4, 1}, {3, 3}, {2, 2}, {1, 4}, {2, 5}}) == Indices{0, 2, 3});
  // In three objectives a design can be worse in two.
  CHECK(pareto_front({{1, 1, 1}, {2, 2, 0}, {2, 2, 1}}) == Indices{0, 1});
}

TEST_CASE("equal designs are in the front together") {
  CHECK(pareto_front({{1, 2}, {3, 3}, {1, 2}}) == Indices{0, 2});
  // Equal in one objective and worse in the other.
  CHECK(pareto_front({{1, 2}, {1, 3}}) == Indices{0});
}

TEST_CASE("the front of one objective has the best designs") {
  CHECK(pareto_front({{3}, {1}, {2}, {1}}) == Indices{1, 3});
}

TEST_CASE("the front of no and of one design") {
  CHECK(pareto_front({}).empty());
  CHECK(pareto_front({{7, 7}}) == Indices{0});
}

TEST_CASE("the hypervolume is the area between the front and the reference") {
  // Columns of width 1, 2 and 1 below the reference (5, 5).
  CHECK(hypervolume({{1, 4}, {2, 2}, {4, 1}}, {5, 5}) == Approx(1 * 1 + 2 * 3 + 1 * 4));
  // Dominated designs change nothing.
  CHECK(hypervolume({{1, 4}, {2, 2}, {4, 1}, {3, 3}}, {5, 5}) == Approx(11));
  CHECK(hypervolume({{1, 1, 1}, {0, 2, 2}}, {3, 3, 3}) == Approx(8 + 1));
  CHECK(hypervolume({{4}, {1.5}, {2}}, {3}) == Approx(1.5));
}

TEST_CASE("a design that is not better than the reference adds no volume") {
  CHECK(hypervolume({{1, 5}, {6, 0}}, {5, 5}) == 0);
  CHECK(hypervolume({{1, 5}, {3, 3}}, {5, 5}) == Approx(4));
  CHECK(hypervolume({}, {1, 1}) == 0);
}

}  // namespace tessera::pareto_test
