// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/kernel/stats.h"

namespace tessera {

/// 64 concurrent walks are from NUBA Table 1. The paper gives no latencies; the defaults are ours.
struct PageWalkerConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t concurrent_walks = 64;
  std::uint32_t levels = 4;
  std::uint32_t level_latency_cycles = 100;
  std::uint32_t queue_depth = 64;

  std::uint64_t walk_cycles() const { return std::uint64_t{levels} * level_latency_cycles; }
  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, PageWalkerConfig& c);

struct PageWalkerStats {
  Counter walks = 0;
  Counter faults = 0;
  Counter errors = 0;
  Histogram queue_wait;
  Occupancy active;
};

void describe(StatisticsVisitor& v, PageWalkerStats& s);

}  // namespace tessera
