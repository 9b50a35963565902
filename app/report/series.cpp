// SPDX-License-Identifier: Apache-2.0
#include "app/report/series.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "app/report/csv.h"
#include "app/report/shares.h"
#include "app/report/traffic.h"
#include "common/block_class.h"
#include "common/error.h"
#include "common/json.h"
#include "common/text.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;
using PerInterval = std::vector<double>;

/// The intervals of a run and its classes of blocks.
class RecordedSeries {
 public:
  explicit RecordedSeries(const ordered_json& stats) : stats_(stats), section_(section_of(stats)) {
    const auto intervals = section_["intervals"].get<std::size_t>();
    const auto width = section_["interval_ns"].get<double>();
    const auto end = section_["end_ns"].get<double>();
    const auto begin = section_["begin_ns"].get<double>();
    for (std::size_t i = 0; i < intervals; ++i) {
      begin_ns_.push_back(begin + static_cast<double>(i) * width);
      end_ns_.push_back(i + 1 == intervals ? end : begin + static_cast<double>(i + 1) * width);
    }
    std::map<std::string, std::size_t> names;
    for (const auto& [name, block] : classes().items()) ++names[own_name(block)];
    for (const auto& [name, block] : classes().items()) {
      const std::string title = block_class_title(block["first"]);
      const bool one = names[own_name(block)] == 1;
      short_[name] = one                             ? own_name(block)
                     : begins_with(title, "system.") ? title.substr(7)
                                                     : title;
    }
  }

  const ordered_json& stats() const { return stats_; }
  const ordered_json& classes() const { return section_["classes"]; }
  /// "llc" for "system.gpu*.llc*"; with the class's nodes if two classes have this name.
  const std::string& short_name(const std::string& block) const { return short_.at(block); }
  std::size_t size() const { return begin_ns_.size(); }
  double length_ns(std::size_t interval) const { return end_ns_[interval] - begin_ns_[interval]; }
  const PerInterval& begin_ns() const { return begin_ns_; }
  const PerInterval& end_ns() const { return end_ns_; }

  /// Frequency of the group of parameters that has the class's name; 0: there is none.
  double clock_hz(const std::string& group) const {
    const ordered_json::json_pointer where("/config/" + group + "/clock_hz");
    return stats_.contains(where) && stats_.at(where).is_number() ? stats_.at(where).get<double>()
                                                                  : 0;
  }

 private:
  static const ordered_json& section_of(const ordered_json& stats) {
    const auto series = stats.find("series");
    if (series == stats.end() || !series->is_object()) {
      throw InputError("the run has no series: tessera run --series NS records them");
    }
    return *series;
  }
  /// The last component without '*' and '_' at its end: "l1" for "system.gpu*.l1_*".
  static std::string own_name(const ordered_json& block) {
    const std::string title = block_class_title(block["first"]);
    std::string name = title.substr(title.rfind('.') + 1);
    while (!name.empty() && (name.back() == '*' || name.back() == '_')) name.pop_back();
    return name;
  }

  const ordered_json& stats_;
  const ordered_json& section_;
  PerInterval begin_ns_;
  PerInterval end_ns_;
  std::map<std::string, std::string> short_;
};

PerInterval per_interval(const ordered_json& statistic) {
  return statistic["values"].get<PerInterval>();
}

/// Those of a statistic of a class; zeros if it never counted.
PerInterval per_interval(const RecordedSeries& series, const ordered_json& statistics,
                         const std::string& name) {
  const auto it = statistics.find(name);
  return it == statistics.end() ? PerInterval(series.size()) : per_interval(*it);
}

void accumulate(PerInterval& to, const PerInterval& more) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
}

/// part / whole of each interval; null where the whole is 0.
ordered_json ratio_per_interval(const PerInterval& part, const PerInterval& whole) {
  ordered_json out = ordered_json::array();
  for (std::size_t i = 0; i < part.size(); ++i) {
    out.push_back(whole[i] == 0 ? ordered_json() : ordered_json(part[i] / whole[i]));
  }
  return out;
}

void append_column(ordered_json& columns, const std::string& name, const std::string& unit,
                   const std::string& description, ordered_json values) {
  columns.push_back({{"name", name},
                     {"unit", unit},
                     {"description", description},
                     {"values", std::move(values)}});
}

void add_bandwidths(const RecordedSeries& series, ordered_json& columns) {
  std::map<std::size_t, std::pair<TrafficLevel, PerInterval>> levels;
  for (const auto& [block, entry] : series.classes().items()) {
    for (const auto& [name, statistic] : entry["statistics"].items()) {
      if (statistic["kind"] != "bandwidth") continue;
      const TrafficLevel level = traffic_level(entry["first"], name);
      auto& [of, bytes] =
          levels.try_emplace(level.order, level, PerInterval(series.size())).first->second;
      accumulate(bytes, per_interval(statistic));
    }
  }
  for (const auto& [order, found] : levels) {
    const auto& [level, bytes] = found;
    PerInterval time;
    PerInterval most;
    const auto peak = traffic_peak(series.stats(), level.key);
    for (std::size_t i = 0; i < series.size(); ++i) {
      time.push_back(series.length_ns(i));
      most.push_back(series.length_ns(i) * peak.value_or(0));
    }
    // Bytes per nanosecond are GB/s.
    append_column(columns, level.key + ".gb_per_s", "GB/s", level.name + ": bytes over time",
                  ratio_per_interval(bytes, time));
    if (!peak) continue;
    append_column(columns, level.key + ".share_of_peak", "",
                  level.name + ": bandwidth over its peak", ratio_per_interval(bytes, most));
  }
}

/// As hit_rates_of() (shares.h): hits over hits, misses, merges and row conflicts.
void add_hit_rates(const RecordedSeries& series, ordered_json& columns) {
  for (const auto& [block, entry] : series.classes().items()) {
    const ordered_json& statistics = entry["statistics"];
    for (const auto& [name, statistic] : statistics.items()) {
      for (const char* end : {"hits", "misses"}) {
        if (!ends_with(name, end)) continue;
        const std::string begin = name.substr(0, name.size() - std::string(end).size());
        if (!begin.empty() && begin.back() != '_') continue;
        // A cache that only missed has no hits here.
        if (std::string(end) == "misses" && statistics.contains(begin + "hits")) continue;
        if (std::string(end) == "hits" && !statistics.contains(begin + "misses") &&
            !series.stats().contains(ordered_json::json_pointer("/dictionary/modules/" + block +
                                                                "/" + begin + "misses"))) {
          continue;
        }
        const PerInterval hits = per_interval(series, statistics, begin + "hits");
        PerInterval all = hits;
        for (const char* other : {"misses", "merges", "conflicts"}) {
          accumulate(all, per_interval(series, statistics, begin + other));
        }
        append_column(columns, series.short_name(block) + "." + begin + "hit_rate", "",
                      begin + "hits over lookups", ratio_per_interval(hits, all));
      }
    }
  }
}

void add_occupancies(const RecordedSeries& series, ordered_json& columns) {
  for (const auto& [block, entry] : series.classes().items()) {
    const PerInterval blocks(series.size(), entry["blocks"].get<double>());
    for (const auto& [name, statistic] : entry["statistics"].items()) {
      if (statistic["kind"] != "occupancy") continue;
      append_column(columns, series.short_name(block) + "." + name, statistic["unit"],
                    statistic["description"].get<std::string>() + ", average of a block",
                    ratio_per_interval(per_interval(statistic), blocks));
    }
  }
}

/// Mean latencies, and their sums over time: the accesses in flight.
void add_latencies(const RecordedSeries& series, ordered_json& columns) {
  for (const auto& [block, entry] : series.classes().items()) {
    const ordered_json& statistics = entry["statistics"];
    for (const auto& [name, statistic] : statistics.items()) {
      if (!ends_with(name, "latency.sum")) continue;
      const std::string own = name.substr(0, name.size() - 4);
      const std::string column = series.short_name(block) + "." + own;
      const std::string unit = statistic["unit"];
      const PerInterval sum = per_interval(statistic);
      append_column(columns, column, unit, statistic["description"].get<std::string>() + ", mean",
                    ratio_per_interval(sum, per_interval(series, statistics, own + ".count")));
      const double hertz = series.clock_hz(series.short_name(block));
      if (hertz == 0 || (unit != "cycle" && unit != "memory clock")) continue;
      PerInterval most;
      for (std::size_t i = 0; i < series.size(); ++i) {
        most.push_back(series.length_ns(i) * hertz / 1e9 * entry["blocks"].get<double>());
      }
      append_column(columns, column + ".in_flight", "",
                    "accesses in flight in a block: " + own +
                        " of those that ended in the interval, over its cycles (Little's law)",
                    ratio_per_interval(sum, most));
    }
  }
}

void add_issue_slots(const RecordedSeries& series, ordered_json& columns) {
  for (const auto& [block, entry] : series.classes().items()) {
    const ordered_json& statistics = entry["statistics"];
    const std::string& sm = series.short_name(block);
    const ordered_json::json_pointer schedulers("/config/" + sm + "/schedulers");
    if (!statistics.contains("issued_slots") || series.clock_hz(sm) == 0 ||
        !series.stats().contains(schedulers)) {
      continue;
    }
    const double slots = series.clock_hz(sm) / 1e9 * series.stats().at(schedulers).get<double>() *
                         entry["blocks"].get<double>();
    PerInterval all;
    for (std::size_t i = 0; i < series.size(); ++i) all.push_back(series.length_ns(i) * slots);
    PerInterval rest = all;
    for (const IssueSlotUse& use : kIssueSlotUses) {
      const std::string name = use.statistic;
      // An SM counts its idle slots when it wakes, which can be in a later interval.
      if (name == "idle_slots") continue;
      const PerInterval used = per_interval(series, statistics, name);
      for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = std::max(0.0, rest[i] - used[i]);
      append_column(columns, sm + "." + name + ".share", "",
                    "issue slots over all of the interval: " + std::string(use.name),
                    ratio_per_interval(used, all));
    }
    append_column(columns, sm + ".other_slots.share", "",
                  "issue slots without a resident warp: idle SMs, and time between kernels",
                  ratio_per_interval(rest, all));
  }
}

void add_stalls(const RecordedSeries& series, ordered_json& columns) {
  for (const auto& [block, entry] : series.classes().items()) {
    for (const auto& [name, statistic] : entry["statistics"].items()) {
      if (!begins_with(name, "stalls_")) continue;
      append_column(columns, series.short_name(block) + "." + name, statistic["unit"],
                    statistic["description"], statistic["values"]);
    }
  }
}

void add_raw(const RecordedSeries& series, ordered_json& columns) {
  for (const auto& [block, entry] : series.classes().items()) {
    for (const auto& [name, statistic] : entry["statistics"].items()) {
      std::string column = block;
      column += "." + name;
      append_column(columns, column, statistic["unit"], statistic["description"],
                    statistic["values"]);
    }
  }
}

}  // namespace

ordered_json series_document(const ordered_json& stats, bool raw) {
  const RecordedSeries series(stats);
  ordered_json columns = ordered_json::array();
  add_bandwidths(series, columns);
  add_hit_rates(series, columns);
  add_occupancies(series, columns);
  add_latencies(series, columns);
  add_issue_slots(series, columns);
  add_stalls(series, columns);
  if (raw) add_raw(series, columns);
  return {{"begin_ns", series.begin_ns()},
          {"end_ns", series.end_ns()},
          {"columns", std::move(columns)}};
}

std::string series_csv(const ordered_json& document) {
  std::string text = "begin_ns,end_ns";
  for (const ordered_json& column : document["columns"]) {
    text += "," + csv_field(column["name"].get<std::string>());
  }
  text += "\r\n";
  for (std::size_t i = 0; i < document["begin_ns"].size(); ++i) {
    text += csv_value(document["begin_ns"][i]) + "," + csv_value(document["end_ns"][i]);
    for (const ordered_json& column : document["columns"]) {
      text += "," + csv_value(column["values"][i]);
    }
    text += "\r\n";
  }
  return text;
}

}  // namespace tessera::app
