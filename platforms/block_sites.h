// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of the block factories: one site type per kind of block.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "modules/core/transaction_pool.h"
#include "modules/host/cpu_core.h"
#include "modules/host/cta_dispatcher.h"
#include "modules/llc/llc_slice.h"
#include "modules/mdr/mdr_engine.h"
#include "modules/memory/dram_config.h"
#include "modules/mmu/l2_tlb.h"
#include "modules/mmu/page_migrator.h"
#include "modules/mmu/page_table.h"
#include "modules/mmu/page_walker.h"
#include "modules/mmu/uvm_driver.h"
#include "modules/noc/duplex_network.h"
#include "modules/noc/gpu_fabric_config.h"
#include "modules/noc/long_link.h"
#include "modules/noc/mesh_config.h"
#include "modules/noc/ring_config.h"
#include "modules/probe/probe_engine.h"
#include "modules/rdma/decision_engine.h"
#include "modules/rdma/rdma_engine.h"
#include "modules/sm/l1_cache.h"
#include "modules/sm/sm_config.h"
#include "modules/umh/coherence_link.h"
#include "modules/umh/hmd_block.h"
#include "modules/umh/smd_block.h"
#include "policies/address_map.h"

namespace tessera {

/// Arguments of every factory. The objects of its pointers live as long as the platform. A `config`
/// includes this instance's settings.
struct BlockSite {
  std::string name;         ///< of the sc_module
  std::string path;         ///< "system.gpu0.llc3"
  std::uint32_t index = 0;  ///< among the blocks of its kind
  GpuId gpu;                ///< of the block; 0 if it serves all GPUs
  const AddressMap* map = nullptr;
  TransactionPool* pool = nullptr;
  unsigned inputs = 0;   ///< number of target sockets that will be bound
  unsigned outputs = 0;  ///< number of initiator sockets that will be bound
};

/// n in: one per slice of the channel.
struct DramSite : BlockSite {
  static constexpr const char* kKind = "dram";
  DramConfig config;
  ChannelId channel;
};

/// n in; out: its channel and, if lines of other slices pass through it, the network.
struct LlcSite : BlockSite {
  static constexpr const char* kKind = "llc";
  LlcSliceConfig config;
  SliceSite slice;
};

/// 1 in, 1 out: a bank, between L1s and a port of the RDMA engine.
struct RemoteCacheSite : BlockSite {
  static constexpr const char* kKind = "remote_cache";
  LlcSliceConfig config;
  SliceSite slice;
};

/// 1 in, 1 out.
struct L1Site : BlockSite {
  static constexpr const char* kKind = "l1";
  L1Config config;
  L1RoleSite role;
};

/// 2 in: its core's L1, and probes from the network; out: the network.
struct ProbeEngineSite : BlockSite {
  static constexpr const char* kKind = "probe";
  ProbeConfig config;
  ProbeSite probe;
  std::function<std::unique_ptr<MissRouting>()> make_routing;
};

/// n in, m out: crossbars, point-to-point links and switches.
struct NocSite : BlockSite {
  static constexpr const char* kKind = "noc";
  NocConfig config;
  NocRouting routing;
};

/// n in, n out.
struct RingSite : BlockSite {
  static constexpr const char* kKind = "ring";
  RingConfig config;
  NocRouting routing;
};

/// n in, m out: the network between L1s and slices, or between slices.
struct MeshSite : BlockSite {
  static constexpr const char* kKind = "mesh";
  MeshConfig config;
  NocRouting routing;
};

/// In: its ports, and one per packet class; out: its GPU's slices, and one per class.
struct RdmaSite : BlockSite {
  static constexpr const char* kKind = "rdma";
  RdmaConfig config;
  RdmaEngine::Role role;
};

/// One in and one out per packet class of each GPU.
struct FabricSite : BlockSite {
  static constexpr const char* kKind = "fabric";
  GpuFabricConfig config;
  std::uint32_t gpus = 0;
  std::vector<Domain*> domains;  ///< of the GPUs
};

/// 1 in, 1 out: from a GPU to the host.
struct LongLinkSite : BlockSite {
  static constexpr const char* kKind = "long_link";
  LongLinkConfig config;
  Domain* near = nullptr;  ///< of its target socket
  Domain* far = nullptr;   ///< of its initiator socket
};

/// 1 in per SM of the GPU, 1 out.
struct L2TlbSite : BlockSite {
  static constexpr const char* kKind = "l2_tlb";
  L2TlbConfig config;
  std::uint64_t page_bytes = 0;
};

/// 1 in, 1 out.
struct WalkerSite : BlockSite {
  static constexpr const char* kKind = "walker";
  PageWalkerConfig config;
  PageTable* page_table = nullptr;
};

/// 1 in.
struct UvmSite : BlockSite {
  static constexpr const char* kKind = "uvm";
  UvmDriverConfig config;
  PageTable* page_table = nullptr;
  PagePlacement* placement = nullptr;
  UvmPlatform platform;
};

/// 2 out: its L1 and its L2 TLB.
struct SmSite : BlockSite {
  static constexpr const char* kKind = "sm";
  SmConfig config;
  SmId id;
  std::uint32_t sms = 0;  ///< of the system
  const PageLookupIf* pages = nullptr;
};

/// No sockets.
struct DispatcherSite : BlockSite {
  static constexpr const char* kKind = "dispatcher";
  DispatchConfig config;
  CtaSchedulerFactory make_scheduler;
  DispatcherPlace place;
};

/// No sockets.
struct PageMigratorSite : BlockSite {
  static constexpr const char* kKind = "page_migrator";
  PageMigratorConfig config;
  std::function<std::unique_ptr<PageMigrationPolicy>()> make_policy;
  PageTable* page_table = nullptr;
  PageMigratorPlatform platform;
};

/// No sockets.
struct MdrSite : BlockSite {
  static constexpr const char* kKind = "mdr";
  MdrConfig config;
  SetSampler::Shape slice;  ///< monitored slice
  MdrBandwidths raw;
  ReplicationSwitch* decision = nullptr;
  MdrEngine::Scope scope;
};

/// No sockets.
struct SharingProfilerSite : BlockSite {
  static constexpr const char* kKind = "line_sharing";
  std::uint32_t sms = 0;
  std::uint32_t line_bytes = 0;
};

/// No sockets.
struct DecisionSite : BlockSite {
  static constexpr const char* kKind = "decision";
  DecisionConfig config;
  std::uint32_t gpus = 0;
  std::uint32_t line_bytes = 0;
  std::function<GpuId(SmId)> gpu_of;
  const TransferPolicy* policy = nullptr;
  RemoteAccessMode* transfer = nullptr;
};

/// A cache of a coherent hierarchy. 1 in: the core of an L1; otherwise none.
struct CoherentCacheSite : BlockSite {
  static constexpr const char* kKind = "coherent_cache";
  umh::CoherentCacheBlockConfig config;
  umh::CoherencePlace place;
};

/// 1 out: its stack's channel.
struct SmdSite : BlockSite {
  static constexpr const char* kKind = "smd";
  umh::SmdBlockConfig config;
  umh::CoherencePlace place;
};

/// 1 out: its host channel.
struct HmdSite : BlockSite {
  static constexpr const char* kKind = "hmd";
  umh::HmdBlockConfig config;
  umh::CoherencePlace place;
};

/// 1 out: its L1.
struct CpuCoreSite : BlockSite {
  static constexpr const char* kKind = "cpu_core";
  CpuCoreConfig config;
};

/// No sockets of memory requests.
struct CoherenceLinkSite : BlockSite {
  static constexpr const char* kKind = "coherence_link";
  umh::CoherenceLinkConfig config;
  umh::CoherenceLinkPlace place;
};

/// All kinds, by the names that their parameters use ("impl.llc").
inline constexpr std::array kBlockKinds = {L1Site::kKind,
                                           ProbeEngineSite::kKind,
                                           NocSite::kKind,
                                           RingSite::kKind,
                                           MeshSite::kKind,
                                           LlcSite::kKind,
                                           DramSite::kKind,
                                           RemoteCacheSite::kKind,
                                           RdmaSite::kKind,
                                           FabricSite::kKind,
                                           LongLinkSite::kKind,
                                           L2TlbSite::kKind,
                                           WalkerSite::kKind,
                                           UvmSite::kKind,
                                           SmSite::kKind,
                                           MdrSite::kKind,
                                           PageMigratorSite::kKind,
                                           DecisionSite::kKind,
                                           SharingProfilerSite::kKind,
                                           DispatcherSite::kKind,
                                           CoherentCacheSite::kKind,
                                           SmdSite::kKind,
                                           HmdSite::kKind,
                                           CoherenceLinkSite::kKind,
                                           CpuCoreSite::kKind};

}  // namespace tessera
