// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runs of a sweep. The command simulates them; this code decides which.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "studies/points.h"
#include "studies/sweep/sweep.h"

namespace tessera::studies {

struct SweepPoint {
  const ResolvedConfig* config = nullptr;
  std::size_t workload = 0;
};

/// Simulates points at the same time. The results have the order of the points.
using RunPoints = std::function<std::vector<PointResult>(const std::vector<SweepPoint>&)>;

/// A design with its runs, by workload. Their statistics are reduced to what the results report.
struct DesignResult {
  SweepDesign design;
  std::vector<PointResult> runs;
  /// By objective and workload.
  std::vector<std::vector<std::optional<double>>> per_workload;
  std::vector<std::optional<double>> objectives;

  /// Whether all objectives have a value.
  bool complete() const;
};

struct InvalidDesign {
  SweepDesign design;
  std::string reason;  ///< why the configuration is refused
};

struct SweepResult {
  std::vector<PointResult> base;  ///< by workload; empty if no objective is relative
  std::vector<DesignResult> designs;
  std::vector<InvalidDesign> invalid;
  std::size_t excluded = 0;  ///< number of designs that violate a constraint
};

/// The objectives, negated if they are maximised; empty unless the design is complete.
std::optional<ObjectiveValues> minimised_objectives(const Sweep& sweep, const DesignResult& design);

/// Runs all designs. Throws InputError before the first run if a configuration is refused and the
/// sweep does not skip it, and if no design is left. An adaptive sweep finds refused configurations
/// during the search and skips them.
SweepResult run_sweep(const Sweep& sweep, const RunPoints& run);

}  // namespace tessera::studies
