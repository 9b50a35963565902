// SPDX-License-Identifier: Apache-2.0
#include "common/suggest.h"

#include <catch2/catch.hpp>

namespace tessera::suggest_test {

TEST_CASE("the nearest name is found over each kind of slip") {
  const std::vector<std::string> known = {"first-touch", "round-robin", "lab", "interleave"};
  CHECK(nearest_name("first-touch", known) == "first-touch");
  CHECK(nearest_name("firsttouch", known) == "first-touch");
  CHECK(nearest_name("first--touch", known) == "first-touch");
  CHECK(nearest_name("fisrt-touch", known) == "first-touch");
  CHECK(nearest_name("first_touch", known) == "first-touch");
  CHECK(nearest_name("lba", known) == "lab");
  CHECK(nearest_name("interleaved", known) == "interleave");
}

TEST_CASE("a name too far from all is not guessed") {
  CHECK(nearest_name("migration", {"first-touch", "lab"}).empty());
  CHECK(nearest_name("x", {}).empty());
  CHECK(nearest_name("", {"abcdef"}).empty());
  // A third of nine letters, and no more.
  CHECK(nearest_name("abcdefghi", {"xyzdefghi"}) == "xyzdefghi");
  CHECK(nearest_name("abcdefghi", {"xyzwefghi"}).empty());
}

TEST_CASE("a name cut short is completed, when nothing is nearer") {
  const std::vector<std::string> known = {"rdma.timeout_cycles", "rdma.timeout_cycles_long",
                                          "rdma.granule_bytes"};
  CHECK(nearest_name("rdma.timeout", known) == "rdma.timeout_cycles");
  CHECK(nearest_name("rdma.gr", known) == "rdma.granule_bytes");
  CHECK(nearest_name("rdma.", known).empty());
  CHECK(nearest_name("rd", known).empty());
  CHECK(nearest_name("rdma", known).empty());
  CHECK(nearest_name("timeout", known).empty());
}

TEST_CASE("upper and lower case are equal in a suggestion") {
  CHECK(nearest_name("LLC.sets", {"llc.ways", "llc.sets"}) == "llc.sets");
  CHECK(nearest_name("lab", {"LAB"}) == "LAB");
  CHECK(nearest_name("RDMA.TIMEOUT", {"rdma.timeout_cycles"}) == "rdma.timeout_cycles");
}

TEST_CASE("a suggestion shares a character with the name") {
  CHECK(nearest_name("", {"mm", "x"}).empty());
  CHECK(nearest_name("x", {"mm", "y"}).empty());
  CHECK(nearest_name("qq", {"mm"}).empty());
  CHECK(nearest_name("nm", {"mm"}) == "mm");
}

TEST_CASE("of two names the nearer is suggested") {
  CHECK(nearest_name("llc.set", {"llc.seat", "llc.sets0", "llc.ways"}) == "llc.seat");
}

TEST_CASE("the suggestion is the end of a sentence") {
  CHECK(did_you_mean("lba", {"lab"}) == "; did you mean 'lab'?");
  CHECK(did_you_mean("zzzzzz", {"lab"}).empty());
}

}  // namespace tessera::suggest_test
