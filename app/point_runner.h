// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many points, each in a process of its own: what `compare` and `study` share.

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platforms/simulation.h"

namespace tessera::app {

struct RunnablePoint {
  const ResolvedConfig* config = nullptr;
  std::string workload;
};

/// `stats` is null where the point left none.
struct FinishedPoint {
  nlohmann::ordered_json stats;
  std::string failure;  ///< empty: it is done and right
};

/// How the progress of many points is shown.
struct PointsProgress {
  std::string label;
  bool quiet = false;
};

/// Simulates the points, at most `jobs` at a time, before any SystemC object is made. SIGINT ends
/// those that run early and begins no more. `keep` runs in the point's process when it has ended,
/// right or not, and may change what the parent gets; it may be empty.
std::vector<FinishedPoint> run_points(
    const std::vector<RunnablePoint>& points, unsigned jobs, const RunOptions& options,
    const PointsProgress& progress,
    const std::function<void(std::size_t index, FinishedPoint& point)>& keep);

}  // namespace tessera::app
