// SPDX-License-Identifier: Apache-2.0
#include "platforms/series_recorder.h"

#include <algorithm>
#include <systemc>
#include <utility>

#include "common/json.h"
#include "modules/kernel/sample_time.h"
#include "modules/kernel/sc_time.h"

namespace tessera {

using nlohmann::ordered_json;

namespace {

double ns(Tick t) { return static_cast<double>(t) / static_cast<double>(kTicksPerNs); }

}  // namespace

SeriesRecorder::SeriesRecorder(const StatisticsRegistry& registry, Tick interval,
                               std::function<void()> settle)
    : registry_(registry), settle_(std::move(settle)), interval_(interval) {}

SeriesRecorder::~SeriesRecorder() { next_sample_time = kNever; }

void SeriesRecorder::begin() {
  begun_ = true;
  begin_ = now();
  totals_ = registry_.running_totals();
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    const StatisticInfo& info = *totals_[i].info;
    const std::string block = StatisticsRegistry::block_of(info.module);
    blocks_[block].insert(info.module);
    const std::string& field = totals_[i].field;
    const std::string name = field.empty() ? info.name : info.name + "." + field;
    Row& row = rows_[block][StatisticsRegistry::block_of(name)];
    if (row.totals.empty()) {
      row.unit = field == "count" ? "" : info.unit;
      row.description = info.description;
      row.kind = info.kind;
    }
    if (std::find(row.originals.begin(), row.originals.end(), name) == row.originals.end()) {
      row.originals.push_back(name);
    }
    row.totals.push_back(i);
    row.last += totals_[i].at(begin_);
  }
  next_sample_time = interval_end();
  // The call of SystemC under way does not end with an interval. The next one does.
  if (sc_core::sc_is_running()) sc_core::sc_pause();
}

void SeriesRecorder::run(Tick until) {
  const Tick last = records() ? interval_end() - 1 : kNever;
  const Tick stop = std::min(until, last);
  if (stop == kNever) {
    sc_core::sc_start();
    return;
  }
  if (now() < stop) sc_core::sc_start(to_sc_time(stop - now()));
  // A window can have ended since.
  if (!records() || now() != stop || stop != last) return;
  // A call with a duration leaves the activity at its end to the next call.
  if (sc_core::sc_pending_activity_at_current_time()) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return;
  }
  if (settle_) settle_();
  sample(last + 1);
  if (++done_ == kMostIntervals) merge_pairs();
  next_sample_time = interval_end();
}

/// Adds the growth of the totals up to t to the interval that ends there, or is in progress.
void SeriesRecorder::sample(Tick t) {
  for (auto& [block, rows] : rows_) {
    for (auto& [name, row] : rows) {
      std::uint64_t sum = 0;
      for (const std::size_t i : row.totals) sum += totals_[i].at(t);
      row.added.push_back(sum - row.last);
      row.last = sum;
    }
  }
}

void SeriesRecorder::merge_pairs() {
  for (auto& [block, rows] : rows_) {
    for (auto& [name, row] : rows) {
      for (std::size_t i = 0; i < row.added.size(); i += 2) {
        row.added[i / 2] = row.added[i] + row.added[i + 1];
      }
      row.added.resize(row.added.size() / 2);
    }
  }
  interval_ *= 2;
  done_ /= 2;
}

void SeriesRecorder::end() {
  if (!records()) return;
  ended_ = true;
  next_sample_time = kNever;
  // The tick before an interval's end counts as its end.
  end_ = std::max(now(), begin_ + done_ * interval_);
  sample(end_);
}

Tick SeriesRecorder::length(std::size_t interval) const {
  return interval < done_ ? interval_ : end_ - (begin_ + done_ * interval_);
}

ordered_json SeriesRecorder::to_json() const {
  // The last interval has no length if the run has ended with the one before.
  const bool rest = begin_ + done_ * interval_ < end_;
  const std::size_t intervals = rest || done_ == 0 ? done_ + 1 : done_;
  ordered_json classes = ordered_json::object();
  for (const auto& [block, rows] : rows_) {
    ordered_json statistics = ordered_json::object();
    for (const auto& [name, row] : rows) {
      std::vector<std::uint64_t> added = row.added;
      if (added.size() > intervals) {
        added[intervals - 1] += added.back();
        added.resize(intervals);
      }
      ordered_json values = ordered_json::array();
      for (std::size_t i = 0; i < added.size(); ++i) {
        if (row.kind != "occupancy") {
          values.push_back(added[i]);
        } else {
          const Tick t = length(i);
          values.push_back(t == 0 ? 0.0 : static_cast<double>(added[i]) / static_cast<double>(t));
        }
      }
      const bool none = std::all_of(added.begin(), added.end(), [](auto v) { return v == 0; });
      if (none) continue;
      const bool one = row.originals.size() == 1;
      statistics[one ? row.originals.front() : name] = {
          {"unit", row.unit},
          {"kind", row.kind},
          {"description", one ? row.description : StatisticsRegistry::block_of(row.description)},
          {"values", std::move(values)}};
    }
    if (statistics.empty()) continue;
    classes[block] = {{"blocks", blocks_.at(block).size()},
                      {"first", *blocks_.at(block).begin()},
                      {"statistics", std::move(statistics)}};
  }
  return {{"begin_ns", ns(begin_)},
          {"end_ns", ns(end_)},
          {"interval_ns", ns(interval_)},
          {"intervals", intervals},
          {"classes", std::move(classes)}};
}

}  // namespace tessera
