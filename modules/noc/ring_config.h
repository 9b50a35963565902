// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/core/parameters.h"

namespace tessera {

/// A bidirectional ring. Defaults: LADM Table III's ring between the chiplets of a GPU, 720 GB/s
/// both directions together, as one of 16 rings of 16 B at 1.4 GHz.
struct RingConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t link_bytes = 16;     ///< bytes per cycle of a segment, each direction
  std::uint32_t hop_latency = 32;    ///< cycles from a node's input to the next node's
  std::uint32_t buffer_packets = 4;  ///< at each node, for each direction; 2 or more
  std::uint32_t header_bytes = 8;

  /// Bytes per second of one direction of `ports` segments.
  double bandwidth(std::uint32_t ports) const {
    return static_cast<double>(ports) * link_bytes * static_cast<double>(clock_hz);
  }
  /// The most that `nodes` nodes together can send where each sends to all others alike, in bytes
  /// per second: the clockwise segments, which also take what is as far both ways, set it.
  double uniform_bandwidth(std::uint32_t nodes) const;
  /// Every fault, in words; empty when the configuration is sound.
  std::vector<std::string> validate() const;
  /// Also whether a ring can have so many entries and exits: one of each at a node, 2 to 64 nodes.
  std::vector<std::string> validate(std::uint32_t entries, std::uint32_t exits) const;
};

void describe(ParameterVisitor& v, RingConfig& c);

}  // namespace tessera
