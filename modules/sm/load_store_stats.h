// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/stats.h"

namespace tessera {

struct LoadStoreStats {
  Counter load_instructions = 0;
  Counter store_instructions = 0;
  Counter atomic_instructions = 0;
  Counter line_requests = 0;
  Counter sectors = 0;
  Counter useful_bytes = 0;
  Counter tlb_hits = 0;
  Counter tlb_misses = 0;
  Histogram load_latency;
  Histogram lines_per_access;
};

void describe(StatisticsVisitor& v, LoadStoreStats& s);

}  // namespace tessera
