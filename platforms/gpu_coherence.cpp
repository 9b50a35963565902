// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_coherence.h"

namespace tessera {

namespace {

CoherentCacheSite cache_site(const GpuConfig& config, const PlannedBlock& block,
                             const umh::CoherentCacheBlockConfig& cache) {
  CoherentCacheSite site;
  site.config = cache;
  site.place = block.coherence;
  site.parent_lines = config.hierarchy.block_bytes / umh::kLineBytes;
  return site;
}

}  // namespace

CoherentCacheSite coherent_l1_site(const GpuConfig& config, const PlannedBlock& block,
                                   const L1Config& l1) {
  return cache_site(config, block, config.coherent_l1(l1));
}

CoherentCacheSite coherent_cache_site(const GpuConfig& config, const PlannedBlock& block) {
  return cache_site(config, block, config.hierarchy.l2_config());
}

SmdSite smd_site(const GpuConfig& config, const PlannedBlock& block) {
  SmdSite site;
  site.config = config.hierarchy.smd_config();
  site.place = block.coherence;
  return site;
}

HmdSite hmd_site(const GpuConfig& config, const PlannedBlock& block) {
  HmdSite site;
  site.place = block.coherence;
  site.config = config.hierarchy.hmd_config(static_cast<std::uint32_t>(site.place.children.size()));
  return site;
}

CoherenceLinkSite coherence_link_site(const GpuConfig& config, const PlannedBlock& block) {
  CoherenceLinkSite site;
  site.config = config.hierarchy.link;
  site.place = block.coherence_link;
  return site;
}

}  // namespace tessera
