// SPDX-License-Identifier: Apache-2.0
#pragma once

// Statistics of samples of numbers.

#include <optional>
#include <vector>

namespace tessera::studies {

/// Empty for an empty sample.
std::optional<double> mean_of(const std::vector<double>& values);
/// Of an even number of values: the mean of the two in the middle. Empty for an empty sample.
std::optional<double> median_of(std::vector<double> values);

/// Pearson's correlation coefficient of pairs, from -1 to 1. Empty for fewer than three pairs, and
/// if all values of `x` or all values of `y` are equal.
std::optional<double> pearson(const std::vector<double>& x, const std::vector<double>& y);
/// Pearson's coefficient of the ranks. Equal values have the mean of their ranks.
std::optional<double> spearman(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace tessera::studies
