// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/statistics_visitor.h"
#include "modules/llc/llc_slice.h"

namespace tessera {

void describe(StatisticsVisitor& v, LlcSliceStats& s) {
  v.counter("reads", s.reads, "access", "line reads looked up");
  v.counter("writes", s.writes, "access", "writes looked up");
  v.counter("atomics", s.atomics, "access", "atomic accesses looked up");
  v.counter("atomic_lanes", s.atomic_lanes, "operation", "lane atomics performed");
  v.counter("hits", s.hits, "access", "accesses that found what they need");
  v.counter("misses", s.misses, "access", "accesses that fetch an absent line");
  v.counter("merges", s.merges, "access", "accesses to a line that is being fetched");
  v.counter("partial_fetches", s.partial_fetches, "access",
            "reads of a line of which only written bytes were valid");
  v.counter("write_allocations", s.write_allocations, "access",
            "writes that took a line without fetching it");
  v.counter("evictions", s.evictions, "line", "lines replaced");
  v.counter("write_backs", s.write_backs, "line", "dirty lines sent to the channel");
  v.counter("local_lookups", s.local_lookups, "access", "lookups from the LMR queue");
  v.counter("remote_lookups", s.remote_lookups, "access", "lookups from the RMR queue");
  v.counter("bypasses", s.bypasses, "request",
            "local SMs' requests forwarded to other slices without a way for their line");
  v.counter("replica_hits", s.replica_hits, "access",
            "loads of another slice's line that found it here");
  v.counter("replica_misses", s.replica_misses, "access",
            "loads of another slice's line that fetched it to here");
  v.counter("sm_loads", s.sm_loads, "access", "loads from the slice's own SMs");
  v.counter("sm_loads_served", s.sm_loads_served, "access",
            "loads from the slice's own SMs that it served without another slice");
  v.counter("flushes", s.flushes, "flush", "times all lines were written back and dropped");
  v.counter("flush_cycles", s.flush_cycles, "cycle", "time that flushes took");
  v.counter("invalidations_sent", s.invalidations_sent, "line",
            "invalidations sent to the peer slice");
  v.counter("invalidations_received", s.invalidations_received, "line",
            "invalidations received from the peer slice");
  v.counter("stalls_mshr", s.stalls_mshr, "access",
            "stalled lookups, each counted once, whose first cause was that no MSHR was free");
  v.counter("stalls_ways", s.stalls_ways, "access",
            "stalled lookups, each counted once, whose first cause was that every way of the set "
            "waited for a fill");
  v.counter("stalls_output", s.stalls_output, "access",
            "stalled lookups, each counted once, whose first cause was a full queue of responses "
            "or memory requests");
  v.counter("lookup_wait_cycles", s.lookup_wait_cycles, "cycle",
            "of accesses: from the end of the lookup latency to the lookup");
  v.counter("merge_wait_cycles", s.merge_wait_cycles, "cycle",
            "of accesses to a line that is being fetched: from the lookup to the line");
  v.counter("response_wait_cycles", s.response_wait_cycles, "cycle",
            "of responses: until the network took them");
  v.waits(WaitKind::kResourceBusy, {"stalls_mshr", "stalls_ways", "lookup_wait_cycles"});
  v.waits(WaitKind::kQueueFull, {"stalls_output", "response_wait_cycles"});
  v.waits(WaitKind::kDataDependence, {"merges", "merge_wait_cycles"});
  v.counter("bytes_read", s.bytes_read, "byte", "bytes of read responses");
  v.counter("bytes_written", s.bytes_written, "byte", "bytes of acknowledged writes");
  v.histogram("miss_latency", s.miss_latency, "cycle",
              "from the request to the channel to the line's arrival");
  v.bandwidth("bandwidth", s.bandwidth, "bytes of responses over time");
}

}  // namespace tessera
