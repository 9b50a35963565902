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

/// A number of the paper with what came out.
struct Comparison {
  std::string key;
  std::optional<double> published;
  std::optional<double> measured;  ///< empty: its workload did not run
  bool within = false;             ///< of the claim's tolerance
};

/// What came out for a claim.
struct Outcome {
  std::optional<double> measured;
  std::vector<Comparison> parts;   ///< of Claim::per_workload
  std::vector<Comparison> points;  ///< of Claim::sweep
  std::optional<bool> ordering;    ///< whether every check came out; empty: there are none
  std::string not_run;             ///< why nothing came out; empty: something did
};

/// |measured - published| <= tolerance * |published|
bool within(double measured, double published, double tolerance);

/// The verdict of design.md section 5.
///
/// What a claim is held against: its accept_range, if it has one; else its numbers (per workload or
/// of a sweep: each that was measured within the tolerance) together with its ordering; else its
/// ordering alone. That passes: holds. Else, if its minimum_check passes (for the claim's number,
/// or for each of its numbers where it has several; a claim without minimum_check that has both
/// numbers and an ordering: if the ordering comes out): direction. Else: fails.
Verdict judge(const Claim& claim, const Outcome& outcome);

}  // namespace tessera::studies
