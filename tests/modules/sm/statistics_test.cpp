// SPDX-License-Identifier: Apache-2.0
// Which counter each statistic of an SM and of an L1 shows.
#include <catch2/catch.hpp>

#include "modules/sm/l1_pipeline.h"
#include "modules/sm/l1_roles/multi_gpu.h"
#include "modules/sm/sm_cluster.h"
#include "tests/support/cache_rig.h"
#include "tests/support/statistics_table.h"

namespace tessera::statistics_test {

using namespace tessera::test;

TEST_CASE("an SM's statistics show its counters and its load/store unit's", "[statistics]") {
  TransactionPool pool;
  const SmCluster sm("sm", SmConfig{}, pool, SmId(0), 1);
  StatisticsTable table;
  const ClockDomain sm_clock(sm.config().clock_hz);
  SmStats& s = table.fields_of(sm.stats());
  table.counter("warp_instructions", s.warp_instructions);
  table.counter("thread_instructions", s.thread_instructions);
  table.counter("memory_instructions", s.memory_instructions);
  table.counter("shared_instructions", s.shared_instructions);
  table.counter("shared_conflict_cycles", s.shared_conflict_cycles);
  table.counter("barriers", s.barriers);
  table.counter("fences", s.fences);
  table.counter("ctas", s.ctas);
  table.counter("issued_slots", s.issued_slots);
  table.counter("idle_slots", s.idle_slots);
  table.counter("structural_slots", s.structural_slots);
  table.counter("dependency_slots", s.dependency_slots);
  table.counter("memory_slots", s.memory_slots);
  table.counter("barrier_slots", s.barrier_slots);
  table.occupancy("resident_warps", s.resident_warps);
  MemoryStallStats& w = table.fields_of(sm.stall_stats());
  for (std::size_t i = 0; i < kLoadStages; ++i) {
    table.cycles(std::string("memory_stall_") + kLoadStageNames[i] + "_cycles", w.by_stage[i],
                 sm_clock);
  }
  LoadStoreStats& m = table.fields_of(sm.memory_stats());
  table.counter("load_instructions", m.load_instructions);
  table.counter("store_instructions", m.store_instructions);
  table.counter("atomic_instructions", m.atomic_instructions);
  table.counter("line_requests", m.line_requests);
  table.counter("sectors", m.sectors);
  table.counter("useful_bytes", m.useful_bytes);
  table.counter("tlb_hits", m.tlb_hits);
  table.counter("tlb_misses", m.tlb_misses);
  table.histogram("load_latency", m.load_latency);
  table.histogram("lines_per_access", m.lines_per_access);
  table.check(sm);
}

namespace {

/// What every L1 registers.
void fill(StatisticsTable& table, L1Stats& s, const L1Config& config) {
  const ClockDomain clock(config.clock_hz);
  table.counter("loads", s.loads);
  table.counter("stores", s.stores);
  table.counter("atomics", s.atomics);
  table.counter("bypasses", s.bypasses);
  table.counter("load_hits", s.load_hits);
  table.counter("load_misses", s.load_misses);
  table.counter("load_merges", s.load_merges);
  table.counter("store_hits", s.store_hits);
  table.counter("evictions", s.evictions);
  table.counter("flushes", s.flushes);
  table.counter("stalls_mshr", s.stalls_mshr);
  table.counter("stalls_miss_queue", s.stalls_miss_queue);
  table.counter("bytes_to_core", s.bytes_to_core);
  table.counter("bytes_filled", s.bytes_filled);
  table.cycles("request_network_cycles", s.request_network, clock);
  table.cycles("llc_cycles", s.llc, clock);
  table.cycles("dram_cycles", s.dram, clock);
  table.cycles("llc_return_cycles", s.llc_return, clock);
  table.cycles("response_network_cycles", s.response_network, clock);
  table.cycles("copy_request_network_cycles", s.copy_request_network, clock);
  table.cycles("copy_cycles", s.copy, clock);
  table.cycles("copy_response_network_cycles", s.copy_response_network, clock);
  table.cycles("other_l1_cycles", s.other_l1, clock);
  table.cycles("unstamped_cycles", s.unstamped, clock);
  table.cycles("remote_cache_cycles", s.far_cache, clock);
  table.cycles("llc_merge_cycles", s.llc_merge, clock);
  table.cycles("miss_queue_wait_cycles", s.miss_queue_wait, clock);
  table.histogram("miss_latency", s.miss_latency);
  table.bandwidth("bandwidth", s.bandwidth);
}

}  // namespace

TEST_CASE("an L1's statistics show its counters", "[statistics]") {
  const PlainMap map;
  const auto made = make_l1_cache("l1", L1Config{}, map);
  const L1Cache& l1 = *made;
  StatisticsTable table;
  L1Stats& s = table.fields_of(l1.stats());
  fill(table, s, l1.config());
  // Without reserved ways, or a scalar cache, they count nothing.
  table.unregistered(s.stalls_frames);
  table.unregistered(s.scalar_loads);
  table.unregistered(s.scalar_hits);
  table.check(l1);
}

TEST_CASE("an L1 among several GPUs that reserves ways shows these counters, too", "[statistics]") {
  const PlainMap map;
  const RemoteAccessMode transfer;
  L1RoleSite site;
  site.role = "multi_gpu";
  site.transfer = &transfer;
  L1Config config;
  config.reserve_frames = true;
  config.scalar_sets = 64;
  const auto made = make_l1_cache("l1", config, map, site);
  const auto& l1 = dynamic_cast<const L1Pipeline<MultiGpuRole>&>(*made);
  StatisticsTable table;
  L1Stats& s = table.fields_of(l1.stats());
  fill(table, s, l1.config());
  table.counter("stalls_frames", s.stalls_frames);
  table.counter("scalar_loads", s.scalar_loads);
  table.counter("scalar_hits", s.scalar_hits);
  L1RemoteStats& r = table.fields_of(l1.role().stats());
  table.counter("remote_loads", r.loads);
  table.counter("remote_load_hits", r.load_hits);
  table.counter("remote_load_merges", r.load_merges);
  table.counter("remote_load_misses", r.load_misses);
  table.counter("remote_bypasses", r.bypasses);
  table.counter("remote_stores", r.stores);
  table.histogram("remote_latency", r.latency);
  table.check(l1);
}

}  // namespace tessera::statistics_test
