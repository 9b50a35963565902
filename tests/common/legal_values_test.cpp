// SPDX-License-Identifier: Apache-2.0
#include "common/legal_values.h"

#include <catch2/catch.hpp>

namespace tessera::legal_values_test {

TEST_CASE("the nearest multiples and divisors are on both sides, and never 0") {
  CHECK(near_multiples(10, 4) == "8 or 12");
  CHECK(near_multiples(3, 4) == "4");
  CHECK(near_multiples(0, 4) == "4");
  CHECK(near_divisors(5, 16) == "4 or 8");
  CHECK(near_divisors(16, 8) == "8");
  CHECK(near_divisors(0, 8) == "1");
  CHECK(near_divisors(3, 7) == "1 or 7");
}

TEST_CASE("the nearest powers of two stay in their range") {
  CHECK(near_powers_of_two(96, 1, 128) == "64 or 128");
  CHECK(near_powers_of_two(200, 1, 128) == "128");
  CHECK(near_powers_of_two(5, 32, 128) == "32");
  CHECK(near_powers_of_two(0, 1, 8) == "1");
  CHECK(near_powers_of_two(~std::uint64_t{0}, 1, std::uint64_t{1} << 63) == "9223372036854775808");
}

TEST_CASE("a power of two in its range is required") {
  std::vector<std::string> errors;
  for (const std::uint64_t good : {32, 64, 128}) require_power_of_two(errors, "x", good, 32, 128);
  CHECK(errors.empty());
  for (const std::uint64_t bad : {0, 16, 96, 256}) require_power_of_two(errors, "x", bad, 32, 128);
  CHECK(errors ==
        std::vector<std::string>{"x (0) must be a power of two from 32 to 128: 32",
                                 "x (16) must be a power of two from 32 to 128: 32",
                                 "x (96) must be a power of two from 32 to 128: 64 or 128",
                                 "x (256) must be a power of two from 32 to 128: 128"});
}

}  // namespace tessera::legal_values_test
