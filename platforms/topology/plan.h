// SPDX-License-Identifier: Apache-2.0
#pragma once

// A platform as plain data: its nodes, its blocks and their links. The shapes of this folder create
// it from a configuration, without SystemC. The builder (platforms/gpu.h) creates its sc_modules;
// names, unused parameters, derived figures and energy are computed from it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/json.h"
#include "modules/noc/mesh_config.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/ring_config.h"
#include "modules/umh/coherence_place.h"
#include "platforms/topology/tree.h"

namespace tessera {

/// A node of the tree system > GPU > module > partition. Levels that a platform does not have are
/// left out, except system and GPU.
struct PlannedNode {
  std::string name;  ///< "system", "system.gpu0", "system.gpu0.module1.partition4"
  NodeLevel level = NodeLevel::kSystem;
  std::uint32_t parent = 0;  ///< 0 for the system itself
};

enum class BlockKind : std::uint8_t {
  kPageMigrator,
  kMdr,
  kSharingProfiler,
  kDecision,
  kDram,
  kLlc,
  kL1,
  kProbe,
  kNetwork,
  kRdma,
  kRemoteCache,
  kFabric,
  kLongLink,
  kL2Tlb,
  kWalker,
  kUvm,
  kSm,
  kDispatcher,
  kCoherentCache,  ///< of a coherent hierarchy, below its L1s
  kSmd,
  kStack,  ///< the DRAM channel behind an SMD
  kHmd,
  kCoherenceLink,
  kPartitionLink,  ///< a coherence link between the partitions of a GPU
  kCpuLlc,
  kCpuL2,
  kCpuL1,
  kCpuCore,
};
inline constexpr std::size_t kPlannedKinds = static_cast<std::size_t>(BlockKind::kCpuCore) + 1;
const char* name_of(BlockKind kind);

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

/// Properties of a network beside its sockets.
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

/// Index into PlatformPlan::blocks.
using PlannedBlockId = std::uint32_t;

struct PlannedBlock {
  BlockKind kind = BlockKind::kDram;
  std::string name;           ///< of the sc_module: "llc3"
  std::uint32_t node = 0;     ///< of the block, index into PlatformPlan::nodes
  std::uint32_t gpu = 0;      ///< GPU of the block
  std::uint32_t index = 0;    ///< among the blocks of its kind
  unsigned inputs = 0;        ///< target sockets
  unsigned outputs = 0;       ///< initiator sockets
  std::string role = "home";  ///< kLlc only: SliceSite::role
  /// kLlc only: number of inputs from other nodes. They follow the inputs from its own SMs.
  unsigned remote_inputs = 0;
  PlannedNetwork network;  ///< kNetwork only
  /// Caches and directories of a coherent hierarchy, L1s included: their coherence sockets, and the
  /// agents that they reach. An agent is the number of its block.
  umh::CoherencePlace coherence;
  umh::CoherenceLinkPlace coherence_link;  ///< kCoherenceLink and kPartitionLink only

  bool is_coherence_link() const {
    return kind == BlockKind::kCoherenceLink || kind == BlockKind::kPartitionLink;
  }
  bool coherent() const { return coherence.self != umh::kNoAgent; }
  /// Its sockets towards the host's memory, and those towards the processors.
  unsigned parent_sockets() const {
    return is_coherence_link() ? coherence_link.parent_sockets : coherence.parent_sockets;
  }
  unsigned child_sockets() const {
    return is_coherence_link() ? static_cast<unsigned>(coherence_link.device_of_child.size())
                               : coherence.child_sockets;
  }
};

/// An initiator socket and the target socket that it is bound to.
struct PlannedLink {
  PlannedBlockId from = 0;
  unsigned output = 0;
  PlannedBlockId to = 0;
  unsigned input = 0;
};

/// A traffic class, with the peak bandwidth of its networks in each direction, in bytes per second.
struct PlannedTraffic {
  std::string name;
  double request_peak = 0;
  double response_peak = 0;
  bool directions_apart = true;  ///< false: request_peak is the figure for both directions
};

/// L1 misses that count as local.
enum class Locality : std::uint8_t {
  kNone,       ///< none: all cross the network
  kPartition,  ///< misses that the SM's own partition serves
  kGpu,        ///< misses to the SM's own GPU
};

struct PlatformPlan {
  std::vector<PlannedNode> nodes;    ///< the system first
  std::vector<PlannedBlock> blocks;  ///< in the order in which they are created and listed
  std::vector<PlannedLink> links;
  /// Coherence connections: from a child's parent socket to a parent's child socket.
  std::vector<PlannedLink> coherence;
  /// Traffic of the networks between L1s and memory, in the order in which it is reported.
  std::vector<PlannedTraffic> traffic;
  Locality locality = Locality::kNone;

  /// The parent module of a block's sc_module: its GPU, or the system.
  const PlannedNode& scope_of(const PlannedBlock& block) const;
  /// "system.gpu0.llc3": prefix of its statistics and its own settings.
  std::string path_of(const PlannedBlock& block) const;
  bool has(BlockKind kind) const;
  /// All blocks of one kind, in their order.
  std::vector<const PlannedBlock*> of_kind(BlockKind kind) const;
  /// The block at a path; nullptr if there is none.
  const PlannedBlock* find(std::string_view path) const;
  /// The class of traffic on a link: a network's class, "fabric", "memory" (slice to channel),
  /// "l1", "rdma" (remote cache to engine) or "translation".
  std::string traffic_of(const PlannedLink& link) const;
  nlohmann::ordered_json to_json() const;
};

}  // namespace tessera
