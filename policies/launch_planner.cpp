// SPDX-License-Identifier: Apache-2.0
#include "policies/launch_planner.h"

#include "policies/launch/built_in.h"
#include "policies/registry.h"

namespace tessera {

namespace {

using Factory = std::unique_ptr<LaunchPlanner> (*)();

PolicyRegistry<Factory>& registry() {
  static PolicyRegistry<Factory> all("launch planning", {{"immediate", make_immediate_planner}});
  return all;
}

}  // namespace

std::unique_ptr<LaunchPlanner> make_launch_planner(const std::string& name) {
  return registry().get(name)();
}

void register_launch_planner(const std::string& name, Factory factory) {
  registry().add(name, factory);
}

std::vector<std::string> launch_planner_names() { return registry().names(); }

}  // namespace tessera
