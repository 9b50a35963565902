// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/kernel/stats.h"

namespace tessera {

struct CpuCoreConfig {
  std::uint64_t clock_hz = 3'000'000'000;
  std::uint32_t line_bytes = 64;
  std::uint32_t outstanding_lines = 10;  ///< line accesses of an operation that are in flight

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, CpuCoreConfig& c);

struct CpuCoreStats {
  Counter loads = 0;
  Counter stores = 0;
  Counter atomics = 0;
  Counter synchronised_loads = 0;
  Counter waits = 0;
  Counter lines = 0;
  Counter bytes = 0;
  Histogram latency;
};

void describe(StatisticsVisitor& v, CpuCoreStats& s);

}  // namespace tessera
