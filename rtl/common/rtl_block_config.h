// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/kernel/parameters.h"
#include "modules/kernel/statistics_visitor.h"

namespace tessera {

/// All defaults are ours.
struct RtlBlockConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t entries = 8;  ///< requests held in front of the design, of each input
  std::uint32_t ids = 4;      ///< AXI4 IDs in use, of each direction
  std::uint32_t reads = 16;   ///< most AXI4 requests issued and without a response
  std::uint32_t writes = 16;
  bool check = true;                      ///< Axi4Checker or LineChecker at each side
  std::uint64_t response_limit = 100000;  ///< of the checkers
  /// Of ready/valid designs: an AtomicUnit in front of the design performs atomics. Right only
  /// where no other way leads to the same lines. False: atomics are refused.
  bool atomics = false;
  std::uint32_t quiet_cycles = 16;  ///< Design::knows_busy

  std::vector<std::string> validate() const { return {}; }
};

void describe(ParameterVisitor& v, RtlBlockConfig& c);

struct RtlBlockStats {
  Counter cycles = 0;
  Counter violations = 0;
};

void describe(StatisticsVisitor& v, RtlBlockStats& s);

}  // namespace tessera
