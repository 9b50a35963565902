// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/statistics_visitor.h"
#include "modules/sm/sm_cluster.h"

namespace tessera {

void describe(StatisticsVisitor& v, SmStats& s) {
  v.counter("warp_instructions", s.warp_instructions, "instruction", "warp instructions issued");
  v.counter("thread_instructions", s.thread_instructions, "instruction",
            "instructions summed over active lanes");
  v.counter("memory_instructions", s.memory_instructions, "instruction",
            "warp accesses to any space");
  v.counter("shared_instructions", s.shared_instructions, "instruction",
            "warp accesses to shared memory");
  v.counter("shared_conflict_cycles", s.shared_conflict_cycles, "cycle",
            "extra passes from shared-memory bank conflicts");
  v.counter("barriers", s.barriers, "instruction", "warps that reached a barrier");
  v.counter("fences", s.fences, "instruction", "fences performed");
  v.counter("ctas", s.ctas, "CTA", "CTAs started");
  v.counter("issued_slots", s.issued_slots, "slot", "scheduler cycles that issued");
  v.counter("idle_slots", s.idle_slots, "slot", "scheduler cycles without a resident warp");
  v.counter("structural_slots", s.structural_slots, "slot",
            "scheduler cycles in which ready warps waited for a unit");
  v.counter("dependency_slots", s.dependency_slots, "slot",
            "scheduler cycles in which warps waited for results of fixed latency");
  v.counter("memory_slots", s.memory_slots, "slot",
            "scheduler cycles in which all warps waited for memory");
  v.counter("barrier_slots", s.barrier_slots, "slot",
            "scheduler cycles in which all warps waited at barriers");
  v.waits(WaitKind::kResourceBusy, {"shared_conflict_cycles", "structural_slots", "idle_slots"});
  v.waits(WaitKind::kDataDependence, {"dependency_slots", "memory_slots"});
  v.waits(WaitKind::kOrdering, {"barrier_slots"});
  v.occupancy("resident_warps", s.resident_warps, "warp", "resident warps");
}

void SmCluster::register_statistics(StatisticsRegistry& registry) const {
  BlockBase::register_statistics(registry);
  StatisticsRegistrar(registry, name(), &clock_).add(waits_.stats);
  registry.counters(name(), scheduling_->counters());
  lsu_.register_statistics(name(), registry);
}

}  // namespace tessera
