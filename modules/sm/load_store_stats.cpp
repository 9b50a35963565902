// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/statistics_visitor.h"
#include "modules/sm/load_store_unit.h"

namespace tessera {

void describe(StatisticsVisitor& v, LoadStoreStats& s) {
  v.counter("load_instructions", s.load_instructions, "instruction",
            "warp loads from global or local memory");
  v.counter("store_instructions", s.store_instructions, "instruction",
            "warp stores to global or local memory");
  v.counter("atomic_instructions", s.atomic_instructions, "instruction",
            "warp atomics on global memory");
  v.counter("line_requests", s.line_requests, "request",
            "line requests that coalescing made of warps' loads, stores and atomics");
  v.counter("sectors", s.sectors, "sector", "32-byte sectors that the line requests touch");
  v.counter("useful_bytes", s.useful_bytes, "byte", "distinct bytes the lanes touch");
  v.counter("tlb_hits", s.tlb_hits, "lookup", "L1 TLB hits");
  v.counter("tlb_misses", s.tlb_misses, "page", "translations asked of the MMU");
  v.histogram("load_latency", s.load_latency, "cycle", "from a load's issue to its last line");
  v.histogram("lines_per_access", s.lines_per_access, "line", "lines a warp access falls into");
}

void LoadStoreUnit::register_statistics(const std::string& m, StatisticsRegistry& registry) const {
  register_statistics_of(registry, m, stats_);
}

}  // namespace tessera
