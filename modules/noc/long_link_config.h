// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/kernel/stats.h"

namespace tessera {

/// A link between a GPU's MMU and the host's IOMMU.
struct LongLinkConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint64_t latency_ns = 140;  ///< of a message, each way
  std::uint32_t queue_depth = 64;  ///< requests in front of the link; also behind it

  /// Latency in whole cycles, rounded up: 1 or more.
  std::uint64_t latency_cycles() const;
  /// Requests between their entry of the link and the return of their credit: those behind the
  /// link, and a request and a credit for each cycle of their ways.
  std::uint64_t credits() const { return queue_depth + 2 * latency_cycles(); }
  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, LongLinkConfig& c);

/// Counted by the near half.
struct LongLinkStats {
  Counter requests = 0;
  Counter responses = 0;
  Histogram queue_wait;
};

void describe(StatisticsVisitor& v, LongLinkStats& s);

}  // namespace tessera
