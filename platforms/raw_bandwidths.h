// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/gpu_config.h"
#include "policies/mdr_model.h"

namespace tessera {

/// Of partitions: the bandwidths that MDR's model compares, of a whole GPU (NUBA section 5.1).
MdrBandwidths raw_bandwidths(const GpuConfig& config);

}  // namespace tessera
