// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "modules/plan/config_view.h"
#include "platforms/gpu_config.h"
#include "policies/policy.h"
#include "policies/transfer_policy.h"

namespace tessera {

// Sizes and choices of a system that depend on the shapes of its tree.

/// Parts of a GPU whose SMs share a way to their own slices, as its shape has them.
std::uint32_t partitions_of(const SystemConfig& system);
std::uint32_t sms_per_partition(const SystemConfig& system);
std::uint32_t slices_per_partition(const SystemConfig& system);

MemoryGeometry geometry_of(const GpuConfig& config);
/// Of a DRAM stack that is a cache of the host's memory.
MemoryGeometry stack_geometry_of(const GpuConfig& config);
SystemFacts facts_of(const GpuConfig& config);

/// The transfer policy that system.transfer names.
std::unique_ptr<TransferPolicy> transfer_policy_of(const GpuConfig& config);
/// Whether system.remote_caching is set by an MDR engine (RemoteCaching::monitored()).
bool needs_mdr(const GpuConfig& config);

}  // namespace tessera
