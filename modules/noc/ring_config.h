// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "policies/arbiter.h"

namespace tessera {

/// A bidirectional ring. Defaults: the ring between the chiplets of a GPU in LADM Table III, 720
/// GB/s for both directions together, as one of 16 rings of 16 B at 1.4 GHz.
struct RingConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t link_bytes = 16;     ///< bytes per cycle of a segment, per direction
  std::uint32_t hop_latency = 32;    ///< cycles from a node's input to that of the next node
  std::uint32_t buffer_packets = 4;  ///< buffer per node and direction; 2 or more
  std::uint32_t header_bytes = 8;
  /// Which buffer of a node a segment or an exit serves.
  PolicyChoice<Arbiter> arbitration = {"round-robin", {}};

  /// Bytes per second of one direction of `ports` segments.
  double bandwidth(std::uint32_t ports) const {
    return static_cast<double>(ports) * link_bytes * static_cast<double>(clock_hz);
  }
  /// Maximum total bandwidth of `nodes` nodes with uniform traffic to all others, in bytes per
  /// second. The clockwise segments limit it, because packets with equal distances use them.
  double uniform_bandwidth(std::uint32_t nodes) const;
  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
  /// Also checks the numbers of entries and exits: one of each per node, 2 to 64 nodes.
  std::vector<std::string> validate(std::uint32_t entries, std::uint32_t exits) const;
};

void describe(ParameterVisitor& v, RingConfig& c);

}  // namespace tessera
