// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "platforms/simulation.h"

namespace tessera {

/// Replaces each setting of a node ("system.gpu1.llc.ways",
/// "system.gpu0.module1.partition4.llc.ways") by settings of the node's blocks of that kind. A
/// setting of a block, and of an inner node, prevails over that of a node which contains it.
/// Returns, by the path of each setting of a node, the path of one of the settings that replace it.
std::map<std::string, std::string> apply_node_settings(ResolvedConfig& config);

}  // namespace tessera
