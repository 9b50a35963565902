// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "platforms/topology/coherent_part.h"
#include "platforms/topology/shape.h"
#include "platforms/topology/system_facts.h"

namespace tessera::topology::unified_hierarchy {

namespace {

bool divides(const GpuConfig& c, std::vector<std::string>& errors) {
  return divides_coherent(c, "unified-hierarchy", errors);
}

void validate(const GpuConfig& c, std::vector<std::string>& errors) {
  check_coherent(c, errors);
  if (!errors.empty()) return;
  const SystemConfig& s = c.system;
  const auto map = make_address_map(s.address_map, facts_of(c), c.address_map);
  if (c.hierarchy.partitioned && map->page_homes() > 1 && s.channels != c.hierarchy.stacks) {
    errors.push_back("umh.partitioned with system.address_map " + s.address_map +
                     " needs system.channels equal to umh.stacks: a page's channel then names its "
                     "partition");
  }
  for (std::uint64_t block = 0; block < std::uint64_t{2} * s.channels; ++block) {
    for (const std::uint64_t byte :
         {std::uint64_t{0}, std::uint64_t{c.hierarchy.block_bytes} - 1}) {
      if (map->locate(block * c.hierarchy.block_bytes + byte).channel.value == block % s.channels) {
        continue;
      }
      errors.push_back(
          "secondary blocks (umh.block_bytes) must go to the host's channels in turn: set "
          "system.address_map gpu-interleave, and address_map.gpu-interleave.interleave_bytes to "
          "umh.block_bytes (" +
          std::to_string(c.hierarchy.block_bytes) + ")");
      return;
    }
  }
}

CoherentPart add_part(Planner& p, std::uint32_t number) {
  const UmhConfig& h = p.config().hierarchy;
  CoherentPart part = add_coherent_part(p, number);
  const std::uint32_t node = part.gpu.node;
  for (std::uint32_t j = 0; h.gpu_memory && j < h.stacks; ++j) {
    part.smds.push_back(p.add("smd", numbered("smd", j), node, number, 0, 1));
    p.link({part.smds.back(), 0}, {p.add("stack", numbered("stack", j), node, number, 1, 0), 0});
  }
  add_cores(p, part);
  return part;
}

/// Lines of a secondary block, which go to one HMD together.
std::uint64_t block_lines(const Planner& p) {
  return p.config().hierarchy.block_bytes / umh::kLineBytes;
}

/// Places of a GPU's caches. Its SMDs have one socket to the link.
void place(Planner& p, const CoherentPart& part, const std::vector<PlannedBlockId>& hmds) {
  place_l1s(p, part, 1);
  for (unsigned j = 0; j < part.l2s.size(); ++j) {
    umh::CoherenceSite& l2 = p.place(part.l2s[j]);
    l2.parents = part.smds.empty() ? agents(hmds) : agents({part.smds[j]});
    l2.parent_lines = block_lines(p);
    if (part.smds.empty()) continue;
    umh::CoherenceSite& smd = p.place(part.smds[j]);
    smd.self = agent(part.smds[j]);
    smd.parents = agents(hmds);
    smd.parent_lines = block_lines(p);
    smd.children = {agent(part.l2s[j])};
    smd.parent_sockets = smd.child_sockets = 1;
    smd.sockets = {{agent(part.l2s[j]), 1}};
    p.link_coherence({part.l2s[j], 0}, {part.smds[j], 0});
  }
}

/// The link between the GPUs and the HMDs, and the places of the HMDs.
void join(Planner& p, const std::vector<CoherentPart>& parts,
          const std::vector<PlannedBlockId>& hmds, PlannedBlockId link) {
  umh::CoherenceLinkEnds& ends = p.link_place(link);
  ends.parent_sockets = static_cast<unsigned>(hmds.size());
  ends.mask_granularity = p.config().hierarchy.mask_granularity;
  std::vector<PlannedBlockId> children;
  for (const CoherentPart& part : parts) {
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
    umh::CoherenceSite& hmd = p.place(hmds[i]);
    hmd.self = agent(hmds[i]);
    hmd.children = agents(children);
    hmd.child_sockets = 1;
  }
}

/// A cache of the CPU with its parents and its children, one socket each.
void place_cpu_cache(Planner& p, PlannedBlockId id, const std::vector<PlannedBlockId>& parents,
                     const std::vector<PlannedBlockId>& children) {
  umh::CoherenceSite& place = p.place(id);
  place.self = agent(id);
  place.parents = agents(parents);
  place.parent_lines = block_lines(p);
  place.children = agents(children);
  place.parent_sockets = static_cast<unsigned>(parents.size());
  place.child_sockets = static_cast<unsigned>(children.size());
  for (unsigned i = 0; i < parents.size(); ++i) place.sockets.emplace_back(agent(parents[i]), i);
  for (unsigned i = 0; i < children.size(); ++i) {
    place.sockets.emplace_back(agent(children[i]), place.parent_sockets + i);
  }
}

/// The CPU's cores and caches. Its LLC is the last child of each HMD.
void add_cpu(Planner& p, std::uint32_t node, const std::vector<PlannedBlockId>& hmds) {
  const std::uint32_t cores = p.config().hierarchy.cpu.cores;
  if (cores == 0) return;
  const PlannedBlockId llc = p.add("cpu_llc", "cpu_llc", node, 0, 0, 0);
  std::vector<PlannedBlockId> l2s;
  for (std::uint32_t i = 0; i < cores; ++i) {
    l2s.push_back(p.add("cpu_l2", numbered("cpu_l2_", i), node, 0, 0, 0));
  }
  place_cpu_cache(p, llc, hmds, l2s);
  for (std::uint32_t i = 0; i < cores; ++i) {
    const PlannedBlockId l1 = p.add("cpu_l1", numbered("cpu_l1_", i), node, 0, 1, 0);
    place_cpu_cache(p, l2s[i], {llc}, {l1});
    place_cpu_cache(p, l1, {l2s[i]}, {});
    p.link({p.add("cpu_core", numbered("cpu", i), node, 0, 0, 1), 0}, {l1, 0});
    p.link_coherence({l1, 0}, {l2s[i], 0});
    p.link_coherence({l2s[i], 0}, {llc, i});
  }
  for (unsigned i = 0; i < hmds.size(); ++i) {
    umh::CoherenceSite& hmd = p.place(hmds[i]);
    hmd.children.push_back(agent(llc));
    hmd.child_sockets = 2;
    hmd.sockets.emplace_back(agent(llc), 1);
    p.link_coherence({llc, i}, {hmds[i], 1});
  }
}

void plan(Planner& p) {
  const GpuConfig& c = p.config();
  std::vector<CoherentPart> parts;
  for (std::uint32_t g = 0; g < c.system.gpus; ++g) parts.push_back(add_part(p, g));
  // The host's blocks are beside the page tables.
  const std::uint32_t node = p.common_node();
  std::vector<PlannedBlockId> hmds;
  for (std::uint32_t i = 0; i < c.system.channels; ++i) {
    const PlannedBlockId dram = p.add("dram", numbered("dram", i), node, 0, 1, 0);
    hmds.push_back(p.add("hmd", numbered("hmd", i), node, 0, 0, 1));
    p.link({hmds.back(), 0}, {dram, 0});
  }
  const PlannedBlockId link = p.add("coherence_link", "host_link", node, 0, 0, 0);
  for (const CoherentPart& part : parts) place(p, part, hmds);
  join(p, parts, hmds, link);
  add_cpu(p, node, hmds);
  add_host(p, node, parts);
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
/// The CPU (umh.cpu.cores):
///
///   cpu[k] -> cpu_l1_[k] -> cpu_l2_[k] -> cpu_llc -> hmd[block] -> dram[channel]
///
/// Free of deadlock: docs/systems/umh.md.
const bool kRegistered = register_shape([] {
  Shape s;
  s.order = 5;
  s.name = "unified-hierarchy";
  s.partitions = [](const SystemConfig&) -> std::uint32_t { return 1; };
  s.divides = divides;
  s.validate = validate;
  s.plan = plan;
  s.report = [](Planner& p) {
    const UmhConfig& h = p.config().hierarchy;
    report_coherent(p, h.gpu_memory ? &h.stack : nullptr);
  };
  s.reads = {"umh.cpu.",
             "umh.gpu_memory",
             "umh.smd",
             "umh.stack.",
             "umh.stack_bytes",
             "umh.peer_transfer",
             "umh.flushed",
             "umh.synchronisation",
             "umh.",
             "dispatch.gpu_latency_ns"};
  s.joins_gpus = true;
  s.host_memory = true;
  return s;
}());

}  // namespace tessera::topology::unified_hierarchy
