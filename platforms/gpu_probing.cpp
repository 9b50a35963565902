// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_probing.h"

#include <functional>

namespace tessera {

namespace {

/// Routers between a core and the others of its GPU; 1 if their network is no mesh.
std::function<std::uint32_t(std::uint32_t)> hops_of(std::uint32_t core, std::uint32_t gpu,
                                                    const PlatformPlan& plan) {
  for (const PlannedBlock* b : plan.of_kind(BlockKind::kNetwork)) {
    if (b->gpu != gpu || b->network.kind != NetworkKind::kMesh) continue;
    const MeshLayout layout = b->network.mesh.layout(b->inputs, b->outputs);
    const std::uint32_t first = b->outputs - b->network.mesh.core_exits;
    return [layout, first, core](std::uint32_t other) { return layout.hops(core, first + other); };
  }
  return [](std::uint32_t) { return 1U; };
}

}  // namespace

std::uint32_t first_core_exit(const SystemConfig& system, std::uint32_t gpu) {
  return system.slices() + gpu * (system.sms / system.gpus);
}

ProbeEngineSite probe_site(const PlatformPlan& plan, const GpuConfig& config,
                           const PlannedBlock& block, GpuProbing& gpu) {
  const SystemConfig& s = config.system;
  const std::uint32_t cores = s.sms / s.gpus;
  const std::uint32_t slices = s.slices_per_gpu();
  const std::uint32_t core = block.index % cores;
  ProbeEngineSite site;
  site.config = config.probe;
  site.probe.core = core;
  site.probe.first_slice = block.gpu * slices;
  site.probe.end_slice = (block.gpu + 1) * slices;
  site.probe.first_core_exit = first_core_exit(s, block.gpu);
  site.probe.slices_forward = config.forwards_hits();
  site.probe.directory = &gpu.sharers;
  site.probe.probes = &gpu.probes;
  MissRouting::Context context;
  context.core = core;
  context.cores = cores;
  context.holders = [&gpu, core](std::uint64_t line) { return gpu.sharers.holders(line, core); };
  context.hops = hops_of(core, block.gpu, plan);
  site.make_routing = [&config, context] {
    return config.miss_routing.make(config.system.miss_routing, context);
  };
  return site;
}

}  // namespace tessera
