// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "modules/sm/sites.h"

namespace tessera {

/// The SMs of a platform: sums over them.
class SmGroup {
 public:
  SmGroup() = default;
  explicit SmGroup(std::vector<SmHandle*> sms) : sms_(std::move(sms)) {}

  const std::vector<SmHandle*>& each() const { return sms_; }
  /// So far.
  std::uint64_t warp_instructions() const {
    return sum([](const SmHandle& sm) { return sm.warp_instructions(); });
  }
  std::uint64_t thread_instructions() const {
    return sum([](const SmHandle& sm) { return sm.thread_instructions(); });
  }
  /// Of running CTAs.
  std::uint64_t resident_warps() const {
    return sum([](const SmHandle& sm) { return sm.resident_warps(); });
  }
  /// Warp instructions of a launch since the last call for it.
  std::uint64_t take_instructions(LaunchSlot launch) {
    return sum([launch](const SmHandle& sm) {
      return sm.take_instructions ? sm.take_instructions(launch) : 0;
    });
  }
  /// Brings statistics that SMs count later up to the present time.
  void settle_statistics() {
    for (const SmHandle* sm : sms_) {
      if (sm->settle_statistics) sm->settle_statistics();
    }
  }

 private:
  template <class F>
  std::uint64_t sum(F f) const {
    std::uint64_t total = 0;
    for (const SmHandle* sm : sms_) total += f(*sm);
    return total;
  }

  std::vector<SmHandle*> sms_;
};

}  // namespace tessera
