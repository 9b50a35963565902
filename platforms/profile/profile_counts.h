// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/stats.h"
#include "modules/kernel/time.h"

namespace tessera {

/// What an instruction, or the accesses to an allocation, did in the SMs and L1s.
struct ProfileCounts {
  // In the load/store units, as LoadStoreStats counts them.
  Counter warp_accesses = 0;
  Counter lines = 0;  ///< requests to L1s
  Counter sectors = 0;
  Counter useful_bytes = 0;
  // In the L1s, by line.
  Counter loads = 0;
  Counter load_hits = 0;
  Counter load_merges = 0;  ///< that joined an outstanding fetch
  Counter load_misses = 0;
  Counter load_bypasses = 0;
  Counter stores = 0;
  Counter atomics = 0;
  Counter remote_misses = 0;  ///< loads that went to a memory of another node
  Counter remote_writes = 0;  ///< stores and atomics to a memory of another node
  Counter filled_bytes = 0;
  Counter served_misses = 0;  ///< that miss_latency is of
  Counter miss_latency = 0;   ///< sum, in cycles of the L1s
  // In the SMs.
  Tick stalled = 0;  ///< no warp of an SM could issue, and this load ended the wait
};

}  // namespace tessera
