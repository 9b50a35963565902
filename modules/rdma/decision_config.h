// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"

namespace tessera {

struct DecisionConfig {
  std::uint64_t clock_hz = 1'000'000'000;
  std::uint64_t warmup_accesses = 1'000;   ///< remote accesses of a GPU before its window (ours)
  std::uint64_t window_accesses = 20'000;  ///< remote accesses of a GPU (DualOpt section 4.3)
  std::uint64_t gpu_latency_ns = 0;        ///< of a message between a GPU and the engine

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, DecisionConfig& c);

}  // namespace tessera
