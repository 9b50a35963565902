// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs jobs in child processes: SystemC elaborates once per process, and a job that crashes takes
// nothing else with it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/json.h"

namespace tessera::app {

/// What a job left behind.
struct JobOutcome {
  /// Its result; empty when it threw, crashed or never began.
  std::optional<nlohmann::ordered_json> result;
  /// Why there is none.
  std::string error;
};

class WorkerPool {
 public:
  /// Tells the parent how far its job is (0..1).
  using Report = std::function<void(double fraction)>;
  /// Runs in the child. Its standard output is standard error.
  using Job = std::function<nlohmann::ordered_json(std::size_t index, const Report& report)>;
  /// Runs in the parent, some times a second: sum of the fractions of all jobs.
  using Watch = std::function<void(double done)>;

  /// Runs jobs 0 to `count` - 1, at most `parallel` at a time, before any SystemC object is made.
  /// After an interrupt no further job begins, and those that run are asked to end early.
  static std::vector<JobOutcome> run(std::size_t count, unsigned parallel, const Job& job,
                                     const Watch& watch);
};

}  // namespace tessera::app
