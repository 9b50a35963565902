// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/l1_cache.h"

namespace tessera {

void L1Cache::register_statistics(StatisticsRegistry& registry) const {
  const std::string m = name();
  const L1Stats& s = stats_;
  registry.counter(m, "loads", s.loads, "access", "line loads");
  registry.counter(m, "stores", s.stores, "access", "line stores");
  registry.counter(m, "atomics", s.atomics, "access", "atomic line accesses passed on");
  registry.counter(m, "bypasses", s.bypasses, "access", "loads that may not be cached here");
  registry.counter(m, "load_hits", s.load_hits, "access", "loads that hit");
  registry.counter(m, "load_misses", s.load_misses, "access", "loads that fetch a line");
  registry.counter(m, "load_merges", s.load_merges, "access",
                   "loads of a line that is being fetched");
  registry.counter(m, "store_hits", s.store_hits, "access", "stores that updated a line");
  registry.counter(m, "evictions", s.evictions, "line", "lines replaced");
  registry.counter(m, "flushes", s.flushes, "flush", "times all lines were dropped");
  registry.counter(m, "stalls_mshr", s.stalls_mshr, "access",
                   "lookups put off, each counted once: first for want of MSHRs");
  if (config_.reserve_frames) {
    registry.counter(m, "stalls_frames", s.stalls_frames, "access",
                     "the same: first since every frame of the set waits for a line");
  }
  registry.counter(m, "stalls_miss_queue", s.stalls_miss_queue, "access",
                   "the same: first since the network does not take requests");
  registry.counter(m, "bytes_to_core", s.bytes_to_core, "byte", "bytes that lanes asked for");
  registry.counter(m, "bytes_filled", s.bytes_filled, "byte", "bytes of fetched lines");
  const auto cycles = [&](const char* name, const Tick& ticks, const char* what) {
    registry.value(
        m, name, [this, &ticks] { return static_cast<double>(clock_.cycle_at(ticks)); }, "cycle",
        std::string("of served misses: ") + what);
  };
  cycles("request_network_cycles", s.request_network, "from here to the slice");
  cycles("llc_cycles", s.llc, "in the slice, before its channel or its answer");
  cycles("dram_cycles", s.dram, "from the slice to its channel and back");
  cycles("llc_return_cycles", s.llc_return, "in the slice after the channel");
  cycles("reply_network_cycles", s.reply_network, "from the slice to here");
  registry.histogram(m, "miss_latency", s.miss_latency, "cycle",
                     "from a miss's departure to its line");
  registry.bandwidth(m, "bandwidth", s.bandwidth, "bytes filled over time");
  registry.counters(m, array_.replacement().counters());
}

}  // namespace tessera
