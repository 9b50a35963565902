// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/probe/probe_table.h"
#include "modules/probe/sharer_directory.h"
#include "platforms/block_sites.h"
#include "platforms/gpu_config.h"
#include "platforms/topology/plan.h"

namespace tessera {

/// What the probe engines of a GPU share.
struct GpuProbing {
  explicit GpuProbing(std::uint32_t cores) : sharers(cores) {}

  SharerDirectory sharers;
  ProbeTable probes;
};

/// Slice number by which the network of a GPU routes a message to its first core. Cores follow all
/// slices.
std::uint32_t first_core_exit(const SystemConfig& system, std::uint32_t gpu);

/// The site of a probe engine of the plan, without its L1, its pool and its address map. The
/// arguments outlive the engine.
ProbeEngineSite probe_site(const PlatformPlan& plan, const GpuConfig& config,
                           const PlannedBlock& block, GpuProbing& gpu);

}  // namespace tessera
