// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs one point in this process, or many, each in a child process.

#include <functional>
#include <string>
#include <vector>

#include "app/point_executor.h"

namespace tessera::app {

/// Simulates point `index` of the batch in this process, and saves a complete and correct result.
/// Takes the result from the store if another process has saved it meanwhile; waits for a process
/// that computes it. `progress` receives the completed part (0..1).
FinishedPoint run_point(const PointBatch& batch, std::size_t index,
                        const std::function<void(double fraction)>& progress);

/// Runs points in child processes of this one. run() must be called before any SystemC object
/// exists.
class LocalExecutor final : public PointExecutor {
 public:
  /// `jobs`: points at a time.
  explicit LocalExecutor(unsigned jobs) : jobs_(jobs) {}
  std::vector<FinishedPoint> run(const PointBatch& batch) override;

 private:
  unsigned jobs_;
};

}  // namespace tessera::app
