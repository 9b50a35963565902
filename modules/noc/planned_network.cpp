// SPDX-License-Identifier: Apache-2.0
#include "modules/noc/planned_network.h"

#include "modules/plan/block_kind.h"

namespace tessera {

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

const char* block_kind_of(NetworkKind kind) {
  if (kind == NetworkKind::kMesh) return "mesh";
  return kind == NetworkKind::kRing ? "ring" : "noc";
}

std::vector<const PlannedBlock*> networks_of(const PlatformPlan& plan) {
  return plan.where([](const BlockKind& k) { return k.is_network; });
}

}  // namespace tessera
