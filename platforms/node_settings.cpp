// SPDX-License-Identifier: Apache-2.0
#include "platforms/node_settings.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "modules/plan/block_kind.h"
#include "platforms/topology/shape.h"

namespace tessera {

namespace {

/// A setting of the blocks of a kind in a node.
struct NodeSetting {
  std::uint32_t node = 0;
  std::string kind;
  std::string parameter;  ///< with its dot
  ParameterSetting setting;
};

/// Reads "NODE.KIND.PARAMETER"; false if the setting is not of that form.
bool read(const PlatformPlan& plan, const ParameterSetting& s, NodeSetting& out) {
  const std::size_t end_of_kind = s.path.rfind('.');
  if (end_of_kind == std::string::npos || end_of_kind == 0) return false;
  const std::size_t end_of_node = s.path.rfind('.', end_of_kind - 1);
  if (end_of_node == std::string::npos) return false;
  if (plan.find(s.path.substr(0, end_of_kind)) != nullptr) return false;  // a block's
  const std::string node = s.path.substr(0, end_of_node);
  const auto found = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                  [&node](const PlannedNode& n) { return n.name == node; });
  out.kind = s.path.substr(end_of_node + 1, end_of_kind - end_of_node - 1);
  if (found == plan.nodes.end() || !plan.has(out.kind)) return false;
  out.node = static_cast<std::uint32_t>(found - plan.nodes.begin());
  out.parameter = s.path.substr(end_of_kind);
  out.setting = s;
  return true;
}

bool contains(const PlatformPlan& plan, std::uint32_t node, std::uint32_t inner) {
  while (inner != node && inner != 0) inner = plan.nodes[inner].parent;
  return inner == node;
}

}  // namespace

std::map<std::string, std::string> apply_node_settings(ResolvedConfig& config) {
  std::map<std::string, std::string> examples;
  if (config.overrides.empty()) return examples;
  const PlatformPlan plan = plan_of(config.gpu);
  std::vector<ParameterSetting> of_blocks;
  std::vector<NodeSetting> of_nodes;
  for (ParameterSetting& s : config.overrides) {
    NodeSetting n;
    if (read(plan, s, n)) {
      of_nodes.push_back(std::move(n));
    } else {
      of_blocks.push_back(std::move(s));
    }
  }
  // Which setting a block's parameter gets, by the setting's path.
  std::map<std::string, std::string> prevails;
  for (const ParameterSetting& s : of_blocks) prevails.emplace(s.path, s.path);
  std::stable_sort(of_nodes.begin(), of_nodes.end(),
                   [&plan](const NodeSetting& a, const NodeSetting& b) {
                     return plan.nodes[a.node].level > plan.nodes[b.node].level;
                   });
  for (const NodeSetting& n : of_nodes) {
    bool any = false;
    for (const PlannedBlock* b : plan.of_kind(n.kind)) {
      if (!contains(plan, n.node, b->node)) continue;
      any = true;
      ParameterSetting s = n.setting;
      s.path = plan.path_of(*b) + n.parameter;
      if (prevails.emplace(s.path, n.setting.path).first->second == n.setting.path) {
        examples[n.setting.path] = s.path;
        of_blocks.push_back(std::move(s));
      }
    }
    // Such blocks are elsewhere: check_instances() refuses it.
    if (!any) of_blocks.push_back(n.setting);
  }
  config.overrides = std::move(of_blocks);
  return examples;
}

}  // namespace tessera
