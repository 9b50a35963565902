// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of the factories of SMs and L1s, and the interface of an SM to its platform.

#include <cstdint>
#include <functional>
#include <string>

#include "modules/plan/block_site.h"
#include "modules/protocol/flush.h"
#include "modules/protocol/page_entry.h"
#include "modules/sm/l1_cache_config.h"
#include "modules/sm/l1_role.h"
#include "modules/sm/planned_l1.h"
#include "modules/sm/sm_config.h"
#include "modules/sm/sm_interfaces.h"
#include "modules/sm/sm_time.h"

namespace tessera {

class SmAccessObserver;

/// 1 in, 1 out.
struct L1Site : BlockSite {
  static constexpr const char* kFamily = "l1";
  L1Config config;
  L1RoleSite role;
};

/// 2 out: its L1 and its L2 TLB.
struct SmSite : BlockSite {
  static constexpr const char* kFamily = "sm";
  SmConfig config;
  SmId id;
  std::uint32_t sms = 0;  ///< of the system
  const PageLookupIf* pages = nullptr;
};

/// The platform's interface to an SM.
struct SmHandle {
  CtaSinkIf* ctas = nullptr;
  QuiesceIf* quiesce = nullptr;
  /// Binds the interfaces that the SM calls: its L1's control and the dispatcher.
  std::function<void(FlushIf& l1, DispatchEventsIf& dispatcher)> bind;
  std::function<std::uint64_t()> warp_instructions;
  std::function<std::uint64_t()> thread_instructions;
  std::function<void()> settle_statistics;  ///< can be empty
  /// Of all cycles before now; empty: not counted.
  std::function<SmTime()> time;
  std::function<unsigned()> resident_warps;
  std::function<void(SmAccessObserver&)> observe;  ///< empty: cannot be observed
  /// Warp instructions of a launch since the last call for it; empty: not counted.
  std::function<std::uint64_t(LaunchSlot)> take_instructions;
};

}  // namespace tessera
