// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/sm_cluster.h"

namespace tessera {

void SmCluster::register_statistics(StatisticsRegistry& registry) const {
  const std::string m = name();
  const SmStats& s = stats_;
  registry.counter(m, "warp_instructions", s.warp_instructions, "instruction",
                   "warp instructions issued");
  registry.counter(m, "thread_instructions", s.thread_instructions, "instruction",
                   "instructions summed over active lanes");
  registry.counter(m, "memory_instructions", s.memory_instructions, "instruction",
                   "warp accesses to any space");
  registry.counter(m, "shared_instructions", s.shared_instructions, "instruction",
                   "warp accesses to shared memory");
  registry.counter(m, "shared_conflict_cycles", s.shared_conflict_cycles, "cycle",
                   "extra passes from shared-memory bank conflicts");
  registry.counter(m, "barriers", s.barriers, "instruction", "warps that reached a barrier");
  registry.counter(m, "fences", s.fences, "instruction", "fences performed");
  registry.counter(m, "ctas", s.ctas, "CTA", "CTAs started");
  registry.counter(m, "issued_slots", s.issued_slots, "slot", "scheduler cycles that issued");
  registry.counter(m, "idle_slots", s.idle_slots, "slot",
                   "scheduler cycles without a resident warp");
  registry.counter(m, "structural_slots", s.structural_slots, "slot",
                   "scheduler cycles in which ready warps waited for a unit");
  registry.counter(m, "dependency_slots", s.dependency_slots, "slot",
                   "scheduler cycles in which warps waited for results of fixed latency");
  registry.counter(m, "memory_slots", s.memory_slots, "slot",
                   "scheduler cycles in which all warps waited for memory");
  registry.counter(m, "barrier_slots", s.barrier_slots, "slot",
                   "scheduler cycles in which all warps waited at barriers");
  registry.occupancy(m, "resident_warps", s.resident_warps, "warp", "resident warps");
  registry.counters(m, scheduling_->counters());
  lsu_.register_statistics(m, registry);
}

}  // namespace tessera
