// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs points as tasks of Slurm's job arrays (docs/guide/farm.md).

#include <string>
#include <vector>

#include "app/farm/slurm_client.h"
#include "app/point_executor.h"

namespace tessera::app {

/// The batch must have a store. A task runs one point by the same executable. A task that its node
/// loses, or that is killed, is submitted again at most kMostRetries times.
class SlurmExecutor final : public PointExecutor {
 public:
  static constexpr unsigned kMostRetries = 3;

  /// `folder`: for requests and outcomes, shared with the nodes. All commands with the same folder
  /// have the same job name. `arguments`: of sbatch. `parallel`: most running tasks of an array; 0:
  /// any number. Throws InputError if there is no Slurm.
  SlurmExecutor(const std::string& folder, std::vector<std::string> arguments, unsigned parallel);

  /// Throws InputError without a store, RunError if Slurm refuses an array.
  std::vector<FinishedPoint> run(const PointBatch& batch) override;

 private:
  std::string folder_;
  SlurmClient slurm_;
};

}  // namespace tessera::app
