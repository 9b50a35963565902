// SPDX-License-Identifier: Apache-2.0
#include "studies/sample_statistics.h"

#include <catch2/catch.hpp>

namespace tessera::sample_statistics_test {

using namespace tessera::studies;

TEST_CASE("a sample has a mean and a median, in any order of its values") {
  CHECK(mean_of({}) == std::nullopt);
  CHECK(median_of({}) == std::nullopt);
  CHECK(mean_of({4, -1, 0.75}) == 1.25);
  CHECK(median_of({4, -1, 0.75}) == 0.75);
  CHECK(median_of({2, 0.25, 0.5, 0.25}) == 0.375);
}

TEST_CASE("Pearson's coefficient is of the values, Spearman's of their ranks") {
  // Deviations (-1, 0, 1) and (-4/3, -1/3, 5/3): 3 / sqrt(2 * 14/3).
  CHECK(pearson({1, 2, 3}, {1, 2, 4}).value() == Approx(0.9819805060619657).epsilon(1e-12));
  CHECK(spearman({1, 2, 3}, {1, 2, 4}) == 1.0);
  CHECK(pearson({1, 2, 3}, {5, 3, 1}) == -1.0);
  // Ranks 1, 2.5, 2.5 and 1, 2, 3.
  CHECK(spearman({7, 9, 9}, {1, 5, 8}).value() == Approx(0.8660254037844387).epsilon(1e-12));
}

TEST_CASE("fewer than three pairs, and equal values, have no correlation") {
  CHECK(pearson({1, 2}, {1, 2}) == std::nullopt);
  CHECK(pearson({}, {}) == std::nullopt);
  // Three times 0.1 is not 0.3 in binary: the mean of equal values is another one.
  CHECK(pearson({0.1, 0.1, 0.1}, {1, 2, 3}) == std::nullopt);
  CHECK(pearson({1, 2, 3}, {0.1, 0.1, 0.1}) == std::nullopt);
  CHECK(spearman({4, 4, 4}, {1, 2, 3}) == std::nullopt);
}

}  // namespace tessera::sample_statistics_test
