// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bandwidth model of model-driven replication (NUBA section 5.1): the bytes a second that the
// memory system delivers to SMs, without replication and with full replication of read-only lines.

#include <algorithm>

namespace tessera {

/// Raw bandwidths in bytes per second. All three are of the same part of the machine: the whole
/// GPU, or one slice with its share of the memory and the network.
struct MdrBandwidths {
  double llc = 0;     ///< data arrays of the LLC
  double memory = 0;  ///< DRAM
  double noc = 0;     ///< between partitions
};

/// BW_NoRep, in the unit of the bandwidths. `fraction_local`: share of the L1s' misses whose home
/// is in their own partition (the other misses are remote). `llc_hit`: hit rate without
/// replication, the same for local and remote requests. Both are from 0 to 1.
inline double bandwidth_without_replication(const MdrBandwidths& raw, double fraction_local,
                                            double llc_hit) {
  const double llc_miss = std::min((1 - llc_hit) * raw.llc, raw.memory);
  const double local = llc_hit * raw.llc + llc_miss;
  const double remote = std::min(raw.noc, local);
  return fraction_local * local + (1 - fraction_local) * remote;
}

/// BW_FullRep, in the unit of the bandwidths: all misses of the L1s are sent to local slices, whose
/// misses are sent to local or remote memory. `llc_hit`: hit rate under full replication.
inline double bandwidth_with_full_replication(const MdrBandwidths& raw, double fraction_local,
                                              double llc_hit) {
  const double remote_memory = std::min(raw.noc, raw.memory);
  const double memory = fraction_local * raw.memory + (1 - fraction_local) * remote_memory;
  return llc_hit * raw.llc + std::min((1 - llc_hit) * raw.llc, memory);
}

}  // namespace tessera
