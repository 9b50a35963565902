// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"

namespace tessera {

/// The routers of a mesh, and the router of each ingress and egress port. Router r is at column
/// r % width and row r / width.
struct MeshLayout {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  std::vector<std::uint32_t> entry_router;  ///< [ingress port]
  std::vector<std::uint32_t> exit_router;   ///< [egress port]

  std::uint32_t routers() const { return width * height; }
  /// Routers that a packet passes: 1 if both ports are at the same router.
  std::uint32_t hops(std::uint32_t entry, std::uint32_t exit) const;
  /// Uniform random traffic, from each ingress to all egress ports, by XY routing: the load of the
  /// busiest link between routers or to an egress port, for one flit per cycle and ingress port.
  double largest_uniform_load() const;
};

/// A 2D mesh of routers. Defaults: the network of the remote-core bandwidth paper (Table II), whose
/// requests and replies have separate meshes (section III-A).
struct MeshConfig {
  std::uint64_t clock_hz = 700'000'000;
  std::uint32_t link_bytes = 32;  ///< bytes per cycle of every link = one flit
  std::uint32_t width = 0;        ///< routers of a row; 0: derived from the number of nodes
  std::uint32_t height = 0;       ///< rows; 0: derived
  std::uint32_t concentration = 1;
  std::uint32_t vcs = 1;       ///< virtual channels of every router input
  std::uint32_t vc_flits = 8;  ///< buffer of a virtual channel
  /// Cycles from a flit's arrival in a router's buffer to its entry into the link: route
  /// computation, VC allocation, switch allocation, switch traversal.
  std::uint32_t router_latency = 4;
  std::uint32_t link_latency = 1;
  std::uint32_t credit_latency = 2;  ///< cycles until the upstream router can use a freed entry
  std::uint32_t header_bytes = 8;
  /// "staggered", or routers by number, separated by commas: of the egress nodes in their order, or
  /// of all nodes (ingress nodes first).
  std::string placement = "staggered";
  /// Set by the platform: ingress i and egress i are ports of one node. Otherwise each port is a
  /// node.
  bool shared_nodes = false;
  /// Set by the platform: the last egress ports are ports of the ingress nodes, in their order, so
  /// that ingress nodes can send to each other.
  std::uint32_t core_exits = 0;
  /// Set by the platform: the last ingress ports are ports of the first egress nodes, in their
  /// order, so that egress nodes can send to ingress nodes.
  std::uint32_t memory_entries = 0;

  /// Bytes per second of one direction of `ports` ports.
  double bandwidth(std::uint32_t ports) const {
    return static_cast<double>(ports) * link_bytes * static_cast<double>(clock_hz);
  }
  /// Upper bound of the bandwidth of one direction under uniform random traffic, in bytes per
  /// second. Precondition: validate(entries, exits) is empty.
  double uniform_bandwidth(std::uint32_t entries, std::uint32_t exits) const;
  std::uint32_t nodes(std::uint32_t entries, std::uint32_t exits) const;
  /// Precondition: validate(entries, exits) is empty.
  MeshLayout layout(std::uint32_t entries, std::uint32_t exits) const;
  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
  /// Also checks that the nodes of these ports fill the mesh, and their placement.
  std::vector<std::string> validate(std::uint32_t entries, std::uint32_t exits) const;

 private:
  /// Sets width and height for a number of nodes.
  void extent(std::uint32_t nodes, std::uint32_t& columns, std::uint32_t& rows) const;
};

void describe(ParameterVisitor& v, MeshConfig& c);

}  // namespace tessera
