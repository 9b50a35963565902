// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/json.h"
#include "modules/power/noc_power.h"
#include "platforms/gpu_config.h"
#include "platforms/topology/plan.h"

namespace tessera {

/// The `energy` section of stats.json, from the statistics of the modules: joules of "sm", "l1",
/// "llc", "noc" (all networks; "networks" has each kind) and "dram", each "dynamic_j", "static_j"
/// and "total_j"; and flat: "total_j", "noc_j", "noc_power_w" (noc_j over the time),
/// "noc_area_mm2". `seconds`: of kernels. Statistics that a block does not have count as nothing
/// happened.
nlohmann::ordered_json energy(const nlohmann::ordered_json& modules, const GpuConfig& config,
                              const std::vector<ParameterSetting>& overrides, double seconds);

/// One network as the power model sees it: `requests` from entries to exits, else the way back.
/// The network's span says what part of the die its links cross.
NetworkGeometry network_geometry(const GpuConfig& config, const PlannedBlock& network,
                                 bool requests);

}  // namespace tessera
