// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/host/copy_engine.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/kernel/any_config.h"
#include "modules/kernel/parameters.h"
#include "modules/llc/llc_config.h"
#include "modules/mdr/mdr_config.h"
#include "modules/memory/dram_config.h"
#include "modules/mmu/l2_tlb.h"
#include "modules/mmu/page_migrator.h"
#include "modules/mmu/page_walker.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/noc/gpu_fabric_config.h"
#include "modules/noc/long_link.h"
#include "modules/noc/mesh_config.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/planned_network.h"
#include "modules/noc/ring_config.h"
#include "modules/plan/config_view.h"
#include "modules/plan/plan.h"
#include "modules/power/power_config.h"
#include "modules/probe/probe_config.h"
#include "modules/rdma/decision_engine.h"
#include "modules/rdma/rdma_config.h"
#include "modules/sm/l1_cache.h"
#include "modules/sm/sm_config.h"
#include "modules/umh/umh_config.h"
#include "platforms/topology/tree.h"
#include "policies/address_map.h"
#include "policies/cta_scheduler.h"
#include "policies/kernel_scheduler.h"
#include "policies/launch_planner.h"
#include "policies/mdr_model.h"
#include "policies/miss_routing.h"
#include "policies/page_migration.h"
#include "policies/page_placement.h"
#include "policies/remote_caching.h"
#include "policies/transfer_policy.h"

namespace tessera {

/// Shape of a GPU and the choices that concern more than one block.
struct SystemConfig {
  static constexpr std::uint32_t kMostGpus = 16;
  static constexpr std::uint32_t kMostModules = 64;
  /// The levels, where a preset describes them. `topology` is then the innermost shape; `gpus` and
  /// `modules` are the levels' counts. Empty: these three describe the tree.
  Tree tree;
  /// How the blocks are wired: a shape of platforms/topology.
  std::string topology = default_topology();
  /// Kinds of blocks that stand in all links of a class of traffic, in order.
  struct Insert {
    std::string traffic;
    std::string kind;
    std::string origin;  ///< "FILE:LINE"
  };
  std::vector<Insert> inserts;
  /// GPUs of the system; they share SMs and channels evenly.
  std::uint32_t gpus = 1;
  /// Chiplets of a multi-chip module (NUBA section 7.6).
  std::uint32_t modules = 1;
  std::uint32_t sms = 64;
  std::uint32_t channels = 32;
  std::uint32_t slices_per_channel = 2;
  std::uint32_t line_bytes = 128;
  std::uint64_t page_bytes = 4096;
  std::uint64_t channel_bytes = std::uint64_t{512} << 20;
  std::string address_map = "fixed-channel";
  std::string page_placement = "round-robin";
  /// Of partitions: where a line of another partition is cached (policies/remote_caching.h).
  std::string remote_caching = "home";
  /// Of several GPUs: how other GPUs' lines are read (policies/transfer_policy.h).
  std::string transfer = "line";
  /// Where a core's read misses go (policies/miss_routing.h).
  std::string miss_routing = "home";
  /// Of several GPUs: ways of a GPU's L1s to its RDMA engine, and banks of its remote cache.
  std::uint32_t rdma_ports = 16;
  /// Of several GPUs: width of the links of the crossbar between RDMA engine and slices, at the
  /// engine's clock; 0: width and clock are those of the GPU's network.
  std::uint32_t rdma_link_bytes = 0;
  /// Whether SharingProfiler watches the slices.
  bool line_sharing = false;
  std::uint64_t watchdog_cycles = 1'000'000;
  std::uint64_t cycle_limit = 0;
  std::uint64_t loop_limit = 1'000'000;

  std::uint32_t slices() const { return channels * slices_per_channel; }
  static std::string default_topology();
  std::uint32_t slices_per_gpu() const { return slices() / gpus; }
  /// Parts of a GPU whose SMs share a way to their own slices, as its shape has them.
  std::uint32_t partitions() const;
  std::uint32_t sms_per_partition() const { return sms / gpus / partitions(); }
  std::uint32_t slices_per_partition() const { return slices() / gpus / partitions(); }
};

/// The network between the modules of an MCM-GPU: `ports` planes, each a switch that joins all
/// modules. 16 ports of 16 B at 1.4 GHz are 358 GB/s each way, 720 GB/s both (NUBA section 7.6).
struct ModuleNetworkConfig {
  std::uint32_t ports = 16;
  NocConfig plane;
};

void describe(ParameterVisitor& v, ModuleNetworkConfig& c);

/// The same by rings: `ports` of them, on each of which every module is a node.
struct ModuleRingConfig {
  std::uint32_t ports = 16;
  RingConfig ring;
};

void describe(ParameterVisitor& v, ModuleRingConfig& c);

/// Which implementation stands in for each family of blocks (modules/plan/block_kind.h).
struct ImplementationConfig {
  std::map<std::string, std::string> by_kind;  ///< a kind that is not here: "tlm"
};

/// The implementation of one block: its own ("system.gpu0.llc3.impl"), or its kind's.
std::string implementation_of(const ImplementationConfig& config, const std::string& kind,
                              const std::vector<ParameterSetting>& overrides,
                              const std::string& path);

struct GpuConfig final : ConfigView {
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

  MemoryGeometry geometry() const;
  /// Of a DRAM stack that is a cache of the host's memory.
  MemoryGeometry stack_geometry() const;
  PolicyContext policy_context() const { return facts(); }
  SystemFacts facts() const override;
  std::string value(const std::string& parameter) const override;
  bool has_blocks(const std::string& kind) const override;
  /// The transfer policy that system.transfer names.
  std::unique_ptr<TransferPolicy> transfer_policy() const;
  /// Whether system.remote_caching is set by an MDR engine (RemoteCaching::monitored()).
  bool needs_mdr() const;
  /// Whether read misses can go to other cores: any miss routing but "home".
  bool needs_probes() const;
  /// The role of slices that forward read hits to other cores (MissRouting::slice_role()); empty:
  /// they forward none.
  std::string forwarding_role() const;
  bool forwards_hits() const { return !forwarding_role().empty(); }
  /// Copies what several blocks share (line and page size, policies' parameters) into their
  /// configurations.
  void propagate();
  /// Of partitions: the bandwidths that MDR's model compares, of a whole GPU (NUBA section 5.1).
  MdrBandwidths raw_bandwidths() const;
  /// Every fault of every block and between blocks, in words.
  std::vector<std::string> validate() const;
  /// Of these, whether the levels of the tree can hold each other, and SMs and channels divide over
  /// them. False: there is no plan.
  bool check_tree(std::vector<std::string>& errors) const;

 private:
  const void* find_group(const std::string& name, const std::type_info& type) const override;
  static LlcSliceConfig remote_cache_defaults();
  static std::map<std::string, AnyConfig> groups_of_kinds();
  std::vector<std::string> validate_shape() const;
  void check_networks(std::vector<std::string>& errors) const;
  void validate_policies(std::vector<std::string>& errors) const;
};

void describe(ParameterVisitor& v, GpuConfig& c);

/// A parameter that chooses a policy, and the policy's name.
struct ChosenPolicy {
  const char* parameter;
  const std::string& name;
};

/// Calls f(chosen, settings) for each family of policies: its PolicySettings, and a list of all the
/// ChosenPolicy of the configuration.
template <class Config, class F>
void for_each_family(Config& c, F&& f) {
  using Chosen = std::vector<ChosenPolicy>;
  f(Chosen{{"system.address_map", c.system.address_map}}, c.address_map);
  f(Chosen{{"system.page_placement", c.system.page_placement}}, c.page_placement);
  f(Chosen{{"migration.policy", c.migration.policy}}, c.page_migration);
  f(Chosen{{"dispatch.planner", c.dispatch.planner}}, c.launch_planner);
  f(Chosen{{"dispatch.scheduler", c.dispatch.scheduler}}, c.cta_scheduler);
  f(Chosen{{"dispatch.kernel_scheduler", c.dispatch.kernel_scheduler}}, c.kernel_scheduler);
  f(Chosen{{"system.remote_caching", c.system.remote_caching}}, c.remote_caching);
  f(Chosen{{"system.transfer", c.system.transfer}}, c.transfer);
  f(Chosen{{"system.miss_routing", c.system.miss_routing}}, c.miss_routing);
  f(Chosen{{"l1.replacement", c.l1.replacement.name},
           {"llc.replacement", c.llc.replacement.name},
           {"remote_cache.replacement", c.remote_cache.replacement.name}},
    c.cache_replacement);
  f(Chosen{{"dram.scheduler", c.dram.scheduler.name},
           {"umh.stack.scheduler", c.hierarchy.stack.scheduler.name}},
    c.dram_scheduler);
  f(Chosen{{"sm.warp_scheduler", c.sm.warp_scheduler.name}}, c.warp_scheduler);
  f(Chosen{{"noc.arbitration", c.noc.arbitration.name},
           {"mcm.arbitration", c.mcm.plane.arbitration.name},
           {"ring.arbitration", c.ring.ring.arbitration.name},
           {"llc.arbitration", c.llc.arbitration.name},
           {"remote_cache.arbitration", c.remote_cache.arbitration.name}},
    c.arbiter);
}

}  // namespace tessera
