// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/parameter_visitor.h"
#include "modules/kernel/stats.h"
#include "policies/cache_replacement.h"

namespace tessera {

/// Defaults are from NUBA Table 1 if it has a value.
struct L1Config {
  std::uint64_t clock_hz = 1'400'000'000;
  std::uint32_t sets = 64;
  std::uint32_t ways = 6;
  std::uint32_t line_bytes = 128;
  std::uint32_t latency_cycles = 28;
  std::uint32_t mshr_entries = 128;
  std::uint32_t mshr_targets = 8;
  std::uint32_t input_depth = 8;
  std::uint32_t miss_queue_depth = 8;
  /// A miss allocates its way when it leaves, and stalls while all ways of its set wait for
  /// lines. Off: a way is allocated when the line arrives.
  bool reserve_frames = false;
  /// The scalar cache of a GCN-like CU: an array of its own for uniform loads of read-only data,
  /// behind the same pipeline and MSHRs. 0: none.
  std::uint32_t scalar_sets = 0;
  std::uint32_t scalar_ways = 4;
  PolicyChoice<CacheReplacement> replacement = {"lru", {}};

  /// All configuration errors; empty if the configuration is valid.
  std::vector<std::string> validate() const;
};

void describe(ParameterVisitor& v, L1Config& c);

struct L1Stats {
  Counter loads = 0;
  Counter stores = 0;
  Counter atomics = 0;
  Counter bypasses = 0;
  Counter load_hits = 0;
  Counter load_misses = 0;
  Counter load_merges = 0;
  // Of these, in the scalar cache, if there is one.
  Counter scalar_loads = 0;
  Counter scalar_hits = 0;
  Counter store_hits = 0;
  Counter evictions = 0;
  Counter flushes = 0;
  Counter stalls_mshr = 0;
  Counter stalls_frames = 0;  ///< only if ways are reserved
  Counter stalls_miss_queue = 0;
  Counter bytes_to_core = 0;
  Counter bytes_filled = 0;
  /// Parts of miss_latency, summed over misses. First of misses that a home slice or a remote cache
  /// served.
  Tick request_network = 0;
  Tick llc = 0;
  Tick dram = 0;
  Tick llc_return = 0;
  Tick response_network = 0;
  // Of misses that a copy in another slice served.
  Tick copy_request_network = 0;
  Tick copy = 0;
  Tick copy_response_network = 0;
  Tick other_l1 = 0;   ///< of misses that another core's L1 served
  Tick unstamped = 0;  ///< of misses that a block without time stamps served
  // Parts of `llc`.
  Tick far_cache = 0;  ///< in a remote cache
  Tick llc_merge = 0;
  Tick miss_queue_wait = 0;  ///< before a request leaves: no part of miss_latency
  Histogram miss_latency;
  BandwidthSeries bandwidth;
};

void describe(StatisticsVisitor& v, L1Stats& s);

}  // namespace tessera
