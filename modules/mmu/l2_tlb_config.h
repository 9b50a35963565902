// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/kernel/stats.h"

namespace tessera {

/// Defaults are from NUBA Table 1 if it has a value.
struct L2TlbConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t entries = 512;
  std::uint32_t ways = 16;
  std::uint32_t latency_cycles = 10;
  std::uint32_t ports = 2;
  std::uint32_t mshr_entries = 512;
  std::uint32_t queue_depth = 4;
  std::uint32_t response_queue_depth = 8;
  /// Number of consecutive SMs that share translations; 0: all SMs. The platform sets it if pages
  /// can have copies in partitions.
  std::uint32_t sms_per_view = 0;

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, L2TlbConfig& c);

struct L2TlbStats {
  Counter hits = 0;
  Counter misses = 0;
  Counter merges = 0;
  Counter evictions = 0;
  Counter errors = 0;
  Counter stalls_mshr = 0;
  Counter stalls_output = 0;
  Histogram miss_latency;
  Occupancy mshrs;
};

void describe(StatisticsVisitor& v, L2TlbStats& s);

}  // namespace tessera
