// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the networks of a run moved, by kind and direction, and their latency without contention.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/report/blocks.h"
#include "common/json_fwd.h"

namespace tessera::app {

/// A kind of networks, with one or more blocks.
struct NetworkKind {
  const char* block;  ///< name of its blocks, without a number
  const char* group;  ///< its group of parameters
  bool switched;      ///< true: switches with `radix` ports, or a mesh; false: a link or a ring
  bool translations;  ///< carries requests of translations only
};

/// In the order of a request's route.
inline constexpr NetworkKind kNetworkKinds[] = {
    {"p2p", "p2p", false, false},         {"noc", "noc", true, false},
    {"link", "side_link", false, false},  {"mcm", "mcm", true, false},
    {"ring", "ring", false, false},       {"module_ingress_xbar", "noc", true, false},
    {"ingress_xbar", "noc", true, false}, {"iommu", "noc", true, true}};

/// One direction of a kind of networks, summed over its blocks. Cycles are of `clock`.
struct NetworkUse {
  Blocks blocks;
  std::string group;  ///< of parameters: "mesh" if the GPUs' network is one
  std::string clock;  ///< group whose clock_hz the cycles have
  std::string width;  ///< parameter of the links' width
  double packets = 0;
  double flits = 0;
  double latency = 0;  ///< summed over packets
  /// Of an average packet without contention, before its flits: the stages, hops or the link.
  double idle_latency = 0;
  /// Busy cycles of the egress links, and of those between a mesh's routers.
  std::vector<std::pair<std::string, double>> links;
};

/// `way`: "request" or "response". Empty if the run has no such blocks. The document must outlive
/// the result.
std::optional<NetworkUse> network_use(const nlohmann::ordered_json& stats, const NetworkKind& kind,
                                      const std::string& way);

}  // namespace tessera::app
