// SPDX-License-Identifier: Apache-2.0
#pragma once

// One workload on one platform: what `run` does once and each child of `compare` does.

#include <optional>
#include <string>
#include <vector>

#include "common/json.h"
#include "platforms/simulation.h"

namespace tessera::app {

struct PointOutcome {
  nlohmann::ordered_json stats;
  /// [{"module", "name", "unit", "description", "kind"}] of the platform's statistics.
  nlohmann::ordered_json catalogue;
  /// Why the point does not count as done: the run's failure, wrong values, an interrupt.
  std::optional<std::string> failure;
  /// One line about the comparison with the CPU reference.
  std::string verification;
};

/// Simulates the point. Throws InputError for bad input.
PointOutcome simulate_point(const ResolvedConfig& config, Workload& workload,
                            const RunOptions& options);

nlohmann::ordered_json catalogue_of(const StatisticsRegistry& statistics);

/// One line about the comparison with the CPU reference.
std::string verification_line(const std::optional<Verification>& verification);

}  // namespace tessera::app
