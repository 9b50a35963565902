// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "common/ids.h"
#include "modules/kernel/time.h"
#include "modules/sm/coalescer.h"
#include "modules/sm/l1_role.h"

namespace tessera {

/// Observes the accesses of an SM to global and local memory by their instructions. Must not change
/// its behaviour.
class SmAccessObserver {
 public:
  virtual ~SmAccessObserver() = default;
  /// A warp access has been coalesced: once for each one that LoadStoreStats counts.
  virtual void on_warp_access(LaunchSlot launch, const MemoryOp& access,
                              const CoalescedAccess& lines) = 0;
  /// No warp could issue for `time`, which a load of the instruction ended: the same time that
  /// MemoryStallStats divides by stages.
  virtual void on_stall(LaunchSlot launch, std::uint32_t pc, Tick time) = 0;
};

/// Observes the accesses of an L1. Must not change its behaviour.
class L1AccessObserver {
 public:
  virtual ~L1AccessObserver() = default;
  /// Once for each access that L1Stats counts: at its lookup, if it did not stall.
  virtual void on_lookup(const tlm::tlm_generic_payload& payload, const MemoryRequest& request,
                         L1Lookup outcome) = 0;
  /// A fetched line, or words of it, has arrived: bytes and latency as L1Stats counts them.
  virtual void on_fill(const MemoryRequest& request, std::uint64_t bytes,
                       std::uint64_t latency_cycles) = 0;
};

}  // namespace tessera
