// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of the factories of the MMU's blocks, and their interfaces to the platform.

#include <cstdint>
#include <functional>
#include <memory>

#include "modules/mmu/l2_tlb_config.h"
#include "modules/mmu/mmu_platform.h"
#include "modules/mmu/page_migrator_config.h"
#include "modules/mmu/page_walker_config.h"
#include "modules/mmu/uvm_driver_config.h"
#include "modules/plan/block_site.h"
#include "policies/page_migration.h"

namespace tessera {

class PagePlacement;
class PageTable;

/// 1 in per SM of the GPU, 1 out.
struct L2TlbSite : BlockSite {
  static constexpr const char* kFamily = "l2_tlb";
  L2TlbConfig config;
  std::uint64_t page_bytes = 0;
};

/// 1 in, 1 out.
struct WalkerSite : BlockSite {
  static constexpr const char* kFamily = "walker";
  PageWalkerConfig config;
  PageTable* page_table = nullptr;
};

/// 1 in.
struct UvmSite : BlockSite {
  static constexpr const char* kFamily = "uvm";
  UvmDriverConfig config;
  PageTable* page_table = nullptr;
  PagePlacement* placement = nullptr;
  UvmPlatform platform;
};

/// No sockets.
struct PageMigratorSite : BlockSite {
  static constexpr const char* kFamily = "page_migrator";
  PageMigratorConfig config;
  std::function<std::unique_ptr<PageMigrationPolicy>()> make_policy;
  PageTable* page_table = nullptr;
  PageMigratorPlatform platform;
  MigrationSite migration;
};

}  // namespace tessera
