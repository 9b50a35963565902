// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "modules/sm/warp_table.h"

namespace tessera {

/// What a warp scheduler chooses from.
struct WarpCandidates {
  static constexpr std::uint32_t kNone = WarpTable::kMaxSlots;

  /// Slots whose warps can issue in this cycle, as a mask; never empty.
  std::uint64_t usable = 0;
  /// The slot that this scheduler chose last, or kNone.
  std::uint32_t last = kNone;
  const WarpTable& warps;
};

/// Which of the warps that can issue does. An SM asks each of its schedulers at most once a cycle.
class WarpScheduler {
 public:
  virtual ~WarpScheduler() = default;
  /// A slot of `candidates.usable`.
  virtual std::uint32_t choose(const WarpCandidates& candidates) = 0;
  /// Forgets everything.
  virtual void reset() {}
};

/// Called once for each scheduler of each SM. A policy without state returns the same object each
/// time, so that it stays in the host's first cache.
using WarpSchedulerFactory = std::shared_ptr<WarpScheduler> (*)();

/// Returns true. Throws InputError when the name belongs to another policy already.
bool register_warp_scheduler(const std::string& name, WarpSchedulerFactory factory);
std::vector<std::string> warp_scheduler_names();
/// Throws InputError with the nearest name for an unknown name.
std::shared_ptr<WarpScheduler> make_warp_scheduler(const std::string& name);

}  // namespace tessera
