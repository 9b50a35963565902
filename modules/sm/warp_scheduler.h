// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/sm/warp_table.h"
#include "policies/policy_choice.h"

namespace tessera {

/// Candidates of a warp scheduler.
struct WarpCandidates {
  static constexpr std::uint32_t kNone = WarpTable::kMaxSlots;

  /// Slots whose warps can issue in this cycle, as a mask; never empty.
  std::uint64_t usable = 0;
  /// The slot that was chosen last for this scheduler, or kNone.
  std::uint32_t last = kNone;
  std::uint32_t scheduler = 0;  ///< index of the issuing scheduler in the SM
  const WarpTable& warps;
};

/// Selects the warp that issues. An SM has one WarpScheduler, and calls it at most once a cycle for
/// each of its schedulers. Its counters are reported among the SM's statistics.
class WarpScheduler : public Policy {
 public:
  static constexpr const char* kFamily = "warp_scheduler";
  struct Context {
    std::uint32_t schedulers = 2;  ///< of the SM
  };
  static Context example_context() { return {}; }

  /// Returns a slot of `candidates.usable`.
  virtual std::uint32_t choose(const WarpCandidates& candidates) = 0;
  /// Restores the initial state.
  virtual void reset() {}
};

}  // namespace tessera
