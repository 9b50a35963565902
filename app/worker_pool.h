// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs jobs in child processes, because SystemC elaborates once per process and because a crash of
// one job must not affect the others.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/kept_json.h"

namespace tessera::app {

/// Outcome of a job.
struct JobOutcome {
  /// Its result; empty if the job threw, crashed or did not start.
  std::optional<KeptJson<nlohmann::ordered_json>> result;
  /// The reason for a missing result.
  std::string error;
};

class WorkerPool {
 public:
  /// Reports the progress of the job (0..1) to the parent.
  using Report = std::function<void(double fraction)>;
  /// Runs in the child process, whose standard output is redirected to standard error.
  using Job = std::function<nlohmann::ordered_json(std::size_t index, const Report& report)>;
  /// Called in the parent several times a second with the sum of the fractions of all jobs.
  using Watch = std::function<void(double done)>;

  /// Runs jobs 0 to `count` - 1, at most `parallel` at a time. Must be called before any SystemC
  /// object exists. After an interrupt no further job starts, and running jobs are signalled to end
  /// early.
  static std::vector<JobOutcome> run(std::size_t count, unsigned parallel, const Job& job,
                                     const Watch& watch);
};

}  // namespace tessera::app
