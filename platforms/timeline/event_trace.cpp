// SPDX-License-Identifier: Apache-2.0
#include "platforms/timeline/event_trace.h"

#include <algorithm>

namespace tessera {

namespace {

std::uint64_t ns_of(Tick t) { return t / kTicksPerNs; }

std::string last_name(const std::string& path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

EventTrace::EventTrace(const PlatformPlan& plan, const TimelineOptions& options)
    : options_(options), writer_(options.file), children_(1) {
  // A node comes after its parent, and before the blocks that it contains.
  for (std::size_t n = 0; n < plan.nodes.size(); ++n) {
    const PlannedNode& node = plan.nodes[n];
    nodes_.push_back(add_track(n == 0 ? 0 : nodes_[node.parent], last_name(node.name), ""));
  }
  for (const PlannedBlock& b : plan.blocks) {
    blocks_.push_back(add_track(nodes_[b.node], b.name, ""));
  }
}

std::uint64_t EventTrace::add_track(std::uint64_t parent, const std::string& name,
                                    const std::string& unit) {
  children_.push_back(0);
  writer_.track({++tracks_, parent, name, children_[parent]++, unit});
  return tracks_;
}

EventLanes& EventTrace::lanes(std::uint64_t parent, std::string name) {
  return lanes_.emplace_back(EventLanes{parent, std::move(name)});
}

std::uint64_t EventTrace::counter(std::uint64_t parent, const std::string& name,
                                  const std::string& unit) {
  return add_track(parent, name, unit);
}

/// Of the lanes that are free at that time, the one that was used last.
std::size_t EventTrace::free_lane(EventLanes& lanes, Tick at) {
  std::size_t best = lanes.lanes.size();
  for (std::size_t i = 0; i < lanes.lanes.size(); ++i) {
    const EventLanes::Lane& lane = lanes.lanes[i];
    if (lane.open || lane.free_at > at) continue;
    if (best == lanes.lanes.size() || lane.free_at > lanes.lanes[best].free_at) best = i;
  }
  if (best == lanes.lanes.size()) lanes.lanes.push_back({add_track(lanes.parent, lanes.name, "")});
  return best;
}

void EventTrace::slice(EventLanes& lanes, const std::string& name, Tick begin, Tick end,
                       const EventValues& values) {
  if (finished_ || begin >= options_.until || end < options_.from) return;
  const Tick from = std::max(begin, options_.from);
  const Tick until = std::min(end, options_.until);
  const std::size_t lane = free_lane(lanes, from);
  writer_.begin(lanes.lanes[lane].track, ns_of(from), name, 0, values);
  writer_.end(lanes.lanes[lane].track, ns_of(until), {});
  lanes.lanes[lane].free_at = until;
}

std::size_t EventTrace::begin(EventLanes& lanes, const std::string& name, Tick at,
                              std::uint64_t flow, const EventValues& values) {
  const std::size_t lane = free_lane(lanes, at);
  lanes.lanes[lane].open = true;
  writer_.begin(lanes.lanes[lane].track, ns_of(at), name, flow, values);
  return lane;
}

void EventTrace::end(EventLanes& lanes, std::size_t lane, Tick at, const EventValues& values) {
  lanes.lanes[lane].open = false;
  lanes.lanes[lane].free_at = at;
  writer_.end(lanes.lanes[lane].track, ns_of(at), values);
}

void EventTrace::instant(EventLanes& lanes, const std::string& name, Tick at,
                         const EventValues& values) {
  if (!records(at)) return;
  const std::size_t lane = free_lane(lanes, at);
  writer_.instant(lanes.lanes[lane].track, ns_of(at), name, values);
  lanes.lanes[lane].free_at = at;
}

void EventTrace::count(std::uint64_t counter, Tick at, double value) {
  writer_.counter(counter, ns_of(at), value);
}

std::optional<std::string> EventTrace::finish() {
  finished_ = true;
  return writer_.finish();
}

}  // namespace tessera
