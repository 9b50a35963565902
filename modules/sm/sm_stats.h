// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/stats.h"

namespace tessera {

struct SmStats {
  Counter warp_instructions = 0;
  Counter thread_instructions = 0;
  Counter memory_instructions = 0;
  Counter shared_instructions = 0;
  Counter shared_conflict_cycles = 0;
  Counter barriers = 0;
  Counter fences = 0;
  Counter ctas = 0;
  /// Scheduler cycles with an issue, and scheduler cycles without one by reason.
  Counter issued_slots = 0;
  Counter idle_slots = 0;
  Counter structural_slots = 0;
  Counter dependency_slots = 0;
  Counter memory_slots = 0;
  Counter barrier_slots = 0;
  Occupancy resident_warps;
};

void describe(StatisticsVisitor& v, SmStats& s);

}  // namespace tessera
