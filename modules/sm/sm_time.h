// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/stats.h"
#include "modules/sm/stall_stages.h"

namespace tessera {

/// Issue slots of an SM by use (SmStats), and its waits for memory.
struct SmTime {
  Counter issued_slots = 0;
  Counter idle_slots = 0;
  Counter structural_slots = 0;
  Counter dependency_slots = 0;
  Counter memory_slots = 0;
  Counter barrier_slots = 0;
  MemoryWaits memory;

  SmTime& operator+=(const SmTime& o);
  SmTime operator-(const SmTime& o) const;
};

}  // namespace tessera
