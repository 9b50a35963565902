// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_config.h"
#include "platforms/topology/shape.h"

namespace tessera::topology::uba_mem {

namespace {

void connect(Planner& p, Planner::Gpu& gpu) {
  std::vector<Planner::Socket> misses;
  for (const PlannedBlockId b : gpu.probes.empty() ? gpu.l1s : gpu.probes) misses.push_back({b, 0});
  p.join(gpu, misses, 0);
}

}  // namespace

/// Memory-side UBA (NUBA figure 1a): every SM's L1 reaches every slice through one hierarchical
/// crossbar. A slice caches the lines of its address range, between the crossbar and its channel.
///
///   l1_[i] -> noc -> llc[home] -> dram[channel]
///
/// Where misses can go to other cores (system.miss_routing), noc also connects the cores:
///
///   l1_[i] -> probe[i] -> noc -> llc[home] or probe[of another core]
///
/// Slices that forward read hits (miss routing "la-llc") send them to cores by noc, too:
///
///   llc[home] -> noc -> probe[of another core]
///
/// Can be used in modules (module_tree.cpp) and in several GPUs (gpu_tree.cpp) without changes.
const bool kRegistered = register_shape([] {
  Shape s;
  s.order = 0;
  s.name = "uba-mem";
  s.partitions = [](const SystemConfig&) -> std::uint32_t { return 1; };
  s.connect = connect;
  s.probes_cores = true;
  return s;
}());

}  // namespace tessera::topology::uba_mem
