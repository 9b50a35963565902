// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/kernel/statistics_visitor.h"
#include "modules/kernel/stats.h"

namespace tessera {

struct LineBridgeStats {
  Counter reads = 0;
  Counter writes = 0;
  Counter lines = 0;
  Counter bytes = 0;
  Counter errors = 0;
  Histogram latency;
  Occupancy outstanding;
};

void describe(StatisticsVisitor& v, LineBridgeStats& s);

}  // namespace tessera
