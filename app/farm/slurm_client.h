// SPDX-License-Identifier: Apache-2.0
#pragma once

// Slurm's commands: sbatch, squeue, scancel.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/farm/resource_limits.h"

namespace tessera::app {

/// A task of a job array: job and index.
using SlurmTask = std::pair<std::string, std::size_t>;

struct SlurmTaskState {
  std::string state;   ///< as squeue prints it: PENDING, RUNNING, NODE_FAIL
  std::string reason;  ///< why it is pending

  /// Whether the task has ended, in whatever way.
  bool ended() const;
};

struct SlurmArray {
  std::size_t tasks = 0;
  ResourceLimits limits;
  std::string command;  ///< of a shell; the environment has SLURM_ARRAY_TASK_ID
  std::string output;   ///< file of a task's standard output and error; %a: its index
};

/// The arrays of one job name.
class SlurmClient {
 public:
  /// Most tasks of an array (Slurm's default of MaxArraySize is 1001).
  static constexpr std::size_t kMostTasks = 1000;

  /// `arguments`: of sbatch, after Tessera's own. `parallel`: most running tasks of an array; 0:
  /// any number. Throws InputError if a command of Slurm is not in PATH.
  SlurmClient(std::string job_name, std::vector<std::string> arguments, unsigned parallel);

  /// Returns the job. Throws RunError.
  std::string submit(const SlurmArray& array) const;
  /// The user's tasks of the name, ended ones as long as Slurm knows them. Empty if Slurm does not
  /// respond.
  std::optional<std::map<SlurmTask, SlurmTaskState>> tasks() const;
  /// Cancels all tasks of the name, or only those that have not started.
  void cancel(bool only_pending) const;

 private:
  std::string job_name_;
  std::vector<std::string> arguments_;
  unsigned parallel_;
};

}  // namespace tessera::app
