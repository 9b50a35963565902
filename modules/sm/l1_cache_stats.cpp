// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/statistics_visitor.h"
#include "modules/sm/l1_cache.h"

namespace tessera {

void describe(StatisticsVisitor& v, L1Stats& s) {
  v.counter("loads", s.loads, "access", "line loads");
  v.counter("stores", s.stores, "access", "line stores");
  v.counter("atomics", s.atomics, "access", "atomic line accesses forwarded");
  v.counter("bypasses", s.bypasses, "access", "loads that may not be cached here");
  v.counter("load_hits", s.load_hits, "access", "loads that hit");
  v.counter("load_misses", s.load_misses, "access", "loads that fetch a line");
  v.counter("load_merges", s.load_merges, "access", "loads of a line that is being fetched");
  v.counter("scalar_loads", s.scalar_loads, "access",
            "loads that looked up the scalar cache instead");
  v.counter("scalar_hits", s.scalar_hits, "access", "loads that hit in the scalar cache");
  v.counter("store_hits", s.store_hits, "access", "stores that updated a line");
  v.counter("evictions", s.evictions, "line", "lines replaced");
  v.counter("flushes", s.flushes, "flush", "times all lines were dropped");
  v.counter("stalls_mshr", s.stalls_mshr, "access",
            "stalled lookups, each counted once, whose first cause was that no MSHR was free");
  v.counter("stalls_frames", s.stalls_frames, "access",
            "stalled lookups, each counted once, whose first cause was that every way of the set "
            "waited for a line");
  v.counter("stalls_miss_queue", s.stalls_miss_queue, "access",
            "stalled lookups, each counted once, whose first cause was that the network accepted "
            "no request");
  v.counter("bytes_to_core", s.bytes_to_core, "byte", "bytes requested by lanes");
  v.counter("bytes_filled", s.bytes_filled, "byte", "bytes of fetched lines");
  v.waits(WaitKind::kResourceBusy, {"stalls_mshr", "stalls_frames"});
  v.waits(WaitKind::kQueueFull, {"stalls_miss_queue"});
  v.cycles("request_network_cycles", s.request_network, "of served misses: from here to the slice");
  v.cycles("llc_cycles", s.llc,
           "of served misses: in the slice, until the request to its channel or its response");
  v.cycles("dram_cycles", s.dram, "of served misses: from the slice to its channel and back");
  v.cycles("llc_return_cycles", s.llc_return, "of served misses: in the slice after the channel");
  v.cycles("response_network_cycles", s.response_network,
           "of served misses: from the slice to here");
  v.cycles("copy_request_network_cycles", s.copy_request_network,
           "of misses that a copy in another slice served: from the L1 to that slice");
  v.cycles("copy_cycles", s.copy, "of misses that a copy in another slice served: in that slice");
  v.cycles("copy_response_network_cycles", s.copy_response_network,
           "of misses that a copy in another slice served: from that slice to the L1");
  v.cycles("other_l1_cycles", s.other_l1, "of misses that another core's L1 served");
  v.cycles("unstamped_cycles", s.unstamped,
           "of misses served by a block that writes no time stamps");
  v.cycles("remote_cache_cycles", s.far_cache, "part of llc_cycles: in a remote cache");
  v.cycles(
      "llc_merge_cycles", s.llc_merge,
      "part of llc_cycles: of loads whose line the home slice was fetching for another request");
  v.cycles("miss_queue_wait_cycles", s.miss_queue_wait,
           "of requests of all kinds: until the network took them, before miss_latency");
  v.waits(WaitKind::kNetworkTransfer,
          {"request_network_cycles", "response_network_cycles", "copy_request_network_cycles",
           "copy_response_network_cycles"});
  v.waits(WaitKind::kDataDependence, {"dram_cycles", "llc_merge_cycles"});
  v.waits(WaitKind::kQueueFull, {"miss_queue_wait_cycles"});
  v.histogram("miss_latency", s.miss_latency, "cycle", "from a miss's departure to its line");
  v.bandwidth("bandwidth", s.bandwidth, "bytes filled over time");
}

void L1Cache::register_statistics(StatisticsRegistry& registry) const {
  StatisticsRegistrar registrar(registry, name(), &clock_);
  if (!config_.reserve_frames) registrar.leave_out(stats_.stalls_frames);
  if (scalar_ == nullptr) {
    registrar.leave_out(stats_.scalar_loads);
    registrar.leave_out(stats_.scalar_hits);
  }
  registrar.add(stats_);
  const std::vector<Counter>& homes = homes_.counts();
  for (std::size_t node = 0; node < homes.size(); ++node) {
    registry.counter(name(), home_misses_name(node), homes[node], "access",
                     "served misses of lines whose home is in this node, by number");
  }
  registry.counters(name(), array_.replacement().counters());
}

}  // namespace tessera
