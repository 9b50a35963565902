// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"

namespace tessera {

/// Start of a migration decision.
enum class MoveTrigger : std::uint8_t {
  kInterval,  ///< `interval_cycles` after the first access
  kOnDemand,  ///< `batch_cycles` after the first remote access to a page that can migrate
};

/// SMs that stop for a batch.
enum class MoveStop : std::uint8_t {
  kAll,    ///< all SMs
  kUsers,  ///< SMs of the GPUs whose TLBs can hold a page of the batch (TlbDirectory)
};

/// End of the stop, for the SMs of MoveStop.
enum class MoveDrain : std::uint8_t {
  kAll,    ///< all stopped SMs resume when the migrated pages have arrived
  kOwner,  ///< SMs of the old home resume after flush and shootdown, other SMs after the drain
};

/// NUBA section 7.6 gives neither cost nor bandwidth of a migration. DualOpt section 2.3 gives the
/// steps without numbers. The defaults are ours.
struct PageMigratorConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::string policy = "none";
  MoveTrigger trigger = MoveTrigger::kInterval;
  std::uint64_t interval_cycles = 20'000;
  std::uint64_t batch_cycles = 500;
  std::uint32_t max_moves = 512;
  bool one_source = false;
  MoveStop stop = MoveStop::kAll;
  MoveDrain drain = MoveDrain::kAll;
  std::uint64_t pipeline_flush_ns = 0;
  std::uint64_t cache_flush_ns = 0;
  std::uint64_t shootdown_ns = 2'000;
  double transfer_gb_per_s = 64;
  bool overlap_transfers = false;
  std::uint64_t gpu_latency_ns = 0;

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
  /// Time from the end of the drain to the first byte of the transfer.
  std::uint64_t flush_ns() const { return pipeline_flush_ns + cache_flush_ns + shootdown_ns; }
};

void describe(ParameterVisitor& v, PageMigratorConfig& c);

}  // namespace tessera
