// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/json_fwd.h"
#include "modules/plan/block_kind.h"
#include "platforms/gpu_config.h"

namespace tessera {

/// Unit (empty: a ratio) and description of each name of `derived`, and of the parts of those that
/// are objects, with dots; ".*" stands for parts of any name.
std::vector<DerivedInfo> derived_catalogue();

/// The `derived` section of stats.json: the same names on every platform, computed by the kinds of
/// blocks from the statistics of the modules. `overrides`: settings of single blocks. `cycles`: of
/// the SM clock, kernels only.
nlohmann::ordered_json derive(const nlohmann::ordered_json& modules, const GpuConfig& config,
                              std::uint64_t cycles,
                              const std::vector<std::uint64_t>& pages_per_channel,
                              const std::vector<ParameterSetting>& overrides = {});

}  // namespace tessera
