// SPDX-License-Identifier: Apache-2.0
#pragma once

// One workload on one platform. `run` simulates one point; `compare` and `study` simulate one per
// child process.

#include <optional>
#include <string>
#include <vector>

#include "common/kept_json.h"
#include "platforms/simulation.h"

namespace tessera::app {

struct PointOutcome {
  KeptJson<nlohmann::ordered_json> stats;
  /// [{"module", "name", "unit", "description", "kind"}] for the platform's statistics.
  KeptJson<nlohmann::ordered_json> catalogue;
  /// The reason why the point is not complete: failure of the run, wrong values or an interrupt.
  std::optional<std::string> failure;
  /// One line with the result of the comparison with the CPU reference.
  std::string verification;
};

/// Simulates the point. Throws InputError for bad input.
PointOutcome simulate_point(const ResolvedConfig& config, Workload& workload,
                            const RunOptions& options, const BuildOptions& build = {});

nlohmann::ordered_json catalogue_of(const StatisticsRegistry& statistics);

/// One line with the result of the comparison with the CPU reference.
std::string verification_line(const std::optional<Verification>& verification,
                              const WorkloadInfo& workload);

}  // namespace tessera::app
