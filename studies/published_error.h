// SPDX-License-Identifier: Apache-2.0
#pragma once

// The error of measured values against published figures of real hardware.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera::studies {

/// A published figure that a run measured.
struct MeasuredFigure {
  std::string claim;     ///< its id
  double published = 1;  ///< above 0
  double measured = 0;
};

/// measured / published - 1: 0.1 if the measured value is 10 % above the published one.
double error_of(double published, double measured);

/// Magnitudes of the errors of several figures. Without figures, all values are empty.
struct ErrorSummary {
  std::size_t figures = 0;
  std::optional<double> median;  ///< of an even number: the mean of the two in the middle
  std::optional<double> mean;
  std::optional<double> worst;
  std::string worst_claim;  ///< the first one with the worst error
  /// Pearson's coefficient of the logarithms of published and measured values. Empty for fewer than
  /// three figures, if a measured value is not above 0, and for equal values.
  std::optional<double> correlation;
};

ErrorSummary summary_of(const std::vector<MeasuredFigure>& figures);

}  // namespace tessera::studies
