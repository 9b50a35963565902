// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/node_level.h"
#include "modules/noc/mesh_config.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/ring_config.h"
#include "modules/plan/plan.h"

namespace tessera {

/// Course of a network's links on the die, for their energy: from edge to edge of an area whose
/// sides are the die's divided by `across` and `along`; straight over a side; or beside the die.
struct NetworkSpan {
  enum class Way : std::uint8_t { kArea, kStraight, kBesideDie };
  Way way = Way::kArea;
  double across = 1;
  double along = 1;
};

/// Block type that implements a network.
enum class NetworkKind : std::uint8_t { kCrossbar, kPointToPoint, kSwitch, kRing, kMesh };
const char* name_of(NetworkKind kind);
/// The kind of block: "noc", "ring" or "mesh".
const char* block_kind_of(NetworkKind kind);

/// Details of a planned network.
struct PlannedNetwork {
  NetworkKind kind = NetworkKind::kCrossbar;
  /// Traffic class, which names its statistics and figures: "noc", "p2p", "link", "mcm", "ring",
  /// "module_ingress_xbar", "ingress_xbar", "iommu".
  std::string traffic;
  NocConfig noc;    ///< all kinds except rings and meshes
  RingConfig ring;  ///< rings
  MeshConfig mesh;  ///< meshes
  /// Level of the nodes that it connects. kPartition: it is inside a module, or inside a GPU
  /// without modules.
  NodeLevel joins = NodeLevel::kPartition;
  /// The network represents links (LinkConfig), whose settings its shape checks.
  bool of_links = false;
  /// Exit of a request, by the number of its home slice; empty if all requests take exit 0.
  std::vector<std::uint32_t> exits;
  NetworkSpan span;

  /// Bytes per second of `ports` of its ports.
  double bandwidth(std::uint32_t ports) const {
    if (kind == NetworkKind::kMesh) return mesh.bandwidth(ports);
    return kind == NetworkKind::kRing ? ring.bandwidth(ports) : noc.bandwidth(ports);
  }
};

inline const PlannedNetwork& network_of(const PlannedBlock& block) {
  return block.as<PlannedNetwork>();
}
/// All networks of a plan, in its order.
std::vector<const PlannedBlock*> networks_of(const PlatformPlan& plan);

}  // namespace tessera
