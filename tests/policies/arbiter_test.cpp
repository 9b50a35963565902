// SPDX-License-Identifier: Apache-2.0
#include "policies/arbiter.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

namespace tessera::arbiter_test {

TEST_CASE("round-robin serves the next input after the one that was served last") {
  const auto arbiter = make_policy<Arbiter>("round-robin");
  CHECK_FALSE(arbiter->compares_age());
  const auto choose = [&](std::uint64_t inputs, std::uint32_t last) {
    return arbiter->choose({inputs, last, nullptr});
  };
  const std::uint64_t inputs = std::uint64_t{1} << 63 | 0b101001;
  CHECK(choose(inputs, 0) == 3);
  CHECK(choose(inputs, 3) == 5);
  CHECK(choose(inputs, 5) == 63);
  CHECK(choose(inputs, 62) == 63);
  CHECK(choose(inputs, 63) == 0);
  CHECK(choose(0b110, 2) == 1);
}

TEST_CASE("oldest-first serves the input whose head came first, of several the lowest") {
  const auto arbiter = make_policy<Arbiter>("oldest-first");
  CHECK(arbiter->compares_age());
  const std::array<std::uint64_t, 4> arrived = {1, 9, 7, 7};
  CHECK(arbiter->choose({0b1110, 1, arrived.data()}) == 2);
  CHECK(arbiter->choose({0b1010, 1, arrived.data()}) == 3);
  CHECK(arbiter->choose({0b1011, 0, arrived.data()}) == 0);
}

TEST_CASE("an unknown arbiter is refused with the nearest name") {
  CHECK_THROWS_WITH(make_policy<Arbiter>("oldest-frist"),
                    Catch::Contains("did you mean 'oldest-first'?"));
}

}  // namespace tessera::arbiter_test
