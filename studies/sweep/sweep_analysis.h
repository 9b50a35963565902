// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "studies/sweep/sensitivity.h"
#include "studies/sweep/sweep_runs.h"

namespace tessera::studies {

/// The sensitivity of an objective. Factors are Sweep::dimensions().
struct ObjectiveSensitivity {
  /// Number of levels of each factor. Values of a parameter with more than half as many levels as
  /// designs are grouped by rank (rank_levels()) into two to five levels of four designs or more.
  std::vector<std::size_t> levels;
  std::optional<Sensitivity> shares;  ///< empty if all designs have the same value
};

/// The result's complete designs, compared.
struct SweepAnalysis {
  std::size_t complete = 0;        ///< number of designs with all objectives
  std::vector<std::size_t> front;  ///< indices of designs, by the first objective, best first
  /// By objective: the file's reference, or the worst value of a complete design.
  std::vector<double> reference;
  double volume = 0;                              ///< hypervolume of the front
  std::vector<ObjectiveSensitivity> sensitivity;  ///< by objective
};

SweepAnalysis analyze_sweep(const Sweep& sweep, const SweepResult& result);

}  // namespace tessera::studies
