// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/memory/dram_config.h"
#include "platforms/topology/planner.h"

namespace tessera {

// Common parts of the shapes with a coherent hierarchy.

inline umh::AgentId agent(PlannedBlockId block) { return static_cast<umh::AgentId>(block); }
std::vector<umh::AgentId> agents(const std::vector<PlannedBlockId>& blocks);

/// A GPU's part of a coherent hierarchy, from its L1s to its stacks.
struct CoherentPart {
  Planner::Gpu gpu;
  std::vector<PlannedBlockId> l2s;
  std::optional<PlannedBlockId> partition_link;
  std::vector<PlannedBlockId> smds;  ///< none unless the stacks cache other memory

  /// The blocks at the link.
  const std::vector<PlannedBlockId>& ends() const { return smds.empty() ? l2s : smds; }
};

/// Adds GPU `number` with its L1s, its L2s, one per stack, and the link of its partitions.
CoherentPart add_coherent_part(Planner& p, std::uint32_t number);
/// Adds the blocks between a GPU's SMs and the page tables, and the SMs.
void add_cores(Planner& p, CoherentPart& part);
/// Sets the places of the L1s, and those of the L2s but for their parents, whose sockets come
/// first. Connects them, with a partition link if the GPU has partitions.
void place_l1s(Planner& p, const CoherentPart& part, unsigned l2_parent_sockets);
/// Adds the page tables and the dispatcher, at `node`.
void add_host(Planner& p, std::uint32_t node, const std::vector<CoherentPart>& parts);
/// Reports the traffic of the links between GPUs and host, and of the GPUs' stacks. `stack`: a
/// stack's channel; nullptr without stacks.
void report_coherent(Planner& p, const DramConfig* stack);

/// Appends the errors that all these shapes find: lines, slices, directories, migration.
void check_coherent(const GpuConfig& config, std::vector<std::string>& errors);
/// Appends an error if the shape's nodes cannot be divided. `name`: of the shape.
bool divides_coherent(const GpuConfig& config, const std::string& name,
                      std::vector<std::string>& errors);

}  // namespace tessera
