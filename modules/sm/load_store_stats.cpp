// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/load_store_unit.h"

namespace tessera {

void LoadStoreUnit::register_statistics(const std::string& m, StatisticsRegistry& registry) const {
  const LoadStoreStats& s = stats_;
  registry.counter(m, "load_instructions", s.load_instructions, "instruction",
                   "warp loads from global or local memory");
  registry.counter(m, "store_instructions", s.store_instructions, "instruction",
                   "warp stores to global or local memory");
  registry.counter(m, "atomic_instructions", s.atomic_instructions, "instruction",
                   "warp atomics on global memory");
  registry.counter(m, "line_requests", s.line_requests, "request",
                   "line requests that coalescing made of them");
  registry.counter(m, "sectors", s.sectors, "sector", "32-byte sectors those lines touch");
  registry.counter(m, "useful_bytes", s.useful_bytes, "byte", "distinct bytes the lanes touch");
  registry.counter(m, "tlb_hits", s.tlb_hits, "lookup", "L1 TLB hits");
  registry.counter(m, "tlb_misses", s.tlb_misses, "page", "translations asked of the MMU");
  registry.histogram(m, "load_latency", s.load_latency, "cycle",
                     "from a load's issue to its last line");
  registry.histogram(m, "lines_per_access", s.lines_per_access, "line",
                     "lines a warp access falls into");
}

}  // namespace tessera
