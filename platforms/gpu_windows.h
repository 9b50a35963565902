// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "modules/plan/plan.h"
#include "platforms/gpu_config.h"

namespace tessera {

/// Why the GPUs of a platform cannot run ahead of each other by windows
/// (DomainRunner::run_ahead()): the block through which one acts on another without latency.
/// Nothing if they can.
std::optional<std::string> why_no_windows(const PlatformPlan& plan, const GpuConfig& config,
                                          const std::vector<ParameterSetting>& overrides = {});

}  // namespace tessera
