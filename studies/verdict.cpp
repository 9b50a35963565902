// SPDX-License-Identifier: Apache-2.0
#include "studies/verdict.h"

#include <algorithm>

#include "studies/effect.h"

namespace tessera::studies {
namespace {

bool inside(const std::pair<double, double>& range, double v) {
  return v >= range.first && v <= range.second;
}

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
    return outcome.measured && inside(*claim.accept_range, *outcome.measured);
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

Comparison compare_number(const Claim& claim, const Quantity& number,
                          std::optional<double> measured) {
  Comparison c;
  c.key = number.key;
  c.published = number.published;
  c.measured = measured;
  if (!c.published) return c;
  if (claim.tolerance) {
    c.accept_range = accepted_range(*c.published, *claim.tolerance, claim.is_ratio());
    c.within = measured && inside(*c.accept_range, *measured);
  }
  if (measured && claim.is_ratio() && has_effect(*c.published)) {
    c.effect = effect_of(*c.published, *measured);
    c.misses_floor = !reaches(*measured, effect_floor_of(*c.published));
  }
  return c;
}

std::optional<double> effect_of(const Claim& claim, const Outcome& outcome) {
  if (!claim.is_ratio() || !claim.value || !outcome.measured) return std::nullopt;
  return effect_of(*claim.value, *outcome.measured);
}

bool misses_floor(const Claim& claim, const Outcome& outcome) {
  if (claim.accept_range) {
    return claim.effect_floor && outcome.measured &&
           !reaches(*outcome.measured, *claim.effect_floor);
  }
  const std::vector<Comparison> numbers = compared(outcome);
  return std::any_of(numbers.begin(), numbers.end(),
                     [](const Comparison& c) { return c.misses_floor; });
}

Verdict judge(const Claim& claim, const Outcome& outcome) {
  if (!outcome.not_run.empty()) return Verdict::kNotRun;
  if (misses_floor(claim, outcome)) return Verdict::kFails;
  if (holds(claim, outcome)) return Verdict::kHolds;
  const bool ordering_alone = !claim.accept_range && compared(outcome).empty();
  if (!ordering_alone || claim.minimum_check) {
    if (at_least_the_minimum(claim, outcome)) return Verdict::kDirection;
  }
  return Verdict::kFails;
}

}  // namespace tessera::studies
