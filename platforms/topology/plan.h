// SPDX-License-Identifier: Apache-2.0
#pragma once

// A platform as plain data: its nodes, its blocks, and how they are joined. Made from a
// configuration by the shapes of this folder, without SystemC; the builder (platforms/gpu.h)
// makes sc_modules of it, and names, idle settings, derived figures and energy read it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/json.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/ring_config.h"
#include "platforms/topology/tree.h"

namespace tessera {

/// A node of the tree system > GPU > module > partition. Levels that a platform does not have are
/// left out, but for system and GPU.
struct PlannedNode {
  std::string name;  ///< "system", "system.gpu0", "system.gpu0.module1.partition4"
  NodeLevel level = NodeLevel::kSystem;
  std::uint32_t parent = 0;  ///< the system's is itself
};

enum class BlockKind : std::uint8_t {
  kPageMigrator,
  kMdr,
  kSharingProfiler,
  kDecision,
  kDram,
  kLlc,
  kL1,
  kNetwork,
  kRdma,
  kRemoteCache,
  kFabric,
  kL2Tlb,
  kWalker,
  kUvm,
  kSm,
  kDispatcher,
};
const char* name_of(BlockKind kind);

/// Where on its die a network's links run, for their energy: from edge to edge of an area whose
/// sides are the die's divided by `across` and `along`; straight over a side, or beside the die.
struct NetworkSpan {
  enum class Way : std::uint8_t { kArea, kStraight, kBesideDie };
  Way way = Way::kArea;
  double across = 1;
  double along = 1;
};

/// By which block a network is made.
enum class NetworkKind : std::uint8_t { kCrossbar, kPointToPoint, kSwitch, kRing };
const char* name_of(NetworkKind kind);

/// What a network needs beyond its sockets.
struct PlannedNetwork {
  NetworkKind kind = NetworkKind::kCrossbar;
  /// The traffic it carries, which names its statistics and figures: "noc", "p2p", "link", "mcm",
  /// "ring", "module_ingress_xbar", "ingress_xbar", "iommu".
  std::string traffic;
  NocConfig noc;    ///< all but rings
  RingConfig ring;  ///< rings
  /// The level of the nodes that it joins; kPartition: it stays within a module, or a GPU without.
  NodeLevel joins = NodeLevel::kPartition;
  /// It stands for links (LinkConfig), whose settings its shape checks.
  bool of_links = false;
  /// The exit of a request, by the number of its home slice; empty where all take exit 0.
  std::vector<std::uint32_t> exits;
  NetworkSpan span;

  /// Bytes per second of so many of its ports.
  double bandwidth(std::uint32_t ports) const {
    return kind == NetworkKind::kRing ? ring.bandwidth(ports) : noc.bandwidth(ports);
  }
};

/// Index into PlatformPlan::blocks.
using PlannedBlockId = std::uint32_t;

struct PlannedBlock {
  BlockKind kind = BlockKind::kDram;
  std::string name;           ///< of the sc_module: "llc3"
  std::uint32_t node = 0;     ///< where it stands, index into PlatformPlan::nodes
  std::uint32_t gpu = 0;      ///< of the GPU that it belongs to
  std::uint32_t index = 0;    ///< among the blocks of its kind
  unsigned inputs = 0;        ///< target sockets
  unsigned outputs = 0;       ///< initiator sockets
  std::string role = "home";  ///< kLlc only: SliceSite::role
  /// kLlc only: the inputs that come from other nodes; the first ones come from its own SMs.
  unsigned remote_inputs = 0;
  PlannedNetwork network;  ///< kNetwork only
};

/// An initiator socket and the target socket that it is bound to.
struct PlannedLink {
  PlannedBlockId from = 0;
  unsigned output = 0;
  PlannedBlockId to = 0;
  unsigned input = 0;
};

/// A kind of traffic, with what its networks can move each way, in bytes per second.
struct PlannedTraffic {
  std::string name;
  double request_peak = 0;
  double response_peak = 0;
  bool directions_apart = true;  ///< false: one figure, request_peak, stands for both
};

/// Which L1 misses count as served nearby.
enum class Locality : std::uint8_t {
  kNone,       ///< all cross the network
  kPartition,  ///< those that the SM's own partition serves
  kGpu,        ///< those to the SM's own GPU
};

struct PlatformPlan {
  std::vector<PlannedNode> nodes;    ///< the system first
  std::vector<PlannedBlock> blocks;  ///< in the order in which they are made and listed
  std::vector<PlannedLink> links;
  /// Of the networks between L1s and memory, in the order in which they are reported.
  std::vector<PlannedTraffic> traffic;
  Locality locality = Locality::kNone;

  /// The module that a block's sc_module stands in: its GPU, or the system.
  const PlannedNode& scope_of(const PlannedBlock& block) const;
  /// "system.gpu0.llc3": what its statistics and its own settings go by.
  std::string path_of(const PlannedBlock& block) const;
  bool has(BlockKind kind) const;
  /// Of one kind, in their order.
  std::vector<const PlannedBlock*> of_kind(BlockKind kind) const;
  /// The block at a path; nullptr where there is none.
  const PlannedBlock* find(std::string_view path) const;
  /// The class of traffic that a link carries: a network's, "fabric", "memory" (slice to channel),
  /// "l1", "rdma" (remote cache to engine) or "translation".
  std::string traffic_of(const PlannedLink& link) const;
  nlohmann::ordered_json to_json() const;
};

}  // namespace tessera
