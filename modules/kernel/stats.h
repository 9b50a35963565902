// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/json_fwd.h"
#include "common/policy_counter.h"
#include "common/wait_kind.h"
#include "modules/kernel/time.h"

namespace tessera {

class StatisticsVisitor;

/// Blocks count statistics as integers; averages are computed when they are read.
using Counter = std::uint64_t;

/// Counts values in power-of-two buckets: bucket 0 is the value 0, bucket i holds
/// [2^(i-1), 2^i).
class Histogram {
 public:
  static constexpr std::size_t kBuckets = 65;

  Histogram() = default;
  /// As another one has been reported; further buckets are 0. Precondition: at most kBuckets.
  Histogram(std::uint64_t count, std::uint64_t sum, std::uint64_t max,
            const std::vector<std::uint64_t>& buckets)
      : count_(count), sum_(sum), max_(max) {
    std::copy(buckets.begin(), buckets.end(), buckets_.begin());
  }

  void add(std::uint64_t value) {
    ++buckets_[value == 0 ? 0 : 64 - static_cast<std::size_t>(__builtin_clzll(value))];
    ++count_;
    sum_ += value;
    if (value > max_) max_ = value;
  }
  /// Adds the values of another one.
  void add(const Histogram& other) {
    for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    max_ = std::max(max_, other.max_);
  }
  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }
  std::uint64_t max() const { return max_; }
  double mean() const {
    return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
  }
  std::uint64_t bucket(std::size_t i) const { return buckets_[i]; }

 private:
  // Next to the buckets of small values, in the same host cache line.
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
  std::array<std::uint64_t, kBuckets> buckets_{};
};

/// Time-weighted level of a queue.
class Occupancy {
 public:
  void set(std::uint64_t level, Tick t) {
    area_ += as_double(level_) * as_double(t - since_);
    since_ = t;
    level_ = level;
    if (level > max_) max_ = level;
  }
  std::uint64_t level() const { return level_; }
  std::uint64_t max() const { return max_; }
  /// Average from the window's start to t.
  double average(Tick t) const {
    if (t <= start_) return 0;
    return (area_ + as_double(level_) * as_double(t - since_)) / as_double(t - start_);
  }
  void reset(Tick t) {
    area_ = 0;
    start_ = since_ = t;
    max_ = level_;
  }

 private:
  /// Precondition: x < 2^63. The signed conversion is one instruction; the unsigned one is a branch
  /// and eight instructions.
  static double as_double(std::uint64_t x) {
    return static_cast<double>(static_cast<std::int64_t>(x));
  }

  double area_ = 0;
  Tick start_ = 0;
  Tick since_ = 0;
  std::uint64_t level_ = 0;
  std::uint64_t max_ = 0;
};

/// Bytes over time in at most kBins intervals. When the run exceeds them, pairs are merged and the
/// interval doubles, so that memory does not grow with the length of the run.
class BandwidthSeries {
 public:
  static constexpr std::size_t kBins = 128;

  /// `interval`: width of the first bins.
  explicit BandwidthSeries(Tick interval = 1'000'000'000) : interval_(interval) {}
  /// A series that has only a total, as another one has reported it.
  static BandwidthSeries of_total(std::uint64_t bytes) {
    BandwidthSeries series;
    series.before_ = bytes;
    return series;
  }
  void add(std::uint64_t bytes, Tick t) {
    if (t - bin_start_ >= interval_ || bins_.empty()) find_bin(t);
    in_bin_ += bytes;
  }
  /// Adds the bytes of another series that began with the same interval: as if one series had
  /// counted them all.
  void add(const BandwidthSeries& other);
  Tick interval() const { return interval_; }
  /// Bytes per interval, up to the last interval with traffic.
  std::vector<std::uint64_t> bins() const;
  std::uint64_t total() const { return before_ + in_bin_; }

 private:
  void find_bin(Tick t);

  Tick interval_;
  std::vector<std::uint64_t> bins_;
  std::size_t bin_ = 0;       ///< bin of the last add
  Tick bin_start_ = 0;        ///< start of this bin
  std::uint64_t in_bin_ = 0;  ///< bytes not yet added to this bin
  std::uint64_t before_ = 0;  ///< bytes added to bins
};

/// Name, unit and description of a statistic.
struct StatisticInfo {
  std::string module;  ///< hierarchical name of the block
  std::string name;
  std::string unit;
  std::string description;
  std::string kind;                ///< "counter", "value", "histogram", "occupancy", "bandwidth"
  std::optional<WaitKind> wait{};  ///< of a statistic that counts waits, or their time
};

/// All statistics of a platform, by hierarchical block name. Blocks register pointers to their own
/// members once, at elaboration; values are read when a report is written.
class StatisticsRegistry {
 public:
  /// A module's name with '*' for each index: "system.gpu0.llc12" becomes "system.gpu*.llc*".
  /// Blocks of the same kind share it.
  static std::string block_of(const std::string& module);

  void counter(std::string_view module, std::string_view name, const Counter& value,
               std::string_view unit, std::string_view description);
  /// The counters of a block's policy.
  void counters(std::string_view module, const std::vector<PolicyCounter>& all);
  /// A time, shown in whole cycles of a clock, which must outlive the registry.
  void cycles(std::string_view module, std::string_view name, const Tick& value,
              const ClockDomain& clock, std::string_view description);
  /// A value that is computed when it is read.
  void value(std::string_view module, std::string_view name, std::function<double()> get,
             std::string_view unit, std::string_view description);
  void histogram(std::string_view module, std::string_view name, const Histogram& value,
                 std::string_view unit, std::string_view description);
  /// A histogram that is computed when it is read.
  void histogram(std::string_view module, std::string_view name, std::function<Histogram()> get,
                 std::string_view unit, std::string_view description);
  void occupancy(std::string_view module, std::string_view name, Occupancy& value,
                 std::string_view unit, std::string_view description);
  void bandwidth(std::string_view module, std::string_view name, const BandwidthSeries& value,
                 std::string_view description);
  void bandwidth(std::string_view module, std::string_view name,
                 std::function<BandwidthSeries()> get, std::string_view description);

  /// The statistic counts waits of this kind, or their time. Throws std::logic_error if it is not
  /// registered.
  void waits(std::string_view module, std::string_view name, WaitKind kind);

  /// Begins a window of measurement at the present time: counters and times are then read relative
  /// to their present values, and occupancies are those since now. Other statistics are not
  /// changed: histograms and bandwidth change only by transactions, computed values say what holds
  /// at the end.
  void begin_window();

  /// A statistic that only grows, for a reader that samples it while the run goes on.
  struct RunningTotal {
    const StatisticInfo* info;  ///< valid until a further statistic is registered
    std::string field;          ///< of a histogram: "count" or "sum"; otherwise empty
    /// The total at t, the present time. Counter: its value. Bandwidth: bytes. Occupancy: its
    /// integral since window_start(), in the unit times ticks, exact below 2^50.
    std::function<std::uint64_t(Tick t)> at;
  };
  /// Those of all counters, bandwidths, histograms and occupancies, in the order of their
  /// registration. Their reading changes no statistic.
  std::vector<RunningTotal> running_totals() const;

  /// Time at which the window began; 0 without begin_window().
  Tick window_start() const { return window_start_; }

  const std::vector<StatisticInfo>& all() const { return infos_; }

  /// {"module": {"name": value}}; histograms, occupancies and series are objects.
  nlohmann::ordered_json to_json() const;
  /// {block: {statistic: {"unit", "kind", "description"}}}, one entry for all blocks of a kind;
  /// with "wait" (the name of the WaitKind) for statistics of waits.
  nlohmann::ordered_json dictionary() const;
  /// The present value of "module.name"; none if there is no such statistic, or it is no number.
  std::optional<double> number(std::string_view path) const;
  /// Sum of a counter over every module whose last name component begins with `prefix`.
  std::uint64_t sum(const std::string& prefix, const std::string& name) const;

 private:
  struct Entry {
    std::size_t info;
    /// Counter or time; null for other statistics.
    const std::uint64_t* total = nullptr;
    Occupancy* occupancy = nullptr;
    std::uint64_t before = 0;  ///< of total, when the window began
    /// `since`: the total since the window began.
    std::function<nlohmann::ordered_json(std::uint64_t since)> read;
  };
  /// `kind`: StatisticInfo::kind.
  static StatisticInfo info_of(std::string_view module, std::string_view name,
                               std::string_view unit, std::string_view description,
                               const char* kind);
  void add(StatisticInfo info, std::function<nlohmann::ordered_json(std::uint64_t)> read,
           const std::uint64_t* total = nullptr, Occupancy* occupancy = nullptr);

  std::vector<StatisticInfo> infos_;
  std::vector<Entry> entries_;
  std::map<std::string, std::vector<std::size_t>> by_module_;
  Tick window_start_ = 0;
};

}  // namespace tessera
