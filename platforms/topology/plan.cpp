// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology/plan.h"

#include <algorithm>
#include <iterator>

namespace tessera {

using nlohmann::ordered_json;

const char* name_of(BlockKind kind) {
  static constexpr const char* kNames[] = {
      "page_migrator", "mdr",    "line_sharing",   "decision",       "dram",
      "llc",           "l1",     "probe",          "network",        "rdma",
      "remote_cache",  "fabric", "long_link",      "l2_tlb",         "walker",
      "uvm",           "sm",     "dispatcher",     "coherent_cache", "smd",
      "stack",         "hmd",    "coherence_link", "partition_link", "cpu_llc",
      "cpu_l2",        "cpu_l1", "cpu_core"};
  static_assert(std::size(kNames) == kPlannedKinds);
  return kNames[static_cast<std::size_t>(kind)];
}

const char* name_of(NetworkKind kind) {
  switch (kind) {
    case NetworkKind::kCrossbar:
      return "crossbar";
    case NetworkKind::kPointToPoint:
      return "point-to-point";
    case NetworkKind::kSwitch:
      return "switch";
    case NetworkKind::kMesh:
      return "mesh";
    case NetworkKind::kRing:
      break;
  }
  return "ring";
}

const PlannedNode& PlatformPlan::scope_of(const PlannedBlock& block) const {
  const PlannedNode* node = &nodes[block.node];
  while (node->level > NodeLevel::kGpu) node = &nodes[node->parent];
  return *node;
}

std::string PlatformPlan::path_of(const PlannedBlock& block) const {
  return scope_of(block).name + "." + block.name;
}

bool PlatformPlan::has(BlockKind kind) const {
  return std::any_of(blocks.begin(), blocks.end(),
                     [kind](const PlannedBlock& b) { return b.kind == kind; });
}

std::vector<const PlannedBlock*> PlatformPlan::of_kind(BlockKind kind) const {
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
    if (b->kind == BlockKind::kFabric) return "fabric";
  }
  // The links at the outputs and at the inputs of a network carry its traffic.
  if (from.kind == BlockKind::kNetwork) return from.network.traffic;
  if (to.kind == BlockKind::kNetwork) return to.network.traffic;
  if (to.kind == BlockKind::kProbe) return "miss";
  if (to.kind == BlockKind::kDram || to.kind == BlockKind::kStack) return "memory";
  if (from.kind == BlockKind::kSm && to.kind == BlockKind::kL1) return "l1";
  if (from.kind == BlockKind::kRemoteCache) return "rdma";
  return "translation";
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
                          {"kind", name_of(b.kind)},
                          {"node", nodes[b.node].name},
                          {"inputs", b.inputs},
                          {"outputs", b.outputs}};
    if (b.kind == BlockKind::kLlc) block["role"] = b.role;
    if (b.kind == BlockKind::kNetwork) {
      block["network"] = name_of(b.network.kind);
      block["traffic"] = b.network.traffic;
      block["egress_by_home_slice"] = b.network.exits;
    }
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
