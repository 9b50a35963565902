// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arithmetic of a manifest's figures: "mean(cycles) / hops".

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "stimuli/runner/expression.h"

namespace tessera::kernels {

/// Of all elements of an array.
struct ArraySummary {
  double mean = 0;
  double min = 0;
  double max = 0;
  double sum = 0;
};

/// What a figure's expression can use besides sizes. Each function returns an empty value if the
/// run does not have it, and throws InputError for a name that the manifest does not have.
struct FigureTerms {
  std::function<std::optional<ArraySummary>(const std::string& array)> array;
  /// Cycles of the last launch of a kernel.
  std::function<std::optional<double>(const std::string& kernel)> last_cycles;
  /// Cycles of the launch of that number, from 0.
  std::function<std::optional<double>(std::uint64_t launch)> cycles;
};

/// The value of an expression over real numbers: the operators and functions of evaluate(), with
/// exact division, and mean(array), min(array), max(array), sum(array), cycles(kernel), cycles(3).
/// Empty if it needs a term that is empty, or divides by zero. Evaluates all terms. Throws
/// InputError as evaluate() does, and what the terms throw.
std::optional<double> evaluate_figure(std::string_view expression, const Sizes& sizes,
                                      const FigureTerms& terms);

}  // namespace tessera::kernels
