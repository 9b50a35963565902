// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "studies/points.h"
#include "studies/sweep/sweep.h"

namespace tessera::studies {

/// The value of an objective for each workload; empty if the run failed or has no such statistic.
/// `base`: the base design's runs, for relative objectives.
std::vector<std::optional<double>> values_per_workload(const SweepObjective& objective,
                                                       const std::vector<PointResult>& runs,
                                                       const std::vector<PointResult>& base);

/// The mean over the workloads; empty if a workload has no value or the mean is undefined.
std::optional<double> mean_over_workloads(const SweepObjective& objective,
                                          const std::vector<std::optional<double>>& values);

}  // namespace tessera::studies
