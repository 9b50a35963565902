// SPDX-License-Identifier: Apache-2.0
#pragma once

// A platform's tree as described by a preset: levels, outermost first.

#include <cstdint>
#include <string>
#include <vector>

#include "common/json.h"
#include "common/located_json.h"
#include "common/node_level.h"

namespace tessera {

struct SystemConfig;

/// One level. A level above the innermost connects `count` equal nodes by a network. The innermost
/// level (kPartition) has the shape of its node.
struct TreeLevel {
  NodeLevel level = NodeLevel::kPartition;
  std::uint32_t count = 1;  ///< 2 or more above the innermost level
  std::string network;      ///< "switch" or "ring"; empty in the innermost level
  std::string gateway;      ///< GPUs only: "rdma"
  std::string shape;        ///< innermost only
};

using Tree = std::vector<TreeLevel>;

/// The value of a document's key "tree". Throws InputError, with file and line, for unknown keys,
/// invalid values and invalid orders of levels.
Tree tree_from(const LocatedJson& document);
nlohmann::ordered_json to_json(const Tree& tree);

/// The tree of a configuration: `system.tree`, or the equivalent of topology, gpus and modules.
Tree tree_of(const SystemConfig& system);
/// Sets topology, gpus and modules to the values of a tree.
void apply_tree(const Tree& tree, SystemConfig& system);

/// The level of that kind; nullptr if the tree has none.
const TreeLevel* find_level(const Tree& tree, NodeLevel level);

}  // namespace tessera
