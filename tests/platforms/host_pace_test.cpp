// SPDX-License-Identifier: Apache-2.0
#include "platforms/host_pace.h"

#include <catch2/catch.hpp>

namespace tessera::host_pace_test {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr Tick kMs = 1'000'000 * kTicksPerNs;
const HostPace::Clock::time_point kBegin{};
constexpr nanoseconds kNone{0};

}  // namespace

TEST_CASE("busy cores run at the model's speed") {
  HostPace pace;
  CHECK(pace.wait(false, 0, kBegin) == kNone);
  CHECK(pace.wait(false, 1000 * kMs, kBegin) == kNone);
}

TEST_CASE("idle cores are ahead of the host's time by 10 ms at most") {
  HostPace pace;
  CHECK(pace.wait(true, 5 * kMs, kBegin) == kNone);
  CHECK(pace.wait(true, 15 * kMs, kBegin) == kNone);
  CHECK(pace.wait(true, 17 * kMs, kBegin + milliseconds(1)) == milliseconds(10));
  CHECK(pace.wait(true, 17 * kMs, kBegin + milliseconds(11)) == kNone);
  // After the cores have been busy it begins anew.
  CHECK(pace.wait(false, 18 * kMs, kBegin + milliseconds(11)) == kNone);
  CHECK(pace.wait(true, 500 * kMs, kBegin + milliseconds(12)) == kNone);
  CHECK(pace.wait(true, 511 * kMs, kBegin + milliseconds(12)) == milliseconds(10));
}

TEST_CASE("time that the host is ahead by is not made up") {
  HostPace pace;
  CHECK(pace.wait(true, 0, kBegin) == kNone);
  CHECK(pace.wait(true, 1 * kMs, kBegin + milliseconds(1000)) == kNone);
  CHECK(pace.wait(true, 12 * kMs, kBegin + milliseconds(1000)) == milliseconds(10));
}

}  // namespace tessera::host_pace_test
