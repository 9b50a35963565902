// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/home_counts.h"

#include <catch2/catch.hpp>

namespace tessera::home_counts_test {

TEST_CASE("misses are counted for the node of their home slice") {
  HomeCounts homes({0, 0, 1, 1, 2});
  for (const std::uint32_t slice : {0U, 1U, 1U, 3U, 4U}) homes.add(SliceId(slice));
  CHECK(homes.counts() == std::vector<Counter>{3, 1, 1});
}

TEST_CASE("a home that is no slice is not counted") {
  HomeCounts homes({0, 1});
  homes.add(SliceId(2));
  CHECK(homes.counts() == std::vector<Counter>{0, 0});
}

TEST_CASE("nothing is counted where all slices are in one node") {
  HomeCounts homes;
  homes.add(SliceId(0));
  CHECK(homes.counts().empty());
}

}  // namespace tessera::home_counts_test
