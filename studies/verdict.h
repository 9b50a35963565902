// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "studies/study.h"

namespace tessera::studies {

enum class Verdict { kHolds, kDirection, kFails, kNotRun };

/// "holds", "direction", "fails", "not_run".
const char* name_of(Verdict verdict);

/// A number of the paper with the measured value.
struct Comparison {
  std::string key;
  std::optional<double> published;
  std::optional<double> measured;  ///< empty if its workload did not run
  /// From the claim's tolerance; empty without a published value or a tolerance.
  std::optional<std::pair<double, double>> accept_range;
  bool within = false;           ///< the measured value is in accept_range
  std::optional<double> effect;  ///< of a ratio (studies/effect.h)
  bool misses_floor = false;     ///< a ratio with less than a fifth of the published effect
};

/// `number`: of Claim::per_workload or Claim::sweep.
Comparison compare_number(const Claim& claim, const Quantity& number,
                          std::optional<double> measured);

/// Measured outcome of a claim.
struct Outcome {
  std::optional<double> measured;
  std::vector<Comparison> parts;   ///< of Claim::per_workload
  std::vector<Comparison> points;  ///< of Claim::sweep
  std::optional<bool> ordering;    ///< whether every check is true; empty without checks
  std::string not_run;             ///< reason for a missing outcome; empty if there is one
};

/// The effect of the claim's value. Empty if the value is not measured or has no effect.
std::optional<double> effect_of(const Claim& claim, const Outcome& outcome);

/// Whether the ratio of a claim, or one of its ratios if it has no range, misses its floor.
bool misses_floor(const Claim& claim, const Outcome& outcome);

/// The verdict of a claim (docs/guide/studies.md).
///
/// The criterion of a claim is its accept_range, if it has one; otherwise its numbers (per workload
/// or of a sweep; each measured one must be in its accepted range) together with its ordering;
/// otherwise its ordering.
/// * If a ratio misses its floor: fails.
/// * If the criterion is true: holds.
/// * Otherwise, if minimum_check is true for the claim's number, or for each of its numbers:
///   direction. If a claim with numbers and an ordering has no minimum_check, the ordering must be
///   true.
/// * Otherwise: fails.
Verdict judge(const Claim& claim, const Outcome& outcome);

}  // namespace tessera::studies
