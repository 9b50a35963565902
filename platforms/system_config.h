// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/noc/noc_config.h"
#include "modules/noc/ring_config.h"
#include "platforms/topology_names.h"
#include "platforms/tree_level.h"

namespace tessera {

/// Shape of a GPU and the choices that concern more than one block.
struct SystemConfig {
  static constexpr std::uint32_t kMostGpus = 16;
  static constexpr std::uint32_t kMostModules = 64;
  /// The levels, where a preset describes them. `topology` is then the innermost shape; `gpus` and
  /// `modules` are the levels' counts. Empty: these three describe the tree.
  Tree tree;
  /// How the blocks are wired: a shape of platforms/topology.
  std::string topology = default_topology();
  /// Kinds of blocks that stand in all links of a class of traffic, in order.
  struct Insert {
    std::string traffic;
    std::string kind;
    std::string origin;  ///< "FILE:LINE"
  };
  std::vector<Insert> inserts;
  /// GPUs of the system; they share SMs and channels evenly.
  std::uint32_t gpus = 1;
  /// Chiplets of a multi-chip module (NUBA section 7.6).
  std::uint32_t modules = 1;
  std::uint32_t sms = 64;
  std::uint32_t channels = 32;
  std::uint32_t slices_per_channel = 2;
  std::uint32_t line_bytes = 128;
  std::uint64_t page_bytes = 4096;
  std::uint64_t channel_bytes = std::uint64_t{512} << 20;
  std::string address_map = "fixed-channel";
  std::string page_placement = "round-robin";
  /// Of partitions: where a line of another partition is cached (policies/remote_caching.h).
  std::string remote_caching = "home";
  /// Of several GPUs: how other GPUs' lines are read (policies/transfer_policy.h).
  std::string transfer = "line";
  /// Where a core's read misses go (policies/miss_routing.h).
  std::string miss_routing = "home";
  /// Of several GPUs: ways of a GPU's L1s to its RDMA engine, and banks of its remote cache.
  std::uint32_t rdma_ports = 16;
  /// Of several GPUs: width of the links of the crossbar between RDMA engine and slices, at the
  /// engine's clock; 0: width and clock are those of the GPU's network.
  std::uint32_t rdma_link_bytes = 0;
  /// Whether SharingProfiler watches the slices.
  bool line_sharing = false;
  std::uint64_t watchdog_cycles = 1'000'000;
  std::uint64_t cycle_limit = 0;
  std::uint64_t loop_limit = 1'000'000;

  std::uint32_t slices() const { return channels * slices_per_channel; }
  std::uint32_t slices_per_gpu() const { return slices() / gpus; }
};

void describe(ParameterVisitor& v, SystemConfig& c);

/// The network between the modules of an MCM-GPU: `ports` planes, each a switch that joins all
/// modules. 16 ports of 16 B at 1.4 GHz are 358 GB/s each way, 720 GB/s both (NUBA section 7.6).
struct ModuleNetworkConfig {
  std::uint32_t ports = 16;
  NocConfig plane;
};

void describe(ParameterVisitor& v, ModuleNetworkConfig& c);

/// The same by rings: `ports` of them, on each of which every module is a node.
struct ModuleRingConfig {
  std::uint32_t ports = 16;
  RingConfig ring;
};

void describe(ParameterVisitor& v, ModuleRingConfig& c);

}  // namespace tessera
