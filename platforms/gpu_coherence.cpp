// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_coherence.h"

#include <algorithm>

namespace tessera {

namespace {

CoherentCacheSite cache_site(const PlannedBlock& block,
                             const umh::CoherentCacheBlockConfig& cache) {
  CoherentCacheSite site;
  site.config = cache;
  site.place = block.coherence;
  return site;
}

}  // namespace

CoherentCacheSite coherent_l1_site(const GpuConfig& config, const PlannedBlock& block,
                                   const L1Config& l1) {
  return cache_site(block, config.coherent_l1(l1));
}

CoherentCacheSite coherent_cache_site(const GpuConfig& config, const PlannedBlock& block) {
  const UmhConfig& h = config.hierarchy;
  switch (block.kind) {
    case BlockKind::kCpuL1:
      return cache_site(block, h.cpu_cache_config(h.cpu.l1));
    case BlockKind::kCpuL2:
      return cache_site(block, h.cpu_cache_config(h.cpu.l2));
    case BlockKind::kCpuLlc:
      return cache_site(block, h.cpu_cache_config(h.cpu.llc));
    default:
      return cache_site(block, h.l2_config());
  }
}

SmdSite smd_site(const GpuConfig& config, const PlannedBlock& block) {
  SmdSite site;
  site.config = config.hierarchy.smd_config();
  site.place = block.coherence;
  return site;
}

HmdSite hmd_site(const GpuConfig& config, const PlatformPlan& plan, const PlannedBlock& block) {
  HmdSite site;
  site.place = block.coherence;
  const std::vector<umh::AgentId>& children = site.place.children;
  const auto of_gpus = std::count_if(children.begin(), children.end(), [&plan](umh::AgentId child) {
    return plan.blocks[static_cast<PlannedBlockId>(child)].kind != BlockKind::kCpuLlc;
  });
  site.config = config.hierarchy.hmd_config(static_cast<std::uint32_t>(of_gpus));
  // L2s request lines, and accept none from each other. umh.block_bytes is then the interleave of
  // the stacks only.
  if (!plan.has(BlockKind::kSmd)) {
    site.config.hmd.block_bytes = umh::kLineBytes;
    site.config.hmd.peer_transfer = false;
  }
  return site;
}

CoherenceLinkSite coherence_link_site(const GpuConfig& config, const PlannedBlock& block) {
  CoherenceLinkSite site;
  const UmhConfig& h = config.hierarchy;
  site.config = block.kind == BlockKind::kPartitionLink ? h.partition_link : h.link;
  site.place = block.coherence_link;
  return site;
}

}  // namespace tessera
