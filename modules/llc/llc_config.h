// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/kernel/stats.h"
#include "policies/arbiter.h"
#include "policies/cache_replacement.h"

namespace tessera {

/// Lines that a flush at a kernel's end writes back and drops.
enum class FlushScope : std::uint8_t {
  kAll,     ///< all lines of the slice
  kCopies,  ///< copies of other nodes' lines only
};

/// Core that the role "last_sharer" records for a line.
enum class SharerRecord : std::uint8_t {
  kSent,  ///< of the last read to which the slice has responded
  kRead,  ///< of the last read, also if it was forwarded
};

/// Defaults are from NUBA Table 1 if it has a value.
struct LlcSliceConfig {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t sets = 48;
  std::uint32_t ways = 16;
  std::uint32_t line_bytes = 128;
  std::uint32_t latency_cycles = 120;
  std::uint32_t mshr_entries = 192;
  std::uint32_t mshr_targets = 4;
  std::uint32_t queue_depth = 16;
  std::uint32_t response_queue_depth = 16;
  std::uint32_t memory_queue_depth = 16;
  std::uint32_t atomic_lanes_per_cycle = 8;
  std::uint32_t atomic_block_bytes = 32;
  std::uint32_t remote_queue_depth = 16;
  std::uint32_t directory_sets = 48;
  std::uint32_t directory_ways = 16;
  FlushScope flush = FlushScope::kAll;
  SharerRecord last_sharer = SharerRecord::kSent;
  /// Role (modules/llc/roles, or a user's own). Empty: that of the platform's plan.
  std::string role;
  PolicyChoice<CacheReplacement> replacement = {"lru", {}};
  /// Arbitrates between the LMR queue (input 1) and the RMR queue (input 0) if both have a request.
  PolicyChoice<Arbiter> arbitration = {"round-robin", {}};

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, LlcSliceConfig& c);

struct LlcSliceStats {
  Counter reads = 0;
  Counter writes = 0;
  Counter atomics = 0;
  Counter atomic_lanes = 0;
  Counter hits = 0;
  Counter misses = 0;
  Counter merges = 0;
  Counter partial_fetches = 0;
  Counter write_allocations = 0;
  Counter evictions = 0;
  Counter write_backs = 0;
  Counter local_lookups = 0;
  Counter remote_lookups = 0;
  /// Requests of local SMs for other slices' lines, forwarded without allocating a way.
  Counter bypasses = 0;
  Counter replica_hits = 0;
  Counter replica_misses = 0;
  /// Loads of local SMs; `sm_loads_served` counts those that needed no other slice.
  Counter sm_loads = 0;
  Counter sm_loads_served = 0;
  Counter flushes = 0;
  Counter flush_cycles = 0;
  Counter invalidations_sent = 0;
  Counter invalidations_received = 0;
  Counter stalls_mshr = 0;
  Counter stalls_ways = 0;
  Counter stalls_output = 0;
  // Time in excess of an idle slice's, summed over accesses of all kinds.
  Counter lookup_wait_cycles = 0;
  Counter merge_wait_cycles = 0;
  Counter response_wait_cycles = 0;
  Counter bytes_read = 0;
  Counter bytes_written = 0;
  Histogram miss_latency;
  BandwidthSeries bandwidth;
};

void describe(StatisticsVisitor& v, LlcSliceStats& s);

}  // namespace tessera
