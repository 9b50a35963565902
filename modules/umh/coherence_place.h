// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "modules/umh/coherence_message.h"

namespace tessera::umh {

/// A cache's or a directory's place in the hierarchy.
struct CoherencePlace {
  AgentId self = kNoAgent;
  std::vector<AgentId> parents;   ///< by block, in turn
  std::vector<AgentId> children;  ///< their positions in the directory
  unsigned parent_sockets = 0;
  unsigned child_sockets = 0;
  /// The socket of an agent: parent sockets come first. An agent that is not listed: socket 0.
  std::vector<std::pair<AgentId, unsigned>> sockets;
};

/// The ends of a CoherenceLink. Sockets are numbered as in CoherencePlace: parents first.
struct CoherenceLinkPlace {
  unsigned parent_sockets = 0;            ///< to HMDs
  std::vector<unsigned> device_of_child;  ///< by child socket: the device of the SMD
  std::uint32_t mask_granularity = 4;
  std::vector<std::pair<AgentId, unsigned>> sockets;  ///< of every agent
};

}  // namespace tessera::umh
