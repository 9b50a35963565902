// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology/coherent_part.h"

#include <utility>

#include "platforms/gpu_config.h"

namespace tessera {

using umh::AgentId;

std::vector<AgentId> agents(const std::vector<PlannedBlockId>& blocks) {
  std::vector<AgentId> all;
  for (const PlannedBlockId b : blocks) all.push_back(agent(b));
  return all;
}

CoherentPart add_coherent_part(Planner& p, std::uint32_t number) {
  CoherentPart part;
  part.gpu = p.add_gpu(number);
  Planner::Gpu& gpu = part.gpu;
  for (std::uint32_t i = 0; i < gpu.sms; ++i) {
    gpu.l1s.push_back(p.add(BlockKind::kL1, numbered("l1_", i), gpu.node, number, 1, 0));
  }
  for (std::uint32_t j = 0; j < p.config().hierarchy.stacks; ++j) {
    part.l2s.push_back(
        p.add(BlockKind::kCoherentCache, numbered("l2_", j), gpu.node, number, 0, 0));
  }
  return part;
}

void add_cores(Planner& p, CoherentPart& part) {
  p.add_l2_tlb(part.gpu);
  p.add_sms(part.gpu);
}

void place_l1s(Planner& p, const CoherentPart& part, unsigned l2_parent_sockets) {
  const std::vector<PlannedBlockId>& l1s = part.gpu.l1s;
  for (unsigned i = 0; i < l1s.size(); ++i) {
    umh::CoherencePlace& l1 = p.block(l1s[i]).coherence;
    l1.self = agent(l1s[i]);
    l1.parents = agents(part.l2s);
    l1.parent_lines = p.config().hierarchy.block_bytes / umh::kLineBytes;
    l1.parent_sockets = static_cast<unsigned>(part.l2s.size());
    for (unsigned j = 0; j < part.l2s.size(); ++j) {
      l1.sockets.emplace_back(agent(part.l2s[j]), j);
      p.link_coherence({l1s[i], j}, {part.l2s[j], i});
    }
  }
  for (const PlannedBlockId id : part.l2s) {
    umh::CoherencePlace& l2 = p.block(id).coherence;
    l2.self = agent(id);
    l2.children = agents(l1s);
    l2.parent_sockets = l2_parent_sockets;
    l2.child_sockets = static_cast<unsigned>(l1s.size());
    for (unsigned i = 0; i < l1s.size(); ++i) {
      l2.sockets.emplace_back(agent(l1s[i]), l2_parent_sockets + i);
    }
  }
}

void add_host(Planner& p, std::uint32_t node, const std::vector<CoherentPart>& parts) {
  std::vector<Planner::Gpu> gpus;
  for (const CoherentPart& part : parts) gpus.push_back(part.gpu);
  p.add_page_tables(node, gpus);
  p.add_dispatcher(node);
}

void report_link(Planner& p) {
  const umh::CoherenceLinkConfig& link = p.config().hierarchy.link;
  const double one = static_cast<double>(link.clock_hz) * link.bytes_per_cycle;
  const double all = one * (link.shared ? 1 : p.config().system.gpus);
  p.report_traffic({"host_link", all, all, true});
}

bool divides_coherent(const GpuConfig& c, const std::string& name,
                      std::vector<std::string>& errors) {
  if (c.system.modules != 1) {
    errors.push_back("topology " + name + " has no modules: system.modules must be 1");
    return false;
  }
  if (find_level(tree_of(c.system), NodeLevel::kGpu) == nullptr) return true;
  errors.push_back("topology " + name +
                   " joins its GPUs itself: set system.gpus instead of a level gpu");
  return false;
}

void check_coherent(const GpuConfig& c, std::vector<std::string>& errors) {
  const SystemConfig& s = c.system;
  for (std::string& e : c.hierarchy.validate()) errors.push_back(std::move(e));
  if (s.line_bytes != umh::kLineBytes) {
    errors.push_back("topology " + s.topology + " needs system.line_bytes of " +
                     std::to_string(umh::kLineBytes));
  }
  if (s.slices_per_channel != 1) {
    errors.push_back("topology " + s.topology +
                     " needs system.slices_per_channel of 1: a channel has one directory");
  }
  // An HMD has an LLC, too.
  if (s.sms / s.gpus > 64 || s.gpus * c.hierarchy.stacks > 63) {
    errors.emplace_back("a directory has at most 64 children: SMs of a GPU, or stacks of all GPUs");
  }
  if (c.migration.policy != "none") {
    errors.emplace_back("migration.policy must be none: blocks move to the GPUs by themselves");
  }
}

}  // namespace tessera
