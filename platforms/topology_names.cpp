// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology_names.h"

#include <map>

namespace tessera {

namespace {

std::multimap<int, std::string>& registry() {
  static std::multimap<int, std::string> by_order;
  return by_order;
}

}  // namespace

std::vector<std::string> topology_names() {
  std::vector<std::string> names;
  for (const auto& [order, name] : registry()) names.push_back(name);
  return names;
}

void add_topology_name(const std::string& name, int order) { registry().emplace(order, name); }

std::string default_topology() { return registry().begin()->second; }

}  // namespace tessera
