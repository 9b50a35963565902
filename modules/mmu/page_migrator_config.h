// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/core/parameters.h"

namespace tessera {

/// When the mover decides.
enum class MoveTrigger : std::uint8_t {
  kInterval,  ///< `interval_cycles` after the first access
  kOnDemand,  ///< `batch_cycles` after the first access from elsewhere to a page that may move
};

/// Whose SMs stand still until the moved pages have arrived.
enum class MoveDrain : std::uint8_t {
  kAll,    ///< everybody's
  kOwner,  ///< nobody's: owners' until their flush and shootdown are over, others' while draining
};

/// NUBA section 7.6 gives neither costs nor pace, DualOpt section 2.3 the steps without numbers:
/// the numbers are ours.
struct PageMigratorConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::string policy = "none";
  MoveTrigger trigger = MoveTrigger::kInterval;
  std::uint64_t interval_cycles = 20'000;
  std::uint64_t batch_cycles = 500;
  std::uint32_t max_moves = 512;
  bool one_source = false;
  MoveDrain drain = MoveDrain::kAll;
  std::uint64_t pipeline_flush_ns = 0;
  std::uint64_t cache_flush_ns = 0;
  std::uint64_t shootdown_ns = 2'000;
  double transfer_gb_per_s = 64;

  /// Every fault, in words; empty when sound.
  std::vector<std::string> validate() const;
  /// From drained to the first byte of a page on its way.
  std::uint64_t flush_ns() const { return pipeline_flush_ns + cache_flush_ns + shootdown_ns; }
};

void describe(ParameterVisitor& v, PageMigratorConfig& c);

}  // namespace tessera
