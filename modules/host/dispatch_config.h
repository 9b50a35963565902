// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "common/parameter_visitor.h"
#include "modules/kernel/stats.h"

namespace tessera {

/// Configuration of the command processor and the CTA dispatcher, which share a clock.
struct DispatchConfig {
  /// More kernels than queues never run, and each needs a LaunchSlot.
  static constexpr std::uint32_t kMostQueues = 32;

  std::uint64_t clock_hz = 1'400'000'000;
  std::string planner = "immediate";
  std::string scheduler = "distributed";
  std::string kernel_scheduler = "leftover";
  std::uint32_t queues = 32;
  std::uint64_t fetch_cycles = 0;
  std::uint64_t launch_cycles = 0;
  std::uint64_t gpu_latency_ns = 0;
};

void describe(ParameterVisitor& v, DispatchConfig& c);

struct DispatchStats {
  Counter kernels = 0;
  Counter ctas = 0;
  Counter busy_cycles = 0;
  Counter flush_cycles = 0;
};

void describe(StatisticsVisitor& v, DispatchStats& s);

}  // namespace tessera
