// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tree of a platform, from a preset's document and from its configuration.

#include "common/json_fwd.h"
#include "common/located_json.h"
#include "platforms/system_config.h"

namespace tessera {

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
