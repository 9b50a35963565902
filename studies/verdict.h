// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
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
  bool within = false;             ///< within the claim's tolerance
};

/// Measured outcome of a claim.
struct Outcome {
  std::optional<double> measured;
  std::vector<Comparison> parts;   ///< of Claim::per_workload
  std::vector<Comparison> points;  ///< of Claim::sweep
  std::optional<bool> ordering;    ///< whether every check is true; empty without checks
  std::string not_run;             ///< reason for a missing outcome; empty if there is one
};

/// |measured - published| <= tolerance * |published|.
bool within(double measured, double published, double tolerance);

/// The verdict of a claim (docs/guide/studies.md).
///
/// The criterion of a claim is its accept_range, if it has one; otherwise its numbers (per workload
/// or of a sweep; each measured one must be within the tolerance) together with its ordering;
/// otherwise its ordering.
/// * If the criterion is true: holds.
/// * Otherwise, if minimum_check is true for the claim's number, or for each of its numbers:
///   direction. If a claim with numbers and an ordering has no minimum_check, the ordering must be
///   true.
/// * Otherwise: fails.
Verdict judge(const Claim& claim, const Outcome& outcome);

}  // namespace tessera::studies
