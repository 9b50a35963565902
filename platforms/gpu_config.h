// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <typeinfo>

#include "common/parameter_visitor.h"
#include "modules/host/copy_engine_config.h"
#include "modules/host/dispatch_config.h"
#include "modules/kernel/any_config.h"
#include "modules/llc/llc_config.h"
#include "modules/mdr/mdr_config.h"
#include "modules/memory/dram_config.h"
#include "modules/mmu/l2_tlb_config.h"
#include "modules/mmu/page_migrator_config.h"
#include "modules/mmu/page_walker_config.h"
#include "modules/mmu/uvm_driver_config.h"
#include "modules/noc/gpu_fabric_config.h"
#include "modules/noc/long_link_config.h"
#include "modules/noc/mesh_config.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/planned_network.h"
#include "modules/noc/ring_config.h"
#include "modules/power/power_config.h"
#include "modules/probe/probe_config.h"
#include "modules/rdma/decision_config.h"
#include "modules/rdma/rdma_config.h"
#include "modules/sm/l1_cache_config.h"
#include "modules/sm/sm_config.h"
#include "modules/umh/umh_config.h"
#include "platforms/implementation_config.h"
#include "platforms/system_config.h"
#include "policies/address_map.h"
#include "policies/cta_scheduler.h"
#include "policies/kernel_scheduler.h"
#include "policies/launch_planner.h"
#include "policies/miss_routing.h"
#include "policies/page_migration.h"
#include "policies/page_placement.h"
#include "policies/remote_caching.h"
#include "policies/transfer_policy.h"

namespace tessera {

/// The configuration of a platform: all parameters of all blocks. Plain data; PlatformView adds
/// what depends on the platform's shapes.
struct GpuConfig {
  SystemConfig system;
  ImplementationConfig impl;
  SmConfig sm;
  L1Config l1;
  ProbeConfig probe;
  /// Between L1s and slices, or between the slices of partitions: a crossbar of `noc` or a mesh.
  NetworkKind noc_kind = NetworkKind::kCrossbar;
  NocConfig noc;
  MeshConfig mesh;
  /// Of partitions: SMs to their partition's slices; each SM and each slice has one link's width.
  LinkConfig p2p;
  /// Of two sides: between the slices of the two sides that hold the same lines.
  LinkConfig side_link;
  ModuleNetworkConfig mcm;
  ModuleRingConfig ring;
  GpuFabricConfig fabric;
  LongLinkConfig iommu;  ///< between an L2 TLB of several GPUs and the shared walker
  RdmaConfig rdma;
  LlcSliceConfig llc;
  /// A bank of a GPU's remote cache: 16 of 96 KB are 1.5 MB (DualOpt Table 1).
  LlcSliceConfig remote_cache = remote_cache_defaults();
  DecisionConfig decision;
  DramConfig dram;
  L2TlbConfig l2_tlb;
  PageWalkerConfig walker;
  UvmDriverConfig uvm;
  PageMigratorConfig migration;
  MdrConfig mdr;
  DispatchConfig dispatch;
  PowerConfig power;
  UmhConfig hierarchy;  ///< parameters "umh."
  HostCopyConfig host;

  /// Groups that kinds of blocks add (BlockKind::groups), with their names.
  std::map<std::string, AnyConfig> of_kinds = groups_of_kinds();

  // Parameters of the policies themselves, by family.
  PolicySettings<AddressMap> address_map;
  PolicySettings<PagePlacement> page_placement;
  PolicySettings<PageMigrationPolicy> page_migration;
  PolicySettings<LaunchPlanner> launch_planner;
  PolicySettings<CtaScheduler> cta_scheduler;
  PolicySettings<KernelScheduler> kernel_scheduler;
  PolicySettings<RemoteCaching> remote_caching;
  PolicySettings<TransferPolicy> transfer;
  PolicySettings<MissRouting> miss_routing;
  PolicySettings<CacheReplacement> cache_replacement;
  PolicySettings<DramScheduler> dram_scheduler;
  PolicySettings<WarpScheduler> warp_scheduler;
  PolicySettings<Arbiter> arbiter;

  /// Whether read misses can go to other cores: any miss routing but "home".
  bool needs_probes() const;
  /// The role of slices that forward read hits to other cores (MissRouting::slice_role()); empty:
  /// they forward none.
  std::string forwarding_role() const;
  bool forwards_hits() const { return !forwarding_role().empty(); }
  /// Copies what several blocks share (line and page size, policies' parameters) into their
  /// configurations.
  void propagate();
  /// The configuration of a group of parameters ("llc"). Throws std::logic_error if there is no
  /// such group or it is of another type.
  const void* find_group(const std::string& name, const std::type_info& type) const;

 private:
  static LlcSliceConfig remote_cache_defaults();
  static std::map<std::string, AnyConfig> groups_of_kinds();
};

void describe(ParameterVisitor& v, GpuConfig& c);

}  // namespace tessera
