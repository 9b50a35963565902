// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/llc_config.h"

#include "common/legal_values.h"
#include "modules/cache/cache_array.h"
#include "modules/protocol/byte_mask.h"

namespace tessera {

std::vector<std::string> LlcSliceConfig::validate() const {
  std::vector<std::string> errors;
  require_power_of_two(errors, "system.line_bytes", line_bytes, 1, kMaxLineBytes);
  if (sets == 0) errors.emplace_back("llc.sets must be at least 1");
  if (ways == 0 || ways > CacheArray::kMaxWays) errors.emplace_back("llc.ways must be 1 to 64");
  if (latency_cycles < 2) errors.emplace_back("llc.latency_cycles must be at least 2");
  if (mshr_entries == 0) errors.emplace_back("llc.mshr_entries must be at least 1");
  if (mshr_targets == 0) errors.emplace_back("llc.mshr_targets must be at least 1");
  if (queue_depth == 0) errors.emplace_back("llc.queue_depth must be at least 1");
  if (remote_queue_depth == 0) errors.emplace_back("llc.remote_queue_depth must be at least 1");
  if (directory_sets == 0) errors.emplace_back("llc.directory_sets must be at least 1");
  if (directory_ways == 0 || directory_ways > CacheArray::kMaxWays) {
    errors.emplace_back("llc.directory_ways must be 1 to 64");
  }
  if (atomic_lanes_per_cycle == 0) {
    errors.emplace_back("llc.atomic_lanes_per_cycle must be at least 1");
  }
  require_power_of_two(errors, "llc.atomic_block_bytes", atomic_block_bytes, 8, kMaxLineBytes);
  return errors;
}

void describe(ParameterVisitor& v, LlcSliceConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the slice (NUBA Table 1)", 1'000'000,
            100'000'000'000);
  v.integer("sets", c.sets, "set", "sets of a slice (NUBA Table 1)", 1, 1 << 20);
  v.integer("ways", c.ways, "way", "associativity (NUBA Table 1)", 1, 64);
  v.text("replacement", c.replacement.name, "which line of a set is evicted (NUBA does not say)",
         policy_names<CacheReplacement>());
  v.integer("latency_cycles", c.latency_cycles, "cycle",
            "arrival of a request to departure of a hit's response (NUBA Table 1)", 2, 10'000);
  v.integer("mshr_entries", c.mshr_entries, "entry",
            "outstanding lines (ours, as GPGPU-Sim's SM7_QV100)", 1, 4096);
  v.integer("mshr_targets", c.mshr_targets, "access",
            "accesses that wait for one line (ours, as GPGPU-Sim's SM7_QV100)", 1, 4096);
  v.integer("queue_depth", c.queue_depth, "entry",
            "LMR and RMR queue entries of each port, beyond the pipeline (ours)", 1, 4096);
  v.integer("response_queue_depth", c.response_queue_depth, "entry",
            "responses that can wait for a port before lookups stall (ours)", 1, 4096,
            {"reply_queue_depth"});
  v.integer("memory_queue_depth", c.memory_queue_depth, "entry",
            "requests that may wait for the channel before lookups stall (ours)", 1, 4096);
  v.integer("remote_queue_depth", c.remote_queue_depth, "entry",
            "requests that may wait for other slices before lookups that need one stall; under "
            "miss routing la-llc: before the slice responds itself (ours)",
            1, 4096);
  v.integer("directory_sets", c.directory_sets, "set",
            "SM-side UBA: sets of the directory of lines that the other side holds (ours)", 1,
            1 << 20);
  v.integer("directory_ways", c.directory_ways, "way", "its associativity (ours)", 1, 64);
  v.choice("flush", c.flush,
           "lines that a flush at a kernel's end drops: all, the slice is flushed (NUBA section "
           "5.3); copies, only those of other nodes' lines (ours)",
           {{"all", FlushScope::kAll}, {"copies", FlushScope::kCopies}});
  v.choice(
      "last_sharer", c.last_sharer,
      "miss routing la-llc: the core that is recorded for a line, to which hits are forwarded: "
      "sent, of the last read to which the slice has responded; read, of the last read, also "
      "if it was forwarded (ours: the remote-core paper does not say)",
      {{"sent", SharerRecord::kSent}, {"read", SharerRecord::kRead}});
  v.text(
      "role", c.role,
      "what the slice does with other nodes' lines, in place of the role in the platform's plan; "
      "empty: the plan's (docs/blocks/llc.md)");
  v.integer("atomic_lanes_per_cycle", c.atomic_lanes_per_cycle, "lane",
            "lanes of an atomic that the slice performs in a cycle, if they are in one block and "
            "have different addresses; 1: lane by lane (a sector of 32-bit operands: NVIDIA's "
            "Kepler whitepapers give one operation a clock to one address and, for a GTX 680 with "
            "8 slices, 64 to different addresses; recalled)",
            1, 32);
  v.integer("atomic_block_bytes", c.atomic_block_bytes, "byte",
            "size of the aligned block whose lanes the slice performs together: a power of two of "
            "at least 8 (ours: a sector)",
            8, kMaxLineBytes);
  v.text("arbitration", c.arbitration.name,
         "whether the LMR or the RMR queue is looked up when both have a request (NUBA section 3: "
         "in turn)",
         policy_names<Arbiter>());
}

}  // namespace tessera
