// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/page_walker_config.h"

namespace tessera {

std::vector<std::string> PageWalkerConfig::validate() const {
  std::vector<std::string> errors;
  if (clock_hz == 0) errors.emplace_back("walker.clock_hz must be at least 1");
  if (concurrent_walks == 0) {
    errors.emplace_back("walker.concurrent_walks must be at least 1");
  }
  if (levels == 0) errors.emplace_back("walker.levels must be at least 1");
  if (level_latency_cycles == 0) {
    errors.emplace_back("walker.level_latency_cycles must be at least 1");
  }
  if (queue_depth == 0) errors.emplace_back("walker.queue_depth must be at least 1");
  return errors;
}

void describe(ParameterVisitor& v, PageWalkerConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the walkers (NUBA Table 1)", 1'000'000,
            100'000'000'000);
  v.integer("concurrent_walks", c.concurrent_walks, "walk", "walks at a time (NUBA Table 1)", 1,
            1 << 16);
  v.integer("levels", c.levels, "level", "levels of the page table (ours)", 1, 8);
  v.integer("level_latency_cycles", c.level_latency_cycles, "cycle",
            "memory latency of one level of a walk (ours)", 1, 1'000'000);
  v.integer("queue_depth", c.queue_depth, "entry", "requests that wait for a walker (ours)", 1,
            1 << 16);
}

}  // namespace tessera
