// SPDX-License-Identifier: Apache-2.0
#include "modules/mmu/l2_tlb_config.h"

#include "common/legal_values.h"

namespace tessera {

std::vector<std::string> L2TlbConfig::validate() const {
  std::vector<std::string> errors;
  if (clock_hz == 0) errors.emplace_back("l2_tlb.clock_hz must be at least 1");
  if (ways == 0) errors.emplace_back("l2_tlb.ways must be at least 1");
  if (entries == 0 || (ways != 0 && entries % ways != 0)) {
    const std::uint32_t of = ways == 0 ? 1 : ways;
    errors.push_back("l2_tlb.entries (" + std::to_string(entries) +
                     ") must be a multiple of l2_tlb.ways (" + std::to_string(ways) +
                     "): " + near_multiples(entries, of) +
                     (entries == 0 ? "" : ", or l2_tlb.ways of " + near_divisors(of, entries)));
  }
  if (latency_cycles == 0) errors.emplace_back("l2_tlb.latency_cycles must be at least 1");
  if (ports == 0) errors.emplace_back("l2_tlb.ports must be at least 1");
  if (mshr_entries == 0) errors.emplace_back("l2_tlb.mshr_entries must be at least 1");
  if (queue_depth == 0) errors.emplace_back("l2_tlb.queue_depth must be at least 1");
  if (response_queue_depth == 0)
    errors.emplace_back("l2_tlb.response_queue_depth must be at least 1");
  return errors;
}

void describe(ParameterVisitor& v, L2TlbConfig& c) {
  v.integer("clock_hz", c.clock_hz, "Hz", "clock of the TLB (NUBA Table 1)", 1'000'000,
            100'000'000'000);
  v.integer("entries", c.entries, "entry", "translations held, in all (NUBA Table 1)", 1, 1 << 24);
  v.integer("ways", c.ways, "way", "associativity (NUBA Table 1)", 1, 1 << 16);
  v.integer("latency_cycles", c.latency_cycles, "cycle",
            "arrival of a request to arrival of a hit's response (NUBA Table 1)", 1, 10'000);
  v.integer("ports", c.ports, "lookup/cycle", "lookups in a cycle (NUBA Table 1)", 1, 1024);
  v.integer("mshr_entries", c.mshr_entries, "entry", "pages being walked for (ours)", 1, 1 << 16);
  v.integer("queue_depth", c.queue_depth, "entry",
            "requests of an SM that wait for a lookup, beyond the pipeline (ours)", 1, 4096);
  v.integer("response_queue_depth", c.response_queue_depth, "entry",
            "responses that can wait for an SM before lookups stall (ours)", 1, 4096,
            {"reply_queue_depth"});
}

}  // namespace tessera
