// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology/coherent_part.h"

#include <utility>

#include "common/legal_values.h"
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
    gpu.l1s.push_back(p.add("coherent_l1", numbered("l1_", i), gpu.node, number, 1, 0));
  }
  for (std::uint32_t j = 0; j < p.config().hierarchy.stacks; ++j) {
    part.l2s.push_back(p.add("coherent_cache", numbered("l2_", j), gpu.node, number, 0, 0));
  }
  if (p.config().hierarchy.partitioned) {
    part.partition_link = p.add("partition_link", "partition_link", gpu.node, number, 0, 0);
  }
  return part;
}

void add_cores(Planner& p, CoherentPart& part) {
  p.add_l2_tlb(part.gpu);
  p.add_sms(part.gpu);
}

namespace {

/// Connects an L1 and an L2, which already have their agents.
void connect(Planner& p, PlannedBlockId l1, PlannedBlockId l2) {
  umh::CoherenceSite& upper = p.place(l1);
  umh::CoherenceSite& lower = p.place(l2);
  upper.sockets.emplace_back(agent(l2), upper.parent_sockets);
  lower.sockets.emplace_back(agent(l1), lower.parent_sockets + lower.child_sockets);
  p.link_coherence({l1, upper.parent_sockets++}, {l2, lower.child_sockets++});
}

/// Connects each L1 to the L2 of its partition directly, and to the others by a link.
void connect_partitions(Planner& p, const CoherentPart& part) {
  const std::vector<PlannedBlockId>& l1s = part.gpu.l1s;
  const auto partitions = static_cast<unsigned>(part.l2s.size());
  const PlannedBlockId link = *part.partition_link;
  umh::CoherenceLinkEnds& ends = p.link_place(link);
  ends.parent_sockets = partitions;
  ends.mask_granularity = p.config().hierarchy.mask_granularity;
  const auto partition_of = [&](unsigned i) {
    return i / (static_cast<unsigned>(l1s.size()) / partitions);
  };
  for (unsigned i = 0; i < l1s.size(); ++i) connect(p, l1s[i], part.l2s[partition_of(i)]);
  for (unsigned j = 0; j < partitions; ++j) {
    umh::CoherenceSite& l2 = p.place(part.l2s[j]);
    for (unsigned i = 0; i < l1s.size(); ++i) {
      if (partition_of(i) == j) continue;
      p.place(l1s[i]).sockets.emplace_back(agent(part.l2s[j]), 1);
      l2.sockets.emplace_back(agent(l1s[i]), l2.parent_sockets + l2.child_sockets);
    }
    p.link_coherence({link, j}, {part.l2s[j], l2.child_sockets++});
    ends.sockets.emplace_back(agent(part.l2s[j]), j);
    ends.device_of_parent.push_back(j);
  }
  for (unsigned i = 0; i < l1s.size(); ++i) {
    p.link_coherence({l1s[i], p.place(l1s[i]).parent_sockets++}, {link, i});
    ends.sockets.emplace_back(agent(l1s[i]), partitions + i);
    ends.device_of_child.push_back(partition_of(i));
  }
}

}  // namespace

void place_l1s(Planner& p, const CoherentPart& part, unsigned l2_parent_sockets) {
  for (const PlannedBlockId id : part.gpu.l1s) {
    umh::CoherenceSite& l1 = p.place(id);
    l1.self = agent(id);
    l1.parents = agents(part.l2s);
    l1.parent_lines = p.config().hierarchy.block_bytes / umh::kLineBytes;
  }
  for (const PlannedBlockId id : part.l2s) {
    umh::CoherenceSite& l2 = p.place(id);
    l2.self = agent(id);
    l2.children = agents(part.gpu.l1s);
    l2.parent_sockets = l2_parent_sockets;
  }
  if (part.partition_link) {
    connect_partitions(p, part);
    return;
  }
  for (const PlannedBlockId l1 : part.gpu.l1s) {
    for (const PlannedBlockId l2 : part.l2s) connect(p, l1, l2);
  }
}

void add_host(Planner& p, std::uint32_t node, const std::vector<CoherentPart>& parts) {
  std::vector<Planner::Gpu> gpus;
  for (const CoherentPart& part : parts) gpus.push_back(part.gpu);
  p.add_page_tables(node, gpus);
  p.add_dispatcher(node);
}

void report_coherent(Planner& p, const DramConfig* stack) {
  const UmhConfig& h = p.config().hierarchy;
  const std::uint32_t gpus = p.config().system.gpus;
  const double one = static_cast<double>(h.link.clock_hz) * h.link.bytes_per_cycle;
  const double links = one * (h.link.shared ? 1 : gpus);
  p.report_traffic({"host_link", links, links, true});
  if (stack == nullptr) return;
  const double stacks =
      static_cast<double>(stack->clock_hz) * stack->bus_bytes_per_clock * h.stacks * gpus;
  p.report_traffic({"stacks", stacks, stacks, false});
}

bool divides_coherent(const GpuConfig& c, const std::string& name,
                      std::vector<std::string>& errors) {
  if (c.system.modules != 1) {
    errors.push_back("topology " + name + " has no modules: system.modules must be 1");
    return false;
  }
  if (find_level(tree_of(c.system), NodeLevel::kGpu) != nullptr) {
    errors.push_back("topology " + name +
                     " joins its GPUs itself: set system.gpus instead of a level gpu");
    return false;
  }
  const std::uint32_t sms = c.system.sms / c.system.gpus;
  if (c.hierarchy.partitioned && (sms == 0 || sms % c.hierarchy.stacks != 0)) {
    errors.push_back("umh.partitioned needs an equal part of a GPU's SMs (" + std::to_string(sms) +
                     ") for each of umh.stacks (" + std::to_string(c.hierarchy.stacks) +
                     ") partitions" +
                     (sms == 0 ? "" : ": umh.stacks of " + near_divisors(c.hierarchy.stacks, sms)));
    return false;
  }
  return true;
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
    errors.push_back("a directory has at most 64 children: the SMs of a GPU (" +
                     std::to_string(s.sms / s.gpus) + ", system.sms of " +
                     std::to_string(64 * s.gpus) +
                     " at most), or the LLC and the stacks of all GPUs (umh.stacks of " +
                     std::to_string(63 / s.gpus) + " at most)");
  }
  if (c.migration.policy != "none") {
    errors.emplace_back("migration.policy must be none: blocks move to the GPUs by themselves");
  }
}

}  // namespace tessera
