// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/block_sites.h"
#include "platforms/gpu_config.h"
#include "platforms/topology/plan.h"

namespace tessera {

// Sites of the blocks of a coherent hierarchy.

/// `l1`: of an L1, with the settings of its instance.
CoherentCacheSite coherent_l1_site(const GpuConfig& config, const PlannedBlock& block,
                                   const L1Config& l1);
CoherentCacheSite coherent_cache_site(const GpuConfig& config, const PlannedBlock& block);
SmdSite smd_site(const GpuConfig& config, const PlannedBlock& block);
HmdSite hmd_site(const GpuConfig& config, const PlatformPlan& plan, const PlannedBlock& block);
CoherenceLinkSite coherence_link_site(const GpuConfig& config, const PlannedBlock& block);

}  // namespace tessera
