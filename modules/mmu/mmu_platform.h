// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "modules/mmu/allocation_pages.h"

namespace tessera {

class Domain;

/// The driver's interface to the platform, used only for faults.
struct UvmPlatform {
  /// The channel of an SM's partition, or the SM's GPU.
  std::function<ChannelId(SmId)> local_channel;
  /// Whether a virtual address belongs to an allocation.
  std::function<bool(std::uint64_t virtual_address)> allocated;
  /// The allocation of an allocated address. If empty, each page is its own allocation.
  std::function<AllocationPages(std::uint64_t virtual_address)> allocation = {};
  /// Name of the page-placement policy, for messages.
  std::string placement = {};
};

/// The page migrator's interface to the platform.
struct PageMigratorPlatform {
  /// Home of an SM: a channel with the SMs of its partition, or a GPU with its SMs.
  std::function<ChannelId(SmId)> channel_of;
  /// Copies the newest bytes of a page (value mode `carried` only).
  std::function<void(std::uint64_t from, std::uint64_t to)> copy;
};

/// The GPUs of a page migrator. Plain data.
struct MigrationSite {
  std::uint32_t gpus = 1;
  std::uint32_t slices_per_gpu = 1;
  std::vector<Domain*> domains;  ///< of the GPUs; empty: that of the migrator
};

}  // namespace tessera
