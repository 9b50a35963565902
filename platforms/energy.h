// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "common/json_fwd.h"
#include "platforms/gpu_config.h"

namespace tessera {

/// The `energy` section of stats.json, computed by the kinds of blocks from the statistics of the
/// modules: joules of "sm", "l1", "llc", "noc" (all networks; "networks" has each kind), "dram" and
/// further groups of kinds, each "dynamic_j", "static_j" and "total_j"; and flat: "total_j",
/// "noc_j", "noc_power_w" (noc_j over the time), "noc_area_mm2". `seconds`: of kernels. Statistics
/// that a block does not have count as nothing happened.
nlohmann::ordered_json energy(const nlohmann::ordered_json& modules, const GpuConfig& config,
                              const std::vector<ParameterSetting>& overrides, double seconds);

}  // namespace tessera
