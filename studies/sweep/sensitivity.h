// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shares of an objective's variance that parameters explain, over the designs of a sweep.
//
// y: the objective; y_: its mean over all N designs; V = sum of (y - y_)^2.
//
//   main effect of A      S(A)   = sum over levels a of N_a (y_a - y_)^2 / V
//   interaction of A, B   S(A,B) = sum over pairs (a, b) of N_ab (y_ab - y_)^2 / V - S(A) - S(B)
//
// N_a and y_a: number and mean of the designs with level a. For a full grid these are the terms of
// the analysis of variance, and all shares sum up to 1. For other samples they are estimates: the
// levels of one parameter are then not equally mixed with those of the others, and a negative
// interaction is reported as 0.

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera::studies {

struct Interaction {
  std::size_t first = 0;  ///< index of a factor
  std::size_t second = 0;
  double share = 0;
};

struct Sensitivity {
  std::vector<double> main;  ///< by factor
  /// Largest first. Without pairs that have fewer than two designs for each of their combinations
  /// of levels, unless only these two factors vary: such a pair explains everything by chance.
  std::vector<Interaction> interactions;
};

/// `levels[f][i]`: level of factor f in design i. Empty if all values are equal, and for fewer than
/// two designs.
std::optional<Sensitivity> sensitivity(const std::vector<std::vector<std::size_t>>& levels,
                                       const std::vector<double>& values);

/// Levels of a factor with many values: `bins` groups of about equal size, by rank. Equal values
/// have equal levels.
std::vector<std::size_t> rank_levels(const std::vector<double>& values, std::size_t bins);

}  // namespace tessera::studies
