// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "modules/kernel/stats.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// What the launches that share an SM have on it. Determines when a launch has left the SM.
class SmLaunches {
 public:
  SmLaunches() : launches_(LaunchSlot::kCount) {}

  /// A CTA is here, or has been ordered to start.
  void add_cta(LaunchSlot l, const KernelProgram& kernel) {
    ++of(l).ctas;
    of(l).busy = true;
    of(l).kernel = &kernel;
  }
  /// Precondition: the launch has had a CTA here.
  const KernelProgram& kernel(LaunchSlot l) const { return *launches_[l.value].kernel; }
  void remove_cta(LaunchSlot l) { --of(l).ctas; }
  /// A store of a CTA is outstanding; the CTA can end before it.
  void add_store(LaunchSlot l) { ++of(l).stores; }
  void remove_store(LaunchSlot l) { --of(l).stores; }
  void count_instruction(LaunchSlot l) { ++of(l).instructions; }

  /// Whether a launch that was here has no CTA and no outstanding store any more. True once, until
  /// it has another CTA.
  bool has_left(LaunchSlot l) {
    Launch& x = of(l);
    if (!x.busy || x.ctas != 0 || x.stores != 0) return false;
    x.busy = false;
    return true;
  }
  /// Warp instructions since the last call for the launch.
  Counter take_instructions(LaunchSlot l) { return std::exchange(of(l).instructions, 0); }
  void reset() { launches_.assign(LaunchSlot::kCount, {}); }

 private:
  struct Launch {
    const KernelProgram* kernel = nullptr;
    Counter instructions = 0;
    std::uint32_t ctas = 0;
    std::uint32_t stores = 0;
    bool busy = false;
  };
  Launch& of(LaunchSlot l) { return launches_[l.value]; }

  std::vector<Launch> launches_;
};

}  // namespace tessera
