// SPDX-License-Identifier: Apache-2.0
#pragma once

// The figures of a manifest: their check before the run, and their values after it.

#include <map>
#include <string>
#include <vector>

#include "stimuli/runner/contents.h"
#include "stimuli/runner/figure_expression.h"
#include "stimuli/runner/manifest.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

/// Checks syntax and names of every figure. Throws InputError with the figure's location.
void check_figures(const Manifest& manifest, const Sizes& sizes);

/// By the array's name.
using ArraySummaries = std::map<std::string, ArraySummary>;

/// Reads the arrays that figures use. `addresses`: of all arrays and variables.
ArraySummaries summarise_arrays(Device& device, const Inputs& inputs,
                                const std::map<std::string, Address>& addresses);

/// The figures of a run that has ended. `arrays`: empty if the run has not been verified.
/// `symbols`: of kernels, by their names in the manifest. `launches`: null if the run had no time.
std::vector<WorkloadFigure> figures_of(const Manifest& manifest, const Sizes& sizes,
                                       const ArraySummaries& arrays,
                                       const std::map<std::string, std::string>& symbols,
                                       const std::vector<LaunchTime>* launches);

}  // namespace tessera::kernels
