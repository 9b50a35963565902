// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/stall_tracker.h"

#include <catch2/catch.hpp>

namespace tessera::stall_tracker_test {

TEST_CASE("what waits is counted once, for the reason of the first instant") {
  Counter mshrs = 0;
  Counter room = 0;
  StallTracker head;
  head.proceed(5);  // at once
  head.stall(mshrs, 10);
  head.stall(room, 20);
  head.stall(mshrs, 30);
  CHECK(mshrs == 0);  // it still waits
  head.proceed(40);
  CHECK(mshrs == 1);
  CHECK(room == 0);
  head.proceed(41);
  CHECK(mshrs == 1);
  head.stall(room, 50);
  head.proceed(60);
  CHECK(room == 1);
}

TEST_CASE("within an instant, room that is made before or after the first try is the same") {
  Counter mshrs = 0;
  Counter room = 0;
  StallTracker head;
  head.stall(room, 10);
  head.proceed(10);
  CHECK(room == 0);
  head.stall(room, 20);
  head.stall(mshrs, 20);  // the last reason at that instant
  head.stall(room, 30);
  head.proceed(40);
  CHECK(mshrs == 1);
  CHECK(room == 0);
}

}  // namespace tessera::stall_tracker_test
