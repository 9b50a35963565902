// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/kernel/time.h"
#include "modules/plan/plan.h"
#include "platforms/timeline/timeline_options.h"
#include "platforms/timeline/trace_writer.h"

namespace tessera {

/// Tracks of one name below a track, so that slices which overlap in time are on different ones.
/// Perfetto's UI draws tracks of one name and parent as one.
struct EventLanes {
  std::uint64_t parent = 0;
  std::string name;
  struct Lane {
    std::uint64_t track = 0;
    Tick free_at = 0;
    bool open = false;  ///< has a slice without end
  };
  std::vector<Lane> lanes = {};
};

/// The events of one run: a tree of tracks, which is that of the platform's plan (nodes, and below
/// each its blocks, by their names), with slices, instants and counters. Not to be confused with
/// MachineTimeline, the section "timeline" of a virtual platform's stats.json.
///
/// No event has an effect after finish(). Times are ticks; the file has nanoseconds, rounded down.
/// Slices of a track do not overlap, and come in the order of time.
class EventTrace {
 public:
  /// The plan must outlive it. Throws InputError if the file cannot be created.
  EventTrace(const PlatformPlan& plan, const TimelineOptions& options);

  const TimelineOptions& options() const { return options_; }
  /// Whether an event of this time is recorded.
  bool records(Tick t) const { return !finished_ && t >= options_.from && t < options_.until; }

  std::uint64_t node(std::uint32_t node) const { return nodes_[node]; }
  std::uint64_t block(PlannedBlockId block) const { return blocks_[block]; }
  /// Lanes below a track. The reference stays valid.
  EventLanes& lanes(std::uint64_t parent, std::string name);
  /// A counter below a track.
  std::uint64_t counter(std::uint64_t parent, const std::string& name, const std::string& unit);

  /// A slice that has ended, cut to the recorded time.
  void slice(EventLanes& lanes, const std::string& name, Tick begin, Tick end,
             const EventValues& values = {});
  /// Begins a slice, and returns its lane. `flow`: as TraceWriter::begin(). Not cut.
  std::size_t begin(EventLanes& lanes, const std::string& name, Tick at, std::uint64_t flow,
                    const EventValues& values = {});
  void end(EventLanes& lanes, std::size_t lane, Tick at, const EventValues& values = {});
  void instant(EventLanes& lanes, const std::string& name, Tick at, const EventValues& values = {});
  /// The value of a counter from this time on.
  void count(std::uint64_t counter, Tick at, double value);

  /// Once. Returns why the file is not complete; nothing if it is.
  std::optional<std::string> finish();

 private:
  std::uint64_t add_track(std::uint64_t parent, const std::string& name, const std::string& unit);
  std::size_t free_lane(EventLanes& lanes, Tick at);

  const TimelineOptions options_;
  TraceWriter writer_;
  std::uint64_t tracks_ = 0;
  std::vector<std::int32_t> children_;  ///< by track: tracks below it so far
  std::vector<std::uint64_t> nodes_;
  std::vector<std::uint64_t> blocks_;
  std::deque<EventLanes> lanes_;
  bool finished_ = false;
};

}  // namespace tessera
