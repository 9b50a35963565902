// SPDX-License-Identifier: Apache-2.0
#include "studies/effect.h"

#include <algorithm>
#include <cmath>

#include "studies/sample_statistics.h"

namespace tessera::studies {
namespace {

/// Includes the rounding of decimal numbers: 1.03 has no effect.
constexpr double kNoEffect = 0.03 + 1e-9;
constexpr double kFloorExponent = 0.2;

}  // namespace

bool has_effect(double published) { return published > 0 && std::fabs(published - 1) > kNoEffect; }

std::optional<double> effect_of(double published, double measured) {
  if (!has_effect(published) || !(measured > 0)) return std::nullopt;
  // The sum makes -0.0, of a published ratio below 1, plain 0.
  return std::log(measured) / std::log(published) + 0.0;
}

double effect_floor_of(double published) { return std::pow(published, kFloorExponent); }

bool reaches(double measured, double floor) {
  return floor > 1 ? measured >= floor : measured <= floor;
}

std::pair<double, double> accepted_range(double published, double tolerance, bool ratio) {
  const double margin = tolerance * std::fabs(published);
  std::pair<double, double> range(published - margin, published + margin);
  if (ratio && has_effect(published)) {
    const auto [low, high] = std::minmax({std::pow(published, 0.5), std::pow(published, 1.5)});
    range.first = std::max(range.first, low);
    range.second = std::min(range.second, high);
  }
  return range;
}

EffectSummary summary_of(std::vector<double> effects) {
  std::sort(effects.begin(), effects.end());  // the sum does not depend on the order of the claims
  return {effects.size(), mean_of(effects), median_of(effects)};
}

}  // namespace tessera::studies
