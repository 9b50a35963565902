// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many points, each in a process of its own: what `compare` and `study` share.

#include <functional>
#include <string>
#include <vector>

#include "app/point_store.h"
#include "common/json.h"
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
/// those that run early and begins no more. `store` (may be null) keeps what is done and right
/// under `keys` (one a point), in the point's own process, so that it stays whatever happens to
/// this one; a point that another command computes at the same time is waited for. `kept`: the part
/// of the statistics that is kept and given back.
std::vector<FinishedPoint> run_points(
    const std::vector<RunnablePoint>& points, unsigned jobs, const RunOptions& options,
    const PointsProgress& progress, const PointStore* store, const std::vector<std::string>& keys,
    const std::function<nlohmann::ordered_json(nlohmann::ordered_json)>& kept);

}  // namespace tessera::app
