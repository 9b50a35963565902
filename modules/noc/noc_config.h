// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "policies/arbiter.h"

namespace tessera {

/// Number of a clock cycle of the network.
using Cycle = std::uint64_t;

/// The identical switches of one stage of a network.
struct SwitchStage {
  std::uint32_t switches = 1;
  std::uint32_t inputs = 1;  ///< per switch
  std::uint32_t outputs = 1;
};

/// Stages of a network: one switch if neither side has more than `radix` ports, otherwise two
/// stages. In two stages, each switch has the square root of the side's ports, rounded up, so that
/// there are about as many links between the stages as ports (64 x 64: eight 8x8 switches each).
std::vector<SwitchStage> switch_stages(std::uint32_t entries, std::uint32_t exits,
                                       std::uint32_t radix);

/// How a switch input queues packets for different outputs.
enum class InputQueues : std::uint8_t {
  kFifo,          ///< one queue, with head-of-line blocking
  kVirtualOutput  ///< one queue for each output, which share the input's buffer (VOQ)
};

/// A crossbar of switches (NUBA sections 5.2 and 6).
struct NocConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t link_bytes = 16;    ///< bytes per cycle of every link = one flit
  std::uint32_t stage_latency = 4;  ///< cycles from one switch's input to the next one's
  std::uint32_t radix = 8;          ///< maximum inputs and maximum outputs of a switch
  /// Buffer size per switch input and per exit; 0: two line packets.
  std::uint32_t input_buffer_flits = 0;
  std::uint32_t header_bytes = 8;
  /// Which input of a switch's output is served.
  PolicyChoice<Arbiter> arbitration = {"round-robin", {}};
  /// Flits per cycle through switches and over links between stages; 1 on ingress and egress links.
  std::uint32_t internal_speedup = 1;
  /// Buffer between a switch output and its egress link; 0: as large as an input buffer with an
  /// internal speedup, none without.
  std::uint32_t output_buffer_flits = 0;
  InputQueues input_queues = InputQueues::kFifo;
  /// Iterations of the matching of switches with virtual output queues, per step of a switch.
  std::uint32_t arbitration_iterations = 1;

  /// Size of an input buffer and of an output buffer, with the defaults resolved.
  std::uint32_t buffer_flits() const;
  std::uint32_t output_flits() const;
  /// Bytes per second of one direction with `ports` ports.
  double bandwidth(std::uint32_t ports) const {
    return static_cast<double>(ports) * link_bytes * static_cast<double>(clock_hz);
  }
  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
  /// Also checks that switches of this radix can connect the ports in one or two stages.
  /// `group`: of the parameters, for a message that names one; empty: none is named.
  std::vector<std::string> validate(std::uint32_t entries, std::uint32_t exits,
                                    const std::string& group = {}) const;
};

/// A point-to-point link (NUBA section 6: SM to LLC slice, 32 B a cycle = 2.8 TB/s over 64).
struct LinkConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t link_bytes = 32;   ///< bytes per cycle
  std::uint32_t latency = 1;       ///< cycles from the head's arrival to its departure
  std::uint32_t buffer_flits = 0;  ///< at each end; 0: two line packets
  std::uint32_t header_bytes = 8;

  double bandwidth() const {
    return static_cast<double>(link_bytes) * static_cast<double>(clock_hz);
  }
  std::vector<std::string> validate() const;
  /// The equivalent network: one switch with one input and one output, or, for `ports` links with a
  /// common end, one switch with `ports` ports.
  NocConfig as_network(std::uint32_t ports = 1) const;
};

void describe(ParameterVisitor& v, NocConfig& c);
void describe(ParameterVisitor& v, LinkConfig& c);

}  // namespace tessera
