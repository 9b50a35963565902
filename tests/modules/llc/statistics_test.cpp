// SPDX-License-Identifier: Apache-2.0
// Which counter each statistic of an LLC slice, and of what watches the slices, shows.
#include <catch2/catch.hpp>

#include "modules/llc/llc_slice.h"
#include "modules/llc/sharing_profiler.h"
#include "tests/support/cache_rig.h"
#include "tests/support/statistics_table.h"

namespace tessera::statistics_test {

using namespace tessera::test;

TEST_CASE("a slice's statistics show its counters", "[statistics]") {
  TransactionPool pool;
  const PlainMap map;
  const auto made = make_llc_slice("llc", LlcSliceConfig{}, map, pool, SliceSite{});
  const LlcSlice& llc = *made;
  StatisticsTable table;
  LlcSliceStats& s = table.fields_of(llc.stats());
  table.counter("reads", s.reads);
  table.counter("writes", s.writes);
  table.counter("atomics", s.atomics);
  table.counter("atomic_lanes", s.atomic_lanes);
  table.counter("hits", s.hits);
  table.counter("misses", s.misses);
  table.counter("merges", s.merges);
  table.counter("partial_fetches", s.partial_fetches);
  table.counter("write_allocations", s.write_allocations);
  table.counter("evictions", s.evictions);
  table.counter("write_backs", s.write_backs);
  table.counter("local_lookups", s.local_lookups);
  table.counter("remote_lookups", s.remote_lookups);
  table.counter("bypasses", s.bypasses);
  table.counter("replica_hits", s.replica_hits);
  table.counter("replica_misses", s.replica_misses);
  table.counter("sm_loads", s.sm_loads);
  table.counter("sm_loads_served", s.sm_loads_served);
  table.counter("flushes", s.flushes);
  table.counter("flush_cycles", s.flush_cycles);
  table.counter("invalidations_sent", s.invalidations_sent);
  table.counter("invalidations_received", s.invalidations_received);
  table.counter("stalls_mshr", s.stalls_mshr);
  table.counter("stalls_ways", s.stalls_ways);
  table.counter("stalls_output", s.stalls_output);
  table.counter("lookup_wait_cycles", s.lookup_wait_cycles);
  table.counter("merge_wait_cycles", s.merge_wait_cycles);
  table.counter("response_wait_cycles", s.response_wait_cycles);
  table.counter("bytes_read", s.bytes_read);
  table.counter("bytes_written", s.bytes_written);
  table.histogram("miss_latency", s.miss_latency);
  table.bandwidth("bandwidth", s.bandwidth);
  table.check(llc);
}

TEST_CASE("the statistics of shared lines show what was seen of each kind", "[statistics]") {
  SharingProfiler sharing("gpu.line_sharing", 4, 128);
  const auto access = [&sharing](RequestKind kind, std::uint64_t line, unsigned sm,
                                 std::uint16_t bytes) {
    MemoryRequest request;
    request.kind = kind;
    request.requester = SmId(sm);
    request.useful_bytes = bytes;
    sharing.on_access({AccessOrigin::kLocal, line * 128, request});
  };
  // Lines 0 to 6 are loaded, 0 to 3 by two SMs; 3 is written, as are 10 to 13.
  for (std::uint64_t line = 0; line < 7; ++line) access(RequestKind::kLoad, line, 0, 8);
  for (std::uint64_t line = 0; line < 4; ++line) access(RequestKind::kLoad, line, 1, 8);
  for (const std::uint64_t line : {3, 10, 11, 12, 13}) access(RequestKind::kStore, line, 2, 4);
  StatisticsTable table;
  table.value("read_lines", 7);
  table.value("written_lines", 5);
  table.value("read_only_shared_lines", 3);
  table.value("loads", 11);
  table.value("bytes_wanted", 88);
  table.check(sharing);
}

}  // namespace tessera::statistics_test
