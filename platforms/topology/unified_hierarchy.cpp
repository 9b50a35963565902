// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "platforms/gpu_config.h"
#include "platforms/topology/shape.h"

namespace tessera {

namespace {

using umh::AgentId;

AgentId agent(PlannedBlockId block) { return static_cast<AgentId>(block); }

std::vector<AgentId> agents(const std::vector<PlannedBlockId>& blocks) {
  std::vector<AgentId> all;
  for (const PlannedBlockId b : blocks) all.push_back(agent(b));
  return all;
}

/// A GPU's part, from its L1s to its stacks.
struct Part {
  Planner::Gpu gpu;
  std::vector<PlannedBlockId> l2s;
  std::vector<PlannedBlockId> smds;  ///< none if L2 misses go to the host

  /// The blocks at the link to the host.
  const std::vector<PlannedBlockId>& ends() const { return smds.empty() ? l2s : smds; }
};

bool divides(const GpuConfig& c, std::vector<std::string>& errors) {
  if (c.system.modules != 1) {
    errors.emplace_back("topology unified-hierarchy has no modules: system.modules must be 1");
    return false;
  }
  if (find_level(tree_of(c.system), NodeLevel::kGpu) == nullptr) return true;
  errors.emplace_back(
      "topology unified-hierarchy joins its GPUs itself: set system.gpus instead of a level gpu");
  return false;
}

void validate(const GpuConfig& c, std::vector<std::string>& errors) {
  const SystemConfig& s = c.system;
  for (std::string& e : c.hierarchy.validate()) errors.push_back(std::move(e));
  if (s.line_bytes != umh::kLineBytes) {
    errors.push_back("topology unified-hierarchy needs system.line_bytes of " +
                     std::to_string(umh::kLineBytes));
  }
  if (s.slices_per_channel != 1) {
    errors.emplace_back(
        "topology unified-hierarchy needs system.slices_per_channel of 1: a host channel has one "
        "directory");
  }
  if (s.sms / s.gpus > 64 || s.gpus * c.hierarchy.stacks > 63) {
    errors.emplace_back("a directory has at most 64 children: SMs of a GPU, or stacks of all GPUs");
  }
  if (c.migration.policy != "none") {
    errors.emplace_back("migration.policy must be none: blocks move to the GPUs by themselves");
  }
  if (!errors.empty()) return;
  const auto map = make_address_map(s.address_map, c.policy_context(), c.address_map);
  for (std::uint64_t block = 0; block < std::uint64_t{2} * s.channels; ++block) {
    for (const std::uint64_t byte :
         {std::uint64_t{0}, std::uint64_t{c.hierarchy.block_bytes} - 1}) {
      if (map->locate(block * c.hierarchy.block_bytes + byte).channel.value == block % s.channels) {
        continue;
      }
      errors.emplace_back(
          "secondary blocks (umh.block_bytes) must go to the host's channels in turn: set "
          "system.address_map gpu-interleave, and its interleave_bytes to umh.block_bytes");
      return;
    }
  }
}

Part add_part(Planner& p, std::uint32_t number) {
  const GpuConfig& c = p.config();
  Part part;
  part.gpu = p.add_gpu(number);
  Planner::Gpu& gpu = part.gpu;
  const auto add = [&](BlockKind kind, const std::string& name, unsigned in, unsigned out) {
    return p.add(kind, name, gpu.node, number, in, out);
  };
  for (std::uint32_t i = 0; i < gpu.sms; ++i) {
    gpu.l1s.push_back(add(BlockKind::kL1, numbered("l1_", i), 1, 0));
  }
  for (std::uint32_t j = 0; j < c.hierarchy.stacks; ++j) {
    part.l2s.push_back(add(BlockKind::kCoherentCache, numbered("l2_", j), 0, 0));
  }
  for (std::uint32_t j = 0; c.hierarchy.gpu_memory && j < c.hierarchy.stacks; ++j) {
    part.smds.push_back(add(BlockKind::kSmd, numbered("smd", j), 0, 1));
    p.link({part.smds.back(), 0}, {add(BlockKind::kStack, numbered("stack", j), 1, 0), 0});
  }
  p.add_l2_tlb(gpu);
  p.add_sms(gpu);
  return part;
}

/// Places of a GPU's caches. Its SMDs have one socket to the link.
void place(Planner& p, const Part& part, const std::vector<PlannedBlockId>& hmds) {
  const std::vector<PlannedBlockId>& l1s = part.gpu.l1s;
  for (unsigned i = 0; i < l1s.size(); ++i) {
    umh::CoherencePlace& l1 = p.block(l1s[i]).coherence;
    l1.self = agent(l1s[i]);
    l1.parents = agents(part.l2s);
    l1.parent_sockets = static_cast<unsigned>(part.l2s.size());
    for (unsigned j = 0; j < part.l2s.size(); ++j) {
      l1.sockets.emplace_back(agent(part.l2s[j]), j);
      p.link_coherence({l1s[i], j}, {part.l2s[j], i});
    }
  }
  for (unsigned j = 0; j < part.l2s.size(); ++j) {
    umh::CoherencePlace& l2 = p.block(part.l2s[j]).coherence;
    l2.self = agent(part.l2s[j]);
    l2.parents = part.smds.empty() ? agents(hmds) : agents({part.smds[j]});
    l2.children = agents(l1s);
    l2.parent_sockets = 1;
    l2.child_sockets = static_cast<unsigned>(l1s.size());
    for (unsigned i = 0; i < l1s.size(); ++i) l2.sockets.emplace_back(agent(l1s[i]), 1 + i);
    if (part.smds.empty()) continue;
    umh::CoherencePlace& smd = p.block(part.smds[j]).coherence;
    smd.self = agent(part.smds[j]);
    smd.parents = agents(hmds);
    smd.children = {agent(part.l2s[j])};
    smd.parent_sockets = smd.child_sockets = 1;
    smd.sockets = {{agent(part.l2s[j]), 1}};
    p.link_coherence({part.l2s[j], 0}, {part.smds[j], 0});
  }
}

/// The link between the GPUs and the HMDs, and the places of the HMDs.
void join(Planner& p, const std::vector<Part>& parts, const std::vector<PlannedBlockId>& hmds,
          PlannedBlockId link) {
  umh::CoherenceLinkPlace& ends = p.block(link).coherence_link;
  ends.parent_sockets = static_cast<unsigned>(hmds.size());
  ends.mask_granularity = p.config().hierarchy.mask_granularity;
  std::vector<PlannedBlockId> children;
  for (const Part& part : parts) {
    for (const PlannedBlockId end : part.ends()) {
      p.link_coherence({end, 0}, {link, static_cast<unsigned>(children.size())});
      ends.sockets.emplace_back(agent(end), ends.parent_sockets + children.size());
      ends.device_of_child.push_back(part.gpu.number);
      children.push_back(end);
    }
  }
  for (unsigned i = 0; i < hmds.size(); ++i) {
    ends.sockets.emplace_back(agent(hmds[i]), i);
    p.link_coherence({link, i}, {hmds[i], 0});
    umh::CoherencePlace& hmd = p.block(hmds[i]).coherence;
    hmd.self = agent(hmds[i]);
    hmd.children = agents(children);
    hmd.child_sockets = 1;
  }
}

void plan(Planner& p) {
  const GpuConfig& c = p.config();
  std::vector<Part> parts;
  for (std::uint32_t g = 0; g < c.system.gpus; ++g) parts.push_back(add_part(p, g));
  // The host's blocks of a platform with one GPU are in its module, as the page tables are.
  const std::uint32_t node = c.system.gpus == 1 ? parts.front().gpu.node : 0;
  std::vector<PlannedBlockId> hmds;
  for (std::uint32_t i = 0; i < c.system.channels; ++i) {
    const PlannedBlockId dram = p.add(BlockKind::kDram, numbered("dram", i), node, 0, 1, 0);
    hmds.push_back(p.add(BlockKind::kHmd, numbered("hmd", i), node, 0, 0, 1));
    p.link({hmds.back(), 0}, {dram, 0});
  }
  const PlannedBlockId link = p.add(BlockKind::kCoherenceLink, "host_link", node, 0, 0, 0);
  for (const Part& part : parts) place(p, part, hmds);
  join(p, parts, hmds, link);
  std::vector<Planner::Gpu> gpus;
  for (const Part& part : parts) gpus.push_back(part.gpu);
  p.add_page_tables(node, gpus);
  p.add_dispatcher(node);
}

void report(Planner& p) {
  const umh::CoherenceLinkConfig& link = p.config().hierarchy.link;
  const double one = static_cast<double>(link.clock_hz) * link.bytes_per_cycle;
  const double all = one * (link.shared ? 1 : p.config().system.gpus);
  p.report_traffic({"host_link", all, all, true});
}

}  // namespace

/// One coherent memory for the host and its GPUs (UMH figure 4). The GPUs' memory is a cache of the
/// host's: an SMD in front of each stack, an HMD in front of each host channel. Secondary blocks go
/// to a GPU's stacks, and to the host's channels, in turn.
///
///   l1_[i] -> l2_[j] -> smd[j] (-> stack[j]) -> host_link -> hmd[block] -> dram[channel]
///
/// Without umh.gpu_memory (zero-copy), an L2 miss goes to the host:
///
///   l1_[i] -> l2_[j] -> host_link -> hmd[block] -> dram[channel]
///
/// Free of deadlock: docs/systems/umh.md.
Shape unified_hierarchy_shape() {
  Shape s;
  s.name = "unified-hierarchy";
  s.partitions = [](const SystemConfig&) -> std::uint32_t { return 1; };
  s.divides = divides;
  s.validate = validate;
  s.plan = plan;
  s.report = report;
  s.reads = {"umh.", "dispatch.gpu_latency_ns"};
  s.host_memory = true;
  return s;
}

}  // namespace tessera
