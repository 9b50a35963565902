// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tessera {

/// The values of system.topology, in the order in which they are listed: names of the shapes of
/// platforms/topology, each added when its shape is registered.
std::vector<std::string> topology_names();
/// Names of a lower `order` are listed first; names of the same order, as they were added.
void add_topology_name(const std::string& name, int order);
/// The first name.
std::string default_topology();

}  // namespace tessera
