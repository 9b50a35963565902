// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/json_fwd.h"
#include "modules/kernel/stats.h"
#include "modules/kernel/time.h"

namespace tessera {

/// Statistics over simulated time, summed over all blocks of a class: "series" of stats.json
/// (docs/guide/series.md). It reads the totals of a registry at the end of each interval; blocks
/// know nothing of it. Indices in a statistic's name are summed like those of blocks:
/// "egress*_bytes". A histogram has the rows "NAME.count" and "NAME.sum".
///
/// Interval n covers the times from begin + n * interval to the tick before the next one. It is
/// sampled when SystemC has executed all activity up to that tick, so that the order of processes
/// has no effect. Beyond kMostIntervals, pairs of intervals are merged and the interval doubles.
///
/// Not recorded: times of blocks, and values that are computed when they are read.
class SeriesRecorder {
 public:
  static constexpr std::size_t kMostIntervals = 256;

  /// `interval`: at least 1. `settle`: called before each sample within the run; it brings counters
  /// that blocks count later up to the present time, if that leaves the run's result as it is. Can
  /// be empty. `registry` must outlive the recorder.
  SeriesRecorder(const StatisticsRegistry& registry, Tick interval, std::function<void()> settle);
  ~SeriesRecorder();
  SeriesRecorder(const SeriesRecorder&) = delete;
  SeriesRecorder& operator=(const SeriesRecorder&) = delete;

  /// The first interval begins now. Statistics that are registered later are not recorded.
  void begin();
  /// The last interval ends now. No effect before begin() and after end().
  void end();

  /// Executes SystemC activity up to `until`, the whole instant included, or up to the end of an
  /// interval, which it samples. kNever: no bound. Returns earlier if the run is paused. The time
  /// afterwards is that of the bound, or of the pause.
  void run(Tick until);

  bool ended() const { return ended_; }
  /// The section, after end().
  nlohmann::ordered_json to_json() const;

 private:
  /// A statistic of a class of blocks.
  struct Row {
    std::string unit;
    std::string description;
    std::string kind;                    ///< StatisticInfo::kind
    std::vector<std::string> originals;  ///< names that the row's name stands for
    std::vector<std::size_t> totals;     ///< in totals_
    std::uint64_t last = 0;              ///< sum at the last sample
    std::vector<std::uint64_t> added;    ///< by interval
  };

  bool records() const { return begun_ && !ended_; }
  Tick interval_end() const { return begin_ + (done_ + 1) * interval_; }
  void sample(Tick t);
  void merge_pairs();
  Tick length(std::size_t interval) const;

  const StatisticsRegistry& registry_;
  const std::function<void()> settle_;
  Tick interval_;
  Tick begin_ = 0;
  Tick end_ = 0;
  std::size_t done_ = 0;  ///< complete intervals
  bool begun_ = false;
  bool ended_ = false;
  std::vector<StatisticsRegistry::RunningTotal> totals_;
  std::map<std::string, std::set<std::string>> blocks_;     ///< of each class
  std::map<std::string, std::map<std::string, Row>> rows_;  ///< by class, then by name
};

}  // namespace tessera
