// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/gpu_config.h"

namespace tessera {

/// Appends an error for each level of the tree that cannot hold the levels below it, and if SMs and
/// channels do not divide over the levels. Returns false if there is no plan.
bool check_tree(const GpuConfig& config, std::vector<std::string>& errors);

/// These errors, and those of parameters that the tree's shapes or networks do not fit.
std::vector<std::string> shape_errors(const GpuConfig& config);

}  // namespace tessera
