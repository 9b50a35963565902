// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/core/parameters.h"

namespace tessera {

/// Number of a clock cycle of the network.
using Cycle = std::uint64_t;

/// The equal switches of one stage of a network.
struct SwitchStage {
  std::uint32_t switches = 1;
  std::uint32_t inputs = 1;  ///< of each
  std::uint32_t outputs = 1;
};

/// One switch up to `radix` ports on either side. More: two stages, the ports of a side dealt to
/// switches of the square root of their number, rounded up, so that there are about as many links
/// between the stages as ports (64 x 64: eight 8x8 switches in each).
std::vector<SwitchStage> switch_stages(std::uint32_t entries, std::uint32_t exits,
                                       std::uint32_t radix);

/// A crossbar of switches (NUBA sections 5.2 and 6).
struct NocConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t link_bytes = 16;    ///< bytes per cycle of every link = one flit
  std::uint32_t stage_latency = 4;  ///< cycles from a switch's input to the next one's
  std::uint32_t radix = 8;          ///< most inputs, and most outputs, of one switch
  /// Per switch input and per exit; 0: two line packets.
  std::uint32_t input_buffer_flits = 0;
  std::uint32_t header_bytes = 8;

  /// The buffers' size with its default resolved.
  std::uint32_t buffer_flits() const;
  /// Bytes per second of one direction with this many ports.
  double bandwidth(std::uint32_t ports) const {
    return static_cast<double>(ports) * link_bytes * static_cast<double>(clock_hz);
  }
  /// Every fault, in words; empty when the configuration is sound.
  std::vector<std::string> validate() const;
  /// Also whether switches of this radix can join that many ports in one or two stages.
  std::vector<std::string> validate(std::uint32_t entries, std::uint32_t exits) const;
};

/// A point-to-point link (NUBA section 6: SM to LLC slice, 32 B a cycle = 2.8 TB/s over 64).
struct LinkConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t link_bytes = 32;   ///< bytes per cycle
  std::uint32_t latency = 1;       ///< cycles from head in to head out
  std::uint32_t buffer_flits = 0;  ///< at each end; 0: two line packets
  std::uint32_t header_bytes = 8;

  double bandwidth() const {
    return static_cast<double>(link_bytes) * static_cast<double>(clock_hz);
  }
  std::vector<std::string> validate() const;
  /// A link is a network of one switch with one input and one output; links that share a point
  /// of `ports` others are one switch of that many.
  NocConfig as_network(std::uint32_t ports = 1) const;
};

void describe(ParameterVisitor& v, NocConfig& c);
void describe(ParameterVisitor& v, LinkConfig& c);

}  // namespace tessera
