// SPDX-License-Identifier: Apache-2.0
#include "platforms/gpu_windows.h"

#include "modules/plan/block_kind.h"
#include "platforms/platform_view.h"

namespace tessera {

namespace {

/// The node of the block's GPU; 0, the system, if it has none.
std::uint32_t gpu_node(const PlatformPlan& plan, const PlannedBlock& block) {
  std::uint32_t node = block.node;
  while (plan.nodes[node].level > NodeLevel::kGpu) node = plan.nodes[node].parent;
  return node;
}

}  // namespace

std::optional<std::string> why_no_windows(const PlatformPlan& plan, const GpuConfig& config,
                                          const std::vector<ParameterSetting>& overrides) {
  if (config.system.gpus == 1) {
    return "a platform of one GPU cannot run on threads: its parts share networks without latency";
  }
  const std::string no = "the GPUs cannot run on threads: ";
  if (config.sm.ideal_translation) {
    return no +
           "SMs look up the page table without latency (sm.ideal_translation: the simulator "
           "of the LADM and remote-core papers has no TLBs)";
  }
  const PlatformView view(config, plan);
  for (const PlannedBlock& b : plan.blocks) {
    const std::string path = plan.path_of(b);
    if (const auto& at_once = kind_of(b).acts_at_once) {
      if (const auto why = at_once(view)) {
        return no + path + " observes and controls them without latency (" + *why + ")";
      }
    }
    const std::string made_by = implementation_of(config.impl, kind_of(b).family, overrides, path);
    if (made_by != "tlm") {
      return no + path + " is of implementation " + made_by + ", which can use SystemC's own time";
    }
  }
  for (const PlannedLink& l : plan.links) {
    const PlannedBlock& from = plan.blocks[l.from];
    const PlannedBlock& to = plan.blocks[l.to];
    if (kind_of(from).joins_domains || kind_of(to).joins_domains ||
        gpu_node(plan, from) == gpu_node(plan, to)) {
      continue;
    }
    return no + "the link from " + plan.path_of(from) + " to " + plan.path_of(to) +
           " has no latency of its own";
  }
  for (const PlannedLink& l : plan.coherence) {
    const PlannedBlock& from = plan.blocks[l.from];
    const PlannedBlock& to = plan.blocks[l.to];
    if (gpu_node(plan, from) == gpu_node(plan, to)) continue;
    return no + "the connection of " + plan.path_of(from) + " and " + plan.path_of(to) +
           " returns credits without latency";
  }
  return std::nullopt;
}

}  // namespace tessera
