// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <tlm>

#include "modules/kernel/stats.h"
#include "modules/kernel/time.h"
#include "modules/sm/l1_role.h"

namespace tessera {

/// Accesses to lines of other GPUs. Each load is a hit, a merge or a miss.
struct L1RemoteStats {
  Counter loads = 0;
  Counter load_hits = 0;
  Counter load_merges = 0;
  Counter load_misses = 0;
  Counter bypasses = 0;
  Counter stores = 0;
  Histogram latency;
};

void describe(StatisticsVisitor& v, L1RemoteStats& s);

/// "multi_gpu": an L1 in a multi-GPU system, with the selective cache bypassing unit and the MSHRs
/// with bit masks of DualOpt section 4.1.2. L1RoleSite::transfer selects how lines outside
/// [local_begin, local_end) are loaded: like any other line or, if bypass_l1, past the array. A
/// load past the array fetches the whole line or, if fine_grained, the words that the lanes need,
/// in groups of transfer_bytes.
class MultiGpuRole {
 public:
  static constexpr bool kBypassesArray = true;

  /// `site.transfer` must not be null; `site.transfer_bytes` must be 4, 8 or 16.
  explicit MultiGpuRole(const L1RoleSite& site);

  L1Handling handling(const tlm::tlm_generic_payload& payload, const MemoryRequest& request) const;
  void looked_up(MemoryRequest& request, const L1Handling& how, L1Lookup outcome);
  void responded(tlm::tlm_generic_payload& payload, Tick at, const ClockDomain& clock);
  void register_statistics(const std::string& module, StatisticsRegistry& registry) const;

  const L1RemoteStats& stats() const { return stats_; }

 private:
  bool is_remote(const tlm::tlm_generic_payload& payload) const {
    return payload.get_address() < site_.local_begin || payload.get_address() >= site_.local_end;
  }
  void count(const MemoryRequest& request, const L1Handling& how, L1Lookup outcome);

  const L1RoleSite site_;
  L1RemoteStats stats_;
};

}  // namespace tessera
