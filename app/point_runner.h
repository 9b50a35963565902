// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs many points, each in its own process. Shared by `compare` and `study`.

#include <functional>
#include <string>
#include <vector>

#include "app/point_store.h"
#include "common/kept_json.h"
#include "platforms/simulation.h"

namespace tessera::app {

struct RunnablePoint {
  const ResolvedConfig* config = nullptr;
  std::string workload;
};

/// Result of a point. `stats` is null if the point produced none.
struct FinishedPoint {
  KeptJson<nlohmann::ordered_json> stats;
  std::string failure;  ///< empty if the point is complete and its values are correct
  /// The reason why a complete point is not in the store; empty if it is there.
  std::string unsaved{};
};

/// Progress display of many points.
struct PointsProgress {
  std::string label;
  bool quiet = false;
};

/// Simulates the points, at most `jobs` at a time. Must be called before any SystemC object exists.
/// SIGINT ends running points early and starts no more. `store` (can be null) saves complete and
/// correct results under `keys`, one key per point. The point's own process saves them, so that
/// they survive a failure of this process. If another command computes the same point, the call
/// waits for its result. `kept`: the part of the statistics that is returned.
std::vector<FinishedPoint> run_points(
    const std::vector<RunnablePoint>& points, unsigned jobs, const RunOptions& options,
    const PointsProgress& progress, const PointStore* store, const std::vector<std::string>& keys,
    const std::function<nlohmann::ordered_json(nlohmann::ordered_json)>& kept);

}  // namespace tessera::app
