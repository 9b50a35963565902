// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "modules/umh/coherence_message.h"

namespace tessera::umh {

/// A cache's or a directory's site in the hierarchy.
struct CoherenceSite {
  AgentId self = kNoAgent;
  std::vector<AgentId> parents;   ///< by line, `parent_lines` at a time in turn
  std::vector<AgentId> children;  ///< their positions in the directory
  unsigned parent_sockets = 0;
  unsigned child_sockets = 0;
  /// The socket of an agent: parent sockets come first. An agent that is not listed: socket 0.
  std::vector<std::pair<AgentId, unsigned>> sockets;
  std::uint64_t parent_lines = 1;  ///< lines that go to one parent together
};

/// The ends of a CoherenceLink. Sockets are numbered as in CoherenceSite: parents first. A socket
/// belongs to a device, whose link its messages take, or to the host.
struct CoherenceLinkEnds {
  unsigned parent_sockets = 0;             ///< to HMDs
  std::vector<unsigned> device_of_parent;  ///< by parent socket; empty: all are the host's
  std::vector<unsigned> device_of_child;   ///< by child socket
  std::uint32_t mask_granularity = 4;
  std::vector<std::pair<AgentId, unsigned>> sockets;  ///< of every agent
};

}  // namespace tessera::umh
