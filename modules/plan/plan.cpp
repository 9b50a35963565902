// SPDX-License-Identifier: Apache-2.0
#include "modules/plan/plan.h"

#include <algorithm>

#include "common/json.h"
#include "modules/plan/block_kind.h"

namespace tessera {

using nlohmann::ordered_json;

const PlannedNode& PlatformPlan::scope_of(const PlannedBlock& block) const {
  const PlannedNode* node = &nodes[block.node];
  while (node->level > NodeLevel::kGpu) node = &nodes[node->parent];
  return *node;
}

const PlannedNode& PlatformPlan::shared_scope() const {
  const PlannedNode& first = scope_of(blocks.front());
  const bool all = std::all_of(blocks.begin(), blocks.end(),
                               [&](const PlannedBlock& b) { return &scope_of(b) == &first; });
  return all ? first : nodes.front();
}

std::string PlatformPlan::path_of(const PlannedBlock& block) const {
  return scope_of(block).name + "." + block.name;
}

bool PlatformPlan::has(std::string_view kind) const {
  return std::any_of(blocks.begin(), blocks.end(),
                     [kind](const PlannedBlock& b) { return b.kind == kind; });
}

std::vector<const PlannedBlock*> PlatformPlan::of_kind(std::string_view kind) const {
  std::vector<const PlannedBlock*> found;
  for (const PlannedBlock& b : blocks) {
    if (b.kind == kind) found.push_back(&b);
  }
  return found;
}

const PlannedBlock* PlatformPlan::find(std::string_view path) const {
  for (const PlannedBlock& b : blocks) {
    if (path.size() > b.name.size() &&
        path.compare(path.size() - b.name.size(), b.name.size(), b.name) == 0 &&
        path_of(b) == path) {
      return &b;
    }
  }
  return nullptr;
}

std::string PlatformPlan::traffic_of(const PlannedLink& link) const {
  const PlannedBlock& from = blocks[link.from];
  const PlannedBlock& to = blocks[link.to];
  for (const PlannedBlock* b : {&from, &to}) {
    if (const auto* in = std::any_cast<PlannedInLink>(&b->details)) return in->traffic;
  }
  const LinkTraffic& egress = kind_of(from).egress;
  const LinkTraffic& ingress = kind_of(to).ingress;
  const bool leaves = egress.priority >= ingress.priority;
  const PlannedBlock& named = leaves ? from : to;
  if (kind_of(named).traffic) return kind_of(named).traffic(named);
  const std::string& name = leaves ? egress.name : ingress.name;
  return name.empty() ? "translation" : name;
}

ordered_json PlatformPlan::to_json() const {
  ordered_json d;
  for (const PlannedNode& n : nodes) {
    ordered_json node = {{"name", n.name}, {"level", name_of(n.level)}};
    if (&n != nodes.data()) node["parent"] = nodes[n.parent].name;
    d["nodes"].push_back(std::move(node));
  }
  for (const PlannedBlock& b : blocks) {
    ordered_json block = {{"name", path_of(b)},
                          {"kind", b.kind},
                          {"node", nodes[b.node].name},
                          {"inputs", b.inputs},
                          {"outputs", b.outputs}};
    if (kind_of(b).print) kind_of(b).print(b, block);
    d["blocks"].push_back(std::move(block));
  }
  for (const PlannedLink& l : links) {
    d["links"].push_back({{"from", path_of(blocks[l.from])},
                          {"output", l.output},
                          {"to", path_of(blocks[l.to])},
                          {"input", l.input},
                          {"traffic", traffic_of(l)}});
  }
  for (const PlannedLink& l : coherence) {
    d["coherence"].push_back({{"child", path_of(blocks[l.from])},
                              {"parent_socket", l.output},
                              {"parent", path_of(blocks[l.to])},
                              {"child_socket", l.input}});
  }
  for (const PlannedTraffic& t : traffic) {
    d["traffic"].push_back({{"name", t.name},
                            {"request_gb_per_s", t.request_peak / 1e9},
                            {"response_gb_per_s", t.response_peak / 1e9}});
  }
  return d;
}

}  // namespace tessera
