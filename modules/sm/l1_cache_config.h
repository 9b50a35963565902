// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/core/l1_observer.h"
#include "modules/core/parameters.h"
#include "modules/core/stats.h"
#include "policies/cache_replacement.h"
#include "policies/transfer_policy.h"

namespace tessera {

/// Defaults are NUBA Table 1 where the paper has a number.
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
  /// A miss takes its frame when it leaves, and waits while all frames of its set wait for lines.
  /// Off: a frame is taken when the line comes.
  bool reserve_frames = false;
  PolicyChoice<CacheReplacement> replacement = {"lru", {}};

  /// Every fault, in words; empty when sound.
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
  Counter store_hits = 0;
  Counter evictions = 0;
  Counter flushes = 0;
  Counter stalls_mshr = 0;
  Counter stalls_frames = 0;  ///< only where frames are reserved
  Counter stalls_miss_queue = 0;
  Counter bytes_to_core = 0;
  Counter bytes_filled = 0;
  /// Where the time of served misses went, summed over misses.
  Tick request_network = 0;
  Tick llc = 0;
  Tick dram = 0;
  Tick llc_return = 0;
  Tick reply_network = 0;
  Histogram miss_latency;
  BandwidthSeries bandwidth;
  /// Of lines of other GPUs; loads are hits, merges or misses.
  Counter remote_loads = 0;
  Counter remote_load_hits = 0;
  Counter remote_load_merges = 0;
  Counter remote_load_misses = 0;
  Counter remote_bypasses = 0;
  Counter remote_stores = 0;
  Histogram remote_latency;
};

/// An L1's place among several GPUs. What is pointed to outlives the cache.
struct L1Role {
  /// How other GPUs' lines are read; may change at any time. Null: there are no other GPUs.
  const RemoteAccessMode* transfer = nullptr;
  /// Physical addresses of the own GPU's memory, [local_begin, local_end): the two address
  /// registers of the selective cache bypassing unit (DualOpt section 4.1.2).
  std::uint64_t local_begin = 0;
  std::uint64_t local_end = ~std::uint64_t{0};
  /// A fine-grained transfer carries multiples of this: 4, 8 or 16 (DualOpt section 6.2).
  std::uint32_t transfer_bytes = 4;
  /// Told of every access; may be null.
  L1Observer* observer = nullptr;
};

}  // namespace tessera
