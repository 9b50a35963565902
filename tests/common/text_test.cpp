// SPDX-License-Identifier: Apache-2.0
#include "common/text.h"

#include <catch2/catch.hpp>

namespace tessera::text_test {

TEST_CASE("a text begins and ends with its parts, and with nothing longer") {
  CHECK(begins_with("llc.sets", "llc."));
  CHECK(begins_with("llc", "llc"));
  CHECK(begins_with("llc", ""));
  CHECK_FALSE(begins_with("llc", "llc."));
  CHECK_FALSE(begins_with("llc", "lc"));
  CHECK(ends_with("llc.sets", ".sets"));
  CHECK(ends_with("llc", "llc"));
  CHECK(ends_with("llc", ""));
  CHECK_FALSE(ends_with("llc", "xllc"));
  CHECK_FALSE(ends_with("llc", "ll"));
}

TEST_CASE("words are joined, lowered and have plurals, and symbols have none") {
  CHECK(joined({}).empty());
  CHECK(joined({"a"}) == "a");
  CHECK(joined({"a", "b", "c"}) == "a, b, c");
  CHECK(joined({"a", "b", "c"}, "") == "abc");
  CHECK(lower_case("LLC.Sets 3") == "llc.sets 3");
  CHECK(plural("way") == "ways");
  CHECK(plural("entry") == "entries");
  CHECK(plural("access") == "accesses");
  CHECK(plural("Hz") == "Hz");
  CHECK(plural("ns") == "ns");
}

}  // namespace tessera::text_test
