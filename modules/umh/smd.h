// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "modules/umh/coherence_config.h"
#include "modules/umh/coherent_cache.h"

namespace tessera::umh {

/// Stacked memory directory of one DRAM stack (UMH section 5): a CoherentCache of secondary blocks
/// whose only child is the L2 of the stack. The owner bit of a line is its directory entry.
class Smd final : public CoherentCache {
 public:
  /// `hmds`: HMD of each block, in turn.
  Smd(const SmdConfig& config, AgentId self, CoherenceNetwork& network, std::vector<AgentId> hmds,
      AgentId l2)
      : CoherentCache(config.cache(), self, network, std::move(hmds), {l2},
                      config.block_bytes / kLineBytes) {}
  /// `transitions`: in place of Table II with SmdConfig::owned_read.
  Smd(const SmdConfig& config, AgentId self, CoherenceNetwork& network, std::vector<AgentId> hmds,
      AgentId l2, const TransitionTable& transitions)
      : CoherentCache(config.cache(), self, network, std::move(hmds), {l2},
                      config.block_bytes / kLineBytes, transitions) {}

  /// Owner bit of a line: the L2 can hold it.
  bool owner_bit(std::uint64_t line) const { return directory(line).sharers != 0; }
};

}  // namespace tessera::umh
