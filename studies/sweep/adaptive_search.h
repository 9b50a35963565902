// SPDX-License-Identifier: Apache-2.0
#pragma once

// Search for the Pareto front of a design space with fewer simulations than designs: NSGA-II (Deb
// et al., 2002) of pagmo over the levels of each dimension.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "studies/sweep/pareto.h"
#include "studies/sweep/sampling.h"

namespace tessera::studies {

struct SearchLimits {
  std::size_t budget = 0;  ///< number of different designs that are evaluated, at most
  /// A multiple of four, 8 at least. The first generation is a Latin hypercube.
  std::size_t population = 16;
  std::uint64_t seed = 1;  ///< less than 2^32
};

/// The interface of the search to the designs.
struct SearchTarget {
  std::vector<std::size_t> levels;  ///< number of levels of each dimension, 1 at least
  std::size_t objectives = 2;       ///< 2 at least
  /// Whether a design can be evaluated. Called once per design. One that cannot is not counted.
  std::function<bool(const LevelPoint&)> admissible;
  /// The objectives of different designs, all minimised; empty for a design that has none. Called
  /// once per design, with all new designs of a generation.
  std::function<std::vector<std::optional<ObjectiveValues>>(const std::vector<LevelPoint>&)>
      evaluate;
};

/// Evaluates designs until the budget is used, all designs are evaluated, or 50 generations have no
/// new design. Equal arguments and results of `evaluate` give equal calls, with the same version of
/// pagmo.
void adaptive_search(const SearchTarget& target, const SearchLimits& limits);

}  // namespace tessera::studies
