// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/kernel/stats.h"

namespace tessera {

enum class FaultMode : std::uint8_t {
  kFault,       ///< the first access to a page faults
  kPrefaulted,  ///< the first access to a page maps it without latency
};

/// The fault latency is from NUBA section 6; it covers handling and eviction.
struct UvmDriverConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  FaultMode mode = FaultMode::kFault;
  std::uint64_t fault_latency_ns = 20'000;
  std::uint32_t concurrent_faults = 0;  ///< 0 = no limit
  std::uint32_t fault_entries = 1024;
  std::uint32_t queue_depth = 64;

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, UvmDriverConfig& c);

struct UvmDriverStats {
  Counter requests = 0;
  Counter faults = 0;
  Counter merges = 0;
  Counter pages_mapped = 0;
  Counter errors = 0;
  Histogram fault_latency;
  Occupancy pending;
};

void describe(StatisticsVisitor& v, UvmDriverStats& s);

}  // namespace tessera
