// SPDX-License-Identifier: Apache-2.0
#pragma once

// The effect of a ratio: the share of a published change that a run shows.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::studies {

/// Whether a published ratio has an effect: it differs from 1 by more than 3 %.
bool has_effect(double published);

/// ln(measured) / ln(published): 1 is the published effect, 0 none, below 0 the opposite. Empty if
/// the published ratio has no effect or the measured one is not positive.
std::optional<double> effect_of(double published, double measured);

/// The ratio with a fifth of the published effect: published^0.2.
double effect_floor_of(double published);
/// Whether a measured ratio is at the floor, or further away from 1 on the floor's side.
bool reaches(double measured, double floor);

/// Accepted values, low and high: the relative tolerance around the published number. If it is a
/// ratio with an effect, at the same time half to one and a half times this effect
/// (published^0.5, published^1.5).
std::pair<double, double> accepted_range(double published, double tolerance, bool ratio);

/// Effects of a study's claims. Not clamped: an effect of 2 counts as 2, one of -1 as -1.
struct EffectSummary {
  std::size_t claims = 0;
  std::optional<double> mean;
  std::optional<double> median;  ///< of an even number: the mean of the two in the middle
};
EffectSummary summary_of(std::vector<double> effects);

}  // namespace tessera::studies
