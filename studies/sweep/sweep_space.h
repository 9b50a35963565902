// SPDX-License-Identifier: Apache-2.0
#pragma once

// The designs of a sweep.

#include <string>
#include <vector>

#include "studies/sweep/sampling.h"
#include "studies/sweep/sweep.h"

namespace tessera::studies {

/// Number of levels of each dimension. No parameter is a range.
std::vector<std::size_t> level_counts(const Sweep& sweep);
SweepDesign design_at(const Sweep& sweep, const LevelPoint& point);

/// The designs of a sweep that is not adaptive, each once. Includes those that violate a
/// constraint.
std::vector<SweepDesign> sampled_designs(const Sweep& sweep);

/// Whether all constraints are true. A constraint without a value (a division by zero) is not.
bool meets_constraints(const Sweep& sweep, const SweepDesign& design);

/// The fixed settings and those of the design, "path=value".
std::vector<std::string> sets_of(const Sweep& sweep, const SweepDesign& design);
/// The settings of the design by path.
nlohmann::ordered_json settings_of(const Sweep& sweep, const SweepDesign& design);

}  // namespace tessera::studies
