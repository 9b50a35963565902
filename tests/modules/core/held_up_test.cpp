// SPDX-License-Identifier: Apache-2.0
#include "modules/core/held_up.h"

#include <catch2/catch.hpp>

using namespace tessera;

TEST_CASE("what waits is counted once, for the reason of the first instant") {
  Counter mshrs = 0;
  Counter room = 0;
  HeldUp head;
  head.went(5);  // at once
  head.by(mshrs, 10);
  head.by(room, 20);
  head.by(mshrs, 30);
  CHECK(mshrs == 0);  // it still waits
  head.went(40);
  CHECK(mshrs == 1);
  CHECK(room == 0);
  head.went(41);
  CHECK(mshrs == 1);
  head.by(room, 50);
  head.went(60);
  CHECK(room == 1);
}

TEST_CASE("within an instant, room that is made before or after the first try is the same") {
  Counter mshrs = 0;
  Counter room = 0;
  HeldUp head;
  head.by(room, 10);
  head.went(10);
  CHECK(room == 0);
  head.by(room, 20);
  head.by(mshrs, 20);  // the last reason at that instant
  head.by(room, 30);
  head.went(40);
  CHECK(mshrs == 1);
  CHECK(room == 0);
}
