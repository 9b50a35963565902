// SPDX-License-Identifier: Apache-2.0
#pragma once

// A platform as plain data: its nodes, its blocks and their links, without SystemC. The shapes
// (platforms/topology) create it from a configuration. The builder (platforms/system.h) creates its
// sc_modules; names, unused parameters, derived figures and energy are computed from it.

#include <any>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/json_fwd.h"
#include "common/node_level.h"

namespace tessera {

struct BlockKind;

/// A node of the tree system > GPU > module > partition. Levels that a platform does not have are
/// left out, except system and GPU.
struct PlannedNode {
  std::string name;  ///< "system", "system.gpu0", "system.gpu0.module1.partition4"
  NodeLevel level = NodeLevel::kSystem;
  std::uint32_t parent = 0;  ///< 0 for the system itself
};

/// Index into PlatformPlan::blocks.
using PlannedBlockId = std::uint32_t;

struct PlannedBlock {
  std::string kind;         ///< BlockKind::name
  std::string name;         ///< of the sc_module: "llc3"
  std::uint32_t node = 0;   ///< of the block, index into PlatformPlan::nodes
  std::uint32_t gpu = 0;    ///< GPU of the block
  std::uint32_t index = 0;  ///< among the blocks of its kind
  unsigned inputs = 0;      ///< target sockets
  unsigned outputs = 0;     ///< initiator sockets
  /// What only blocks of this kind have: plain data of the type that the kind's header names.
  std::any details;

  template <class Details>
  const Details& as() const {
    return std::any_cast<const Details&>(details);
  }
  template <class Details>
  Details& as() {
    return std::any_cast<Details&>(details);
  }
};

/// Details of a block that stands in a link, with one target and one initiator socket.
struct PlannedInLink {
  std::string traffic;  ///< of the link
};

/// An initiator socket and the target socket that it is bound to.
struct PlannedLink {
  PlannedBlockId from = 0;
  unsigned output = 0;
  PlannedBlockId to = 0;
  unsigned input = 0;
};

/// A traffic class, with the peak bandwidth of its networks in each direction, in bytes per second.
struct PlannedTraffic {
  std::string name;
  double request_peak = 0;
  double response_peak = 0;
  bool directions_apart = true;  ///< false: request_peak is the figure for both directions
};

/// L1 misses that count as local.
enum class Locality : std::uint8_t {
  kNone,       ///< none: all cross the network
  kPartition,  ///< misses that the SM's own partition serves
  kGpu,        ///< misses to the SM's own GPU
};

struct PlatformPlan {
  std::vector<PlannedNode> nodes;    ///< the system first
  std::vector<PlannedBlock> blocks;  ///< in the order in which they are created and listed
  std::vector<PlannedLink> links;
  /// Coherence connections: from a child's parent socket to a parent's child socket.
  std::vector<PlannedLink> coherence;
  /// Traffic of the networks between L1s and memory, in the order in which it is reported.
  std::vector<PlannedTraffic> traffic;
  Locality locality = Locality::kNone;

  /// The parent module of a block's sc_module: its GPU, or the system.
  const PlannedNode& scope_of(const PlannedBlock& block) const;
  /// The node that contains all blocks, which names what they share: the system, or its only GPU.
  const PlannedNode& shared_scope() const;
  /// "system.gpu0.llc3": prefix of its statistics and its own settings.
  std::string path_of(const PlannedBlock& block) const;
  bool has(std::string_view kind) const;
  /// All blocks of one kind, in their order.
  std::vector<const PlannedBlock*> of_kind(std::string_view kind) const;
  /// All blocks whose kind has that property: f(kind) is true.
  template <class F>
  std::vector<const PlannedBlock*> where(F f) const;
  /// The block at a path; nullptr if there is none.
  const PlannedBlock* find(std::string_view path) const;
  /// The class of traffic on a link, of the kinds of its ends (BlockKind::ingress, ::egress);
  /// "translation" if neither has one.
  std::string traffic_of(const PlannedLink& link) const;
  nlohmann::ordered_json to_json() const;
};

}  // namespace tessera
