// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"

namespace tessera {

/// A probe engine (remote-core paper, section III-F). The paper does not give the depths of the
/// queues; these are ours.
struct ProbeConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t tracked = 32;           ///< misses with probes in flight
  std::uint32_t timeout_cycles = 2048;  ///< until a miss goes to the L2 although probes are out
  std::uint32_t incoming_depth = 8;     ///< probes of other cores that wait for the L1
  std::uint32_t reply_depth = 8;        ///< lines that wait for the reply network
  std::uint32_t line_bytes = 128;       ///< set by the platform

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, ProbeConfig& c);

}  // namespace tessera
