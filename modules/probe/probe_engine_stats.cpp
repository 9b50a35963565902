// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "modules/kernel/statistics_visitor.h"
#include "modules/probe/probe_engine.h"

namespace tessera {

void ProbeEngine::describe_waiting(std::vector<Waiting>& out) const {
  const auto add = [&](const char* queue, std::size_t items, WaitKind kind, const char* waits_for) {
    if (items != 0) out.push_back({std::string(name()) + "." + queue, items, kind, waits_for});
  };
  add("requests", requests_.size(), WaitKind::kResourceBusy, "the next cycle");
  add("incoming", incoming_.size(), WaitKind::kResourceBusy,
      "a free cycle of the L1, or room for a reply");
  add("groups", groups_.size(), WaitKind::kDataDependence,
      "the return of their probes, or the timeout");
  constexpr std::array<const char*, kClasses> kNames = {"direct", "selective", "forwarded",
                                                        "returned", "own"};
  for (unsigned c = 0; c < kClasses; ++c) {
    add(kNames[c], to_network_[c].size(), WaitKind::kQueueFull, "END_REQ from the network");
  }
  add("replies", probe_port_.responses.queue.size(), WaitKind::kQueueFull,
      "END_RESP from the network");
  add("to_core", core_port_.responses.queue.size(), WaitKind::kQueueFull, "END_RESP from the L1");
  add("at_l2", static_cast<std::size_t>(at_l2_), WaitKind::kDataDependence,
      "responses of LLC slices");
}

void describe(StatisticsVisitor& v, ProbeStats& s) {
  v.counter("read_misses", s.read_misses, "miss", "read misses of the L1 that could be probed");
  v.counter("own_writes", s.own_writes, "miss",
            "read misses that were not probed because the core had written the line since its last "
            "flush");
  v.counter("untracked", s.untracked, "miss",
            "read misses that were not probed because too many misses had probes in flight");
  v.counter("predicted", s.predicted, "miss",
            "read misses that were probed, or forwarded to another core by their slice");
  v.counter("shared", s.shared, "miss", "read misses whose line another core held, by an oracle");
  v.counter("predicted_shared", s.predicted_shared, "miss",
            "read misses that were probed and whose line another core held, by an oracle");
  v.counter("leaders", s.leaders, "probe", "leader probes sent, of both levels");
  v.counter("scouts", s.scouts, "probe", "scout probes sent");
  v.counter("second_level", s.second_level, "miss", "misses whose scouts' candidates were probed");
  v.counter("supplied", s.supplied, "miss", "misses whose line another core has supplied");
  v.counter("failed", s.failed, "miss",
            "misses that went to the L2 after all probes returned, or returned to their slice");
  v.counter("timeouts", s.timeouts, "miss", "misses that went to the L2 after the timeout");
  v.counter("late", s.late, "message", "probes and lines that returned after their miss had left");
  v.counter("lookups", s.lookups, "lookup", "L1 lookups for other cores");
  v.counter("lookup_hits", s.lookup_hits, "lookup",
            "L1 lookups for other cores that found the line");
  v.counter("stale", s.stale, "lookup",
            "L1 lookups for other cores that did not supply the line because it was requested "
            "before the last fence");
  v.counter("deflected", s.deflected, "probe",
            "probes and forwarded loads that found the incoming queue full");
  v.counter("forwarded", s.forwarded, "probe", "probes sent on to another core");
  v.histogram("supply_latency", s.supply_latency, "cycle",
              "from a miss (of a forwarded load: from its issue) to the line of another core");
  v.histogram("search_length", s.search_length, "core",
              "cores that a probe had reached when it returned");
}

void ProbeEngine::register_statistics(StatisticsRegistry& r) const {
  BlockBase::register_statistics(r);
  const std::string base = std::string(name()) + "." + MissRouting::kFamily;
  r.counters(base, routing_->counters());
}

}  // namespace tessera
