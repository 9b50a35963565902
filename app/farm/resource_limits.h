// SPDX-License-Identifier: Apache-2.0
#pragma once

// Time and memory that a batch system reserves for a point (docs/guide/farm.md).

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "app/point_store.h"

namespace tessera::app {

struct ResourceLimits {
  std::uint64_t minutes = 0;
  std::uint64_t mebibytes = 0;

  bool operator<(const ResourceLimits& o) const {
    return std::tie(minutes, mebibytes) < std::tie(o.minutes, o.mebibytes);
  }
};

/// Limits of a point, from the earlier points of its workload and scale: the largest time and the
/// largest memory, times a safety factor. Fixed limits per scale ("small", "medium", "paper") if
/// there is none.
ResourceLimits limits_for(const std::string& workload, const std::string& scale,
                          const std::vector<PointEntry>& earlier);

}  // namespace tessera::app
