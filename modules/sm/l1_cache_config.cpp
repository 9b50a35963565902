// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/l1_cache_config.h"

#include "common/legal_values.h"
#include "modules/cache/cache_array.h"
#include "modules/protocol/byte_mask.h"

namespace tessera {

std::vector<std::string> L1Config::validate() const {
  std::vector<std::string> errors;
  require_power_of_two(errors, "system.line_bytes", line_bytes, 1, kMaxLineBytes);
  if (sets == 0) errors.emplace_back("l1.sets must be at least 1");
  if (ways == 0 || ways > CacheArray::kMaxWays) errors.emplace_back("l1.ways must be 1 to 64");
  if (scalar_sets != 0 && (scalar_ways == 0 || scalar_ways > CacheArray::kMaxWays)) {
    errors.emplace_back("l1.scalar_ways must be 1 to 64");
  }
  if (latency_cycles < 2) errors.emplace_back("l1.latency_cycles must be at least 2");
  if (mshr_entries == 0) errors.emplace_back("l1.mshr_entries must be at least 1");
  if (mshr_targets == 0) errors.emplace_back("l1.mshr_targets must be at least 1");
  if (input_depth == 0) errors.emplace_back("l1.input_depth must be at least 1");
  if (miss_queue_depth == 0) errors.emplace_back("l1.miss_queue_depth must be at least 1");
  return errors;
}

void describe(ParameterVisitor& v, L1Config& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the cache (NUBA Table 1)", 1'000'000,
            100'000'000'000);
  v.integer("sets", c.sets, "set", "sets (NUBA Table 1: 48 KB, 6 ways)", 1, 1 << 20);
  v.integer("ways", c.ways, "way", "associativity (NUBA Table 1)", 1, 64);
  v.text("replacement", c.replacement.name, "which line of a set is evicted (NUBA does not say)",
         policy_names<CacheReplacement>());
  v.integer("latency_cycles", c.latency_cycles, "cycle",
            "arrival of a load to arrival of a hit's data (ours, as GPGPU-Sim's SM7_QV100)", 2,
            10'000);
  v.integer("mshr_entries", c.mshr_entries, "entry", "outstanding lines (NUBA Table 1)", 1, 4096);
  v.integer("mshr_targets", c.mshr_targets, "access", "accesses that wait for one line (ours)", 1,
            4096);
  v.integer("input_depth", c.input_depth, "access",
            "accesses that may wait in front of the pipeline (ours)", 1, 4096);
  v.flag("reserve_frames", c.reserve_frames,
         "a miss takes its way when it leaves, and waits while all ways of its set wait for "
         "lines (MGPUSim; off: when the line comes, as GPGPU-Sim's ON_FILL)");
  v.integer(
      "scalar_sets", c.scalar_sets, "set",
      "sets of the scalar cache, which holds the lines of uniform loads of read-only data, as "
      "GCN's; 0: none (MGPUSim: 64, shared by a shader array; here each CU has its own)",
      0, 1 << 20);
  v.integer("scalar_ways", c.scalar_ways, "way", "associativity of the scalar cache (MGPUSim)", 1,
            64);
  v.integer("miss_queue_depth", c.miss_queue_depth, "request",
            "requests that may wait for the network before lookups stall (ours)", 1, 4096);
}

}  // namespace tessera
