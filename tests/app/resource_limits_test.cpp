// SPDX-License-Identifier: Apache-2.0
#include "app/farm/resource_limits.h"

#include <catch2/catch.hpp>

namespace tessera::resource_limits_test {

using namespace tessera::app;

namespace {

PointEntry entry(const std::string& workload, const std::string& scale, double seconds,
                 std::uint64_t bytes) {
  PointEntry e;
  e.workload = workload;
  e.scale = scale;
  e.host_seconds = seconds;
  e.host_peak_bytes = bytes;
  return e;
}

void check(const ResourceLimits& limits, std::uint64_t minutes, std::uint64_t mebibytes) {
  CHECK(limits.minutes == minutes);
  CHECK(limits.mebibytes == mebibytes);
}

constexpr std::uint64_t kMebibyte = 1 << 20;

}  // namespace

TEST_CASE("a point without earlier ones has the limits of its scale") {
  check(limits_for("mm", "small", {}), 60, 2048);
  check(limits_for("mm", "medium", {}), 720, 8192);
  check(limits_for("mm", "paper", {}), 2880, 32768);
  check(limits_for("mm", "small", {entry("mm", "paper", 9, 9), entry("lbm", "small", 9, 9)}), 60,
        2048);
}

TEST_CASE("limits are the largest time and memory of equal workloads, with a margin") {
  const std::vector<PointEntry> earlier = {
      entry("mm", "paper", 3600, 1000 * kMebibyte), entry("mm", "paper", 7200, 100 * kMebibyte),
      entry("mm", "small", 1, kMebibyte), entry("lbm", "paper", 90000, 90000 * kMebibyte)};
  // 3 x 120 + 10 minutes; 1.5 x 1000 + 512 MiB, up to a multiple of 256 MiB.
  check(limits_for("mm", "paper", earlier), 370, 2048);
  check(limits_for("mm", "small", earlier), 11, 768);
}

TEST_CASE("unknown times and memories of earlier points do not count") {
  check(limits_for("mm", "small", {entry("mm", "small", 0, 0)}), 60, 2048);
  check(limits_for("mm", "small", {entry("mm", "small", 61, 0)}), 14, 2048);
}

}  // namespace tessera::resource_limits_test
