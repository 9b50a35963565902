// SPDX-License-Identifier: Apache-2.0
#pragma once

// The interface of everything that runs many points: local processes (app/point_runner.h) or a
// batch system (app/farm/slurm_executor.h). Shared by `compare`, `study` and `sweep`.

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

/// Points that are run at the same time.
struct PointBatch {
  std::vector<RunnablePoint> points;
  std::vector<std::string> keys;  ///< of the store, one per point
  RunOptions options;
  PointsProgress progress;
  /// Complete and correct results are saved here. Can be null.
  const PointStore* store = nullptr;
  /// The part of the statistics that is returned.
  std::function<nlohmann::ordered_json(nlohmann::ordered_json)> kept;
};

class PointExecutor {
 public:
  virtual ~PointExecutor() = default;

  /// Runs the points. The results have their order. The process of a point saves its result, so
  /// that it survives a failure of this process. If another command computes the same point, its
  /// result is taken. SIGINT ends running points early and starts no more.
  virtual std::vector<FinishedPoint> run(const PointBatch& batch) = 0;
};

}  // namespace tessera::app
