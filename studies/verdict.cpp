// SPDX-License-Identifier: Apache-2.0
#include "studies/verdict.h"

#include <algorithm>
#include <cmath>

namespace tessera::studies {
namespace {

/// The comparisons that have both a published and a measured number.
std::vector<Comparison> compared(const Outcome& outcome) {
  std::vector<Comparison> all;
  for (const auto* list : {&outcome.parts, &outcome.points}) {
    for (const Comparison& c : *list) {
      if (c.published && c.measured) all.push_back(c);
    }
  }
  return all;
}

bool at_least_the_minimum(const Claim& claim, const Outcome& outcome) {
  const std::vector<Comparison> numbers = compared(outcome);
  if (!claim.minimum_check) return !numbers.empty() && outcome.ordering.value_or(false);
  if (outcome.measured) return claim.minimum_check->allows(*outcome.measured);
  return !numbers.empty() &&
         std::all_of(numbers.begin(), numbers.end(), [&claim](const Comparison& c) {
           return claim.minimum_check->allows(*c.measured);
         });
}

bool holds(const Claim& claim, const Outcome& outcome) {
  if (claim.accept_range) {
    return outcome.measured && *outcome.measured >= claim.accept_range->first &&
           *outcome.measured <= claim.accept_range->second;
  }
  const std::vector<Comparison> numbers = compared(outcome);
  if (numbers.empty() && !outcome.ordering) return false;
  return outcome.ordering.value_or(true) &&
         std::all_of(numbers.begin(), numbers.end(), [](const Comparison& c) { return c.within; });
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kDirection:
      return "direction";
    case Verdict::kFails:
      return "fails";
    case Verdict::kNotRun:
      break;
  }
  return "not_run";
}

bool within(double measured, double published, double tolerance) {
  return std::fabs(measured - published) <= tolerance * std::fabs(published);
}

Verdict judge(const Claim& claim, const Outcome& outcome) {
  if (!outcome.not_run.empty()) return Verdict::kNotRun;
  if (holds(claim, outcome)) return Verdict::kHolds;
  const bool ordering_alone = !claim.accept_range && compared(outcome).empty();
  if (!ordering_alone || claim.minimum_check) {
    if (at_least_the_minimum(claim, outcome)) return Verdict::kDirection;
  }
  return Verdict::kFails;
}

}  // namespace tessera::studies
