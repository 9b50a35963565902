// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/gpu_config.h"

namespace tessera {

/// A setting that changes nothing on the platform that it was made for.
struct UnusedParameter {
  std::string path;
  std::string why;  ///< "system.modules is 1"
};

/// Those of `paths` ("rdma.timeout_cycles") that belong to a block or policy that the
/// configuration does not have, in their order.
std::vector<UnusedParameter> unused_parameters(const GpuConfig& config,
                                               const std::vector<std::string>& paths);

}  // namespace tessera
