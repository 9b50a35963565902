// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/gpu_config.h"

namespace tessera {

/// All errors of a configuration: of each block's parameters, between blocks, and of its tree.
std::vector<std::string> config_errors(const GpuConfig& config);

}  // namespace tessera
