// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "platforms/topology/coherent_part.h"
#include "platforms/topology/shape.h"
#include "platforms/topology/system_facts.h"

namespace tessera::topology::gpu_ranges {

namespace {

bool divides(const GpuConfig& c, std::vector<std::string>& errors) {
  return divides_coherent(c, "gpu-ranges", errors);
}

/// Whether the lines of a GPU's memory go to its stacks in turn, as its L2s are used.
bool lines_alternate(const GpuConfig& c, std::uint64_t first_byte, std::uint32_t first_channel) {
  const auto map = make_address_map(c.system.address_map, facts_of(c), c.address_map);
  const std::uint32_t stacks = c.hierarchy.stacks;
  for (std::uint64_t block = 0; block < std::uint64_t{2} * stacks; ++block) {
    const std::uint64_t first = first_byte + block * c.hierarchy.block_bytes;
    for (const std::uint64_t byte : {first, first + c.hierarchy.block_bytes - 1}) {
      if (map->locate(byte).channel.value != first_channel + block % stacks) return false;
    }
  }
  return true;
}

void validate(const GpuConfig& c, std::vector<std::string>& errors) {
  check_coherent(c, errors);
  const SystemConfig& s = c.system;
  if (s.channels != s.gpus * c.hierarchy.stacks) {
    errors.emplace_back(
        "topology gpu-ranges needs umh.stacks channels a GPU: system.channels must "
        "be system.gpus x umh.stacks");
  }
  if (!errors.empty()) return;
  const std::uint64_t gpu_bytes = geometry_of(c).total_bytes() / s.gpus;
  for (std::uint32_t g = 0; g < s.gpus; ++g) {
    if (lines_alternate(c, g * gpu_bytes, g * c.hierarchy.stacks)) continue;
    errors.emplace_back(
        "the blocks (umh.block_bytes) of a GPU's memory must go to its stacks in turn: set "
        "system.address_map gpu-interleave, and its interleave_bytes to umh.block_bytes");
    return;
  }
}

/// A GPU with a directory in front of each of its channels.
struct Part {
  CoherentPart caches;
  std::vector<PlannedBlockId> homes;
};

Part add_part(Planner& p, std::uint32_t number) {
  Part part{add_coherent_part(p, number), {}};
  const std::uint32_t node = part.caches.gpu.node;
  for (std::uint32_t j = 0; j < p.config().hierarchy.stacks; ++j) {
    part.homes.push_back(p.add("hmd", numbered("hmd", j), node, number, 0, 1));
    p.link({part.homes.back(), 0}, {p.add("dram", numbered("stack", j), node, number, 1, 0), 0});
  }
  add_cores(p, part.caches);
  return part;
}

/// Connects L2 j of each GPU to directory j of each GPU: to its own GPU's directly, to the others
/// by the link.
void join(Planner& p, const std::vector<Part>& parts, PlannedBlockId link) {
  const GpuConfig& c = p.config();
  const auto gpus = static_cast<unsigned>(parts.size());
  const std::uint32_t stacks = c.hierarchy.stacks;
  umh::CoherenceLinkEnds& ends = p.link_place(link);
  ends.parent_sockets = gpus * stacks;
  ends.mask_granularity = c.hierarchy.mask_granularity;
  for (unsigned g = 0; g < gpus; ++g) {
    place_l1s(p, parts[g].caches, 2);
    for (unsigned j = 0; j < stacks; ++j) {
      const PlannedBlockId l2 = parts[g].caches.l2s[j];
      const PlannedBlockId home = parts[g].homes[j];
      const unsigned end = g * stacks + j;
      p.link_coherence({l2, 0}, {home, 0});
      p.link_coherence({l2, 1}, {link, end});
      p.link_coherence({link, end}, {home, 1});
      ends.sockets.emplace_back(agent(home), end);
      ends.sockets.emplace_back(agent(l2), ends.parent_sockets + end);
      ends.device_of_parent.push_back(g);
      ends.device_of_child.push_back(g);
      umh::CoherenceSite& cache = p.place(l2);
      umh::CoherenceSite& directory = p.place(home);
      cache.parent_lines = geometry_of(c).total_bytes() / gpus / umh::kLineBytes;
      directory.self = agent(home);
      directory.child_sockets = 2;
      for (unsigned other = 0; other < gpus; ++other) {
        const PlannedBlockId other_home = parts[other].homes[j];
        const PlannedBlockId other_l2 = parts[other].caches.l2s[j];
        cache.parents.push_back(agent(other_home));
        cache.sockets.emplace_back(agent(other_home), other == g ? 0 : 1);
        directory.children.push_back(agent(other_l2));
        directory.sockets.emplace_back(agent(other_l2), other == g ? 0 : 1);
      }
    }
  }
}

void plan(Planner& p) {
  const GpuConfig& c = p.config();
  std::vector<Part> parts;
  for (std::uint32_t g = 0; g < c.system.gpus; ++g) parts.push_back(add_part(p, g));
  const std::uint32_t node = p.common_node();
  join(p, parts, p.add("coherence_link", "host_link", node, 0, 0, 0));
  std::vector<CoherentPart> gpus;
  for (const Part& part : parts) gpus.push_back(part.caches);
  add_host(p, node, gpus);
}

}  // namespace

/// GPUs whose memories hold the data, each a range of the addresses (UMH section 3.1.2, memcpy).
/// Each stack has a directory of its lines. An L2 fetches lines of its own GPU's memory directly,
/// and lines of another GPU's memory by the link, one at a time.
///
///   l1_[i] -> l2_[j] -> hmd[j] -> stack[j]
///   l1_[i] -> l2_[j] -> host_link -> hmd[j] -> stack[j]      [of another GPU]
///
/// Free of deadlock: docs/systems/umh.md.
const bool kRegistered = register_shape([] {
  Shape s;
  s.order = 6;
  s.name = "gpu-ranges";
  s.partitions = [](const SystemConfig&) -> std::uint32_t { return 1; };
  s.divides = divides;
  s.validate = validate;
  s.plan = plan;
  s.report = [](Planner& p) { report_coherent(p, &p.config().dram); };
  s.reads = {"umh.", "dispatch.gpu_latency_ns"};
  s.joins_gpus = true;
  return s;
}());

}  // namespace tessera::topology::gpu_ranges
