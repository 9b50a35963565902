// SPDX-License-Identifier: Apache-2.0
#include "modules/llc/llc_slice.h"

namespace tessera {

void LlcSlice::register_statistics(StatisticsRegistry& registry) const {
  const std::string m = name();
  const LlcSliceStats& s = stats_;
  registry.counter(m, "reads", s.reads, "access", "line reads looked up");
  registry.counter(m, "writes", s.writes, "access", "writes looked up");
  registry.counter(m, "atomics", s.atomics, "access", "atomic accesses looked up");
  registry.counter(m, "atomic_lanes", s.atomic_lanes, "operation", "lane atomics performed");
  registry.counter(m, "hits", s.hits, "access", "accesses that found what they need");
  registry.counter(m, "misses", s.misses, "access", "accesses that fetch an absent line");
  registry.counter(m, "merges", s.merges, "access", "accesses to a line that is being fetched");
  registry.counter(m, "partial_fetches", s.partial_fetches, "access",
                   "reads of a line of which only written bytes were valid");
  registry.counter(m, "write_allocations", s.write_allocations, "access",
                   "writes that took a line without fetching it");
  registry.counter(m, "evictions", s.evictions, "line", "lines replaced");
  registry.counter(m, "write_backs", s.write_backs, "line", "dirty lines sent to the channel");
  registry.counter(m, "local_lookups", s.local_lookups, "access", "lookups from the LMR queue");
  registry.counter(m, "remote_lookups", s.remote_lookups, "access", "lookups from the RMR queue");
  registry.counter(m, "bypasses", s.bypasses, "request",
                   "local SMs' requests sent on to other slices without a place here");
  registry.counter(m, "replica_hits", s.replica_hits, "access",
                   "loads of another slice's line that found it here");
  registry.counter(m, "replica_misses", s.replica_misses, "access",
                   "loads of another slice's line that fetched it to here");
  registry.counter(m, "sm_loads", s.sm_loads, "access", "loads from the slice's own SMs");
  registry.counter(m, "sm_loads_served", s.sm_loads_served, "access",
                   "of these, served here without another slice");
  registry.counter(m, "flushes", s.flushes, "flush",
                   "times all lines were written back and dropped");
  registry.counter(m, "flush_cycles", s.flush_cycles, "cycle", "time that flushes took");
  registry.counter(m, "invalidations_sent", s.invalidations_sent, "line",
                   "lines that the other side was told to drop");
  registry.counter(m, "invalidations_received", s.invalidations_received, "line",
                   "lines that the other side wanted dropped");
  registry.counter(m, "stalls_mshr", s.stalls_mshr, "access",
                   "lookups put off, each counted once: first for want of MSHRs");
  registry.counter(m, "stalls_ways", s.stalls_ways, "access",
                   "the same: first since every way of the set waits for a fill");
  registry.counter(m, "stalls_output", s.stalls_output, "access",
                   "the same: first since replies or memory requests are backed up");
  registry.counter(m, "bytes_read", s.bytes_read, "byte", "bytes of read answers");
  registry.counter(m, "bytes_written", s.bytes_written, "byte", "bytes of acknowledged writes");
  registry.histogram(m, "miss_latency", s.miss_latency, "cycle",
                     "from the request to the channel to the line's arrival");
  registry.bandwidth(m, "bandwidth", s.bandwidth, "bytes answered over time");
}

}  // namespace tessera
