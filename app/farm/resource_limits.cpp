// SPDX-License-Identifier: Apache-2.0
#include "app/farm/resource_limits.h"

#include <algorithm>
#include <cmath>

namespace tessera::app {
namespace {

/// Nodes differ in speed, and designs in their number of events.
constexpr double kTimeFactor = 3;
constexpr std::uint64_t kExtraMinutes = 10;
constexpr double kMemoryFactor = 1.5;
constexpr std::uint64_t kExtraMebibytes = 512;
/// Memory is a multiple of this, so that similar workloads share an array.
constexpr std::uint64_t kMemoryStep = 256;

/// Without earlier points.
ResourceLimits default_limits(const std::string& scale) {
  if (scale == "small") return {60, 2048};
  if (scale == "medium") return {12 * 60, 8192};
  return {48 * 60, 32768};
}

}  // namespace

ResourceLimits limits_for(const std::string& workload, const std::string& scale,
                          const std::vector<PointEntry>& earlier) {
  double seconds = 0;
  std::uint64_t bytes = 0;
  for (const PointEntry& e : earlier) {
    if (e.workload != workload || e.scale != scale) continue;
    seconds = std::max(seconds, e.host_seconds);
    bytes = std::max(bytes, e.host_peak_bytes);
  }
  ResourceLimits limits = default_limits(scale);
  if (seconds > 0) {
    limits.minutes =
        static_cast<std::uint64_t>(std::ceil(seconds * kTimeFactor / 60)) + kExtraMinutes;
  }
  if (bytes > 0) {
    const double wanted = static_cast<double>(bytes) * kMemoryFactor / (1 << 20);
    const auto mebibytes = static_cast<std::uint64_t>(wanted) + kExtraMebibytes;
    limits.mebibytes = (mebibytes + kMemoryStep - 1) / kMemoryStep * kMemoryStep;
  }
  return limits;
}

}  // namespace tessera::app
