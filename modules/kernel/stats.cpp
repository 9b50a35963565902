// SPDX-License-Identifier: Apache-2.0
#include "modules/kernel/stats.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "common/block_class.h"
#include "common/json.h"

namespace tessera {

using nlohmann::ordered_json;

std::vector<std::uint64_t> BandwidthSeries::bins() const {
  std::vector<std::uint64_t> all = bins_;
  if (!all.empty()) all[bin_] += in_bin_;
  return all;
}

void BandwidthSeries::find_bin(Tick t) {
  if (!bins_.empty()) bins_[bin_] += in_bin_;
  before_ += std::exchange(in_bin_, 0);
  std::size_t i = t / interval_;
  while (i >= kBins) {
    for (std::size_t j = 0; j < bins_.size(); j += 2) {
      bins_[j / 2] = bins_[j] + (j + 1 < bins_.size() ? bins_[j + 1] : 0);
    }
    bins_.resize((bins_.size() + 1) / 2);
    interval_ *= 2;
    i = t / interval_;
  }
  if (i >= bins_.size()) bins_.resize(i + 1);
  bin_ = i;
  bin_start_ = i * interval_;
}

void BandwidthSeries::add(const BandwidthSeries& other) {
  // The interval of either depends on its last time only, so that the larger one becomes that of
  // the sum, and merged bins fit.
  const std::vector<std::uint64_t> bins = other.bins();
  std::uint64_t in_bins = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    add(bins[i], i * other.interval_);
    in_bins += bins[i];
  }
  before_ += other.total() - in_bins;  // of_total() has no bins
}

namespace {

ordered_json to_json(const Histogram& value) {
  ordered_json buckets = ordered_json::array();
  std::size_t last = 0;
  for (std::size_t i = 0; i < Histogram::kBuckets; ++i) {
    if (value.bucket(i) != 0) last = i + 1;
  }
  for (std::size_t i = 0; i < last; ++i) buckets.push_back(value.bucket(i));
  return {{"count", value.count()},
          {"sum", value.sum()},
          {"mean", value.mean()},
          {"max", value.max()},
          {"log2_buckets", buckets}};
}

ordered_json to_json(const BandwidthSeries& value) {
  return {{"interval_ns", static_cast<double>(value.interval()) / 1e6},
          {"bytes", value.bins()},
          {"total", value.total()}};
}

/// How a histogram or a series is read, with the object itself for running_totals(), which read it
/// many times. `Value`: Histogram or BandwidthSeries.
template <class Value>
struct OfBlock {
  const Value* value;
  ordered_json operator()(std::uint64_t) const { return to_json(*value); }
};
template <class Value>
struct Computed {
  std::function<Value()> get;
  ordered_json operator()(std::uint64_t) const { return to_json(get()); }
};

/// A number of such an entry, as a function. `read`: Entry::read.
template <class Value>
std::function<std::uint64_t(Tick)> number_of(const std::function<ordered_json(std::uint64_t)>& read,
                                             std::uint64_t (Value::*number)() const) {
  if (const auto* const own = read.target<OfBlock<Value>>()) {
    return [value = own->value, number](Tick) { return (value->*number)(); };
  }
  const auto* const computed = read.target<Computed<Value>>();
  return [get = computed->get, number](Tick) { return (get().*number)(); };
}

}  // namespace

void StatisticsRegistry::add(StatisticInfo info, std::function<ordered_json(std::uint64_t)> read,
                             const std::uint64_t* total, Occupancy* occupancy) {
  auto& siblings = by_module_[info.module];
  for (std::size_t i : siblings) {
    if (infos_[i].name == info.name) {
      throw std::logic_error("statistic registered twice: " + info.module + "." + info.name);
    }
  }
  siblings.push_back(entries_.size());
  infos_.push_back(std::move(info));
  entries_.push_back({infos_.size() - 1, total, occupancy, 0, std::move(read)});
}

StatisticInfo StatisticsRegistry::info_of(std::string_view module, std::string_view name,
                                          std::string_view unit, std::string_view description,
                                          const char* kind) {
  return {std::string(module), std::string(name), std::string(unit), std::string(description),
          kind};
}

void StatisticsRegistry::waits(std::string_view module, std::string_view name, WaitKind kind) {
  if (const auto siblings = by_module_.find(std::string(module)); siblings != by_module_.end()) {
    for (const std::size_t i : siblings->second) {
      if (infos_[i].name != name) continue;
      infos_[i].wait = kind;
      return;
    }
  }
  throw std::logic_error("no statistic " + std::string(module) + "." + std::string(name) +
                         " for a kind of waits");
}

void StatisticsRegistry::begin_window() {
  window_start_ = now();
  for (Entry& e : entries_) {
    if (e.total != nullptr) e.before = *e.total;
    if (e.occupancy != nullptr) e.occupancy->reset(now());
  }
}

void StatisticsRegistry::counter(std::string_view module, std::string_view name,
                                 const Counter& value, std::string_view unit,
                                 std::string_view description) {
  add(
      info_of(module, name, unit, description, "counter"),
      [](std::uint64_t since) { return ordered_json(since); }, &value);
}

void StatisticsRegistry::counters(std::string_view module, const std::vector<PolicyCounter>& all) {
  for (const PolicyCounter& c : all) counter(module, c.name, *c.value, c.unit, c.description);
}

void StatisticsRegistry::cycles(std::string_view module, std::string_view name, const Tick& value,
                                const ClockDomain& clock, std::string_view description) {
  add(
      info_of(module, name, "cycle", description, "value"),
      [&clock](std::uint64_t since) {
        return ordered_json(static_cast<double>(clock.cycle_at(since)));
      },
      &value);
}

void StatisticsRegistry::value(std::string_view module, std::string_view name,
                               std::function<double()> get, std::string_view unit,
                               std::string_view description) {
  add(info_of(module, name, unit, description, "value"),
      [get = std::move(get)](std::uint64_t) { return ordered_json(get()); });
}

void StatisticsRegistry::histogram(std::string_view module, std::string_view name,
                                   const Histogram& value, std::string_view unit,
                                   std::string_view description) {
  add(info_of(module, name, unit, description, "histogram"), OfBlock<Histogram>{&value});
}

void StatisticsRegistry::histogram(std::string_view module, std::string_view name,
                                   std::function<Histogram()> get, std::string_view unit,
                                   std::string_view description) {
  add(info_of(module, name, unit, description, "histogram"), Computed<Histogram>{std::move(get)});
}

void StatisticsRegistry::occupancy(std::string_view module, std::string_view name, Occupancy& value,
                                   std::string_view unit, std::string_view description) {
  add(
      info_of(module, name, unit, description, "occupancy"),
      [&value](std::uint64_t) {
        return ordered_json{{"average", value.average(now())}, {"max", value.max()}};
      },
      nullptr, &value);
}

void StatisticsRegistry::bandwidth(std::string_view module, std::string_view name,
                                   const BandwidthSeries& value, std::string_view description) {
  add(info_of(module, name, "byte", description, "bandwidth"), OfBlock<BandwidthSeries>{&value});
}

void StatisticsRegistry::bandwidth(std::string_view module, std::string_view name,
                                   std::function<BandwidthSeries()> get,
                                   std::string_view description) {
  add(info_of(module, name, "byte", description, "bandwidth"),
      Computed<BandwidthSeries>{std::move(get)});
}

std::string StatisticsRegistry::block_of(const std::string& module) { return block_class(module); }

nlohmann::ordered_json StatisticsRegistry::dictionary() const {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const StatisticInfo& info : all()) {
    nlohmann::ordered_json& entry = out[block_of(info.module)][info.name];
    if (!entry.is_null()) continue;
    entry = {{"unit", info.unit}, {"kind", info.kind}, {"description", info.description}};
    if (info.wait) entry["wait"] = name_of(*info.wait);
  }
  return out;
}

ordered_json StatisticsRegistry::to_json() const {
  ordered_json out = ordered_json::object();
  for (const auto& [module, indices] : by_module_) {
    ordered_json& section = out[module];
    for (std::size_t i : indices) {
      const Entry& e = entries_[i];
      section[infos_[e.info].name] = e.read(e.total == nullptr ? 0 : *e.total - e.before);
    }
  }
  return out;
}

std::optional<double> StatisticsRegistry::number(std::string_view path) const {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto module = by_module_.find(std::string(path.substr(0, dot)));
  if (module == by_module_.end()) return std::nullopt;
  for (const std::size_t i : module->second) {
    const Entry& e = entries_[i];
    if (infos_[e.info].name != path.substr(dot + 1)) continue;
    const ordered_json value = e.read(e.total == nullptr ? 0 : *e.total - e.before);
    if (!value.is_number()) return std::nullopt;
    return value.get<double>();
  }
  return std::nullopt;
}

std::vector<StatisticsRegistry::RunningTotal> StatisticsRegistry::running_totals() const {
  std::vector<RunningTotal> all;
  for (const Entry& e : entries_) {
    const StatisticInfo& info = infos_[e.info];
    if (info.kind == "counter") {
      all.push_back({&info, "", [value = e.total](Tick) { return *value; }});
    } else if (info.kind == "bandwidth") {
      all.push_back({&info, "", number_of(e.read, &BandwidthSeries::total)});
    } else if (info.kind == "histogram") {
      all.push_back({&info, "count", number_of(e.read, &Histogram::count)});
      all.push_back({&info, "sum", number_of(e.read, &Histogram::sum)});
    } else if (info.kind == "occupancy") {
      all.push_back({&info, "", [value = e.occupancy, begin = window_start_](Tick t) {
                       return t <= begin ? 0
                                         : static_cast<std::uint64_t>(std::llround(
                                               value->average(t) * static_cast<double>(t - begin)));
                     }});
    }
  }
  return all;
}

std::uint64_t StatisticsRegistry::sum(const std::string& prefix, const std::string& name) const {
  std::uint64_t total = 0;
  for (const Entry& e : entries_) {
    const StatisticInfo& info = infos_[e.info];
    if (info.kind != "counter" || info.name != name) continue;
    const std::size_t dot = info.module.rfind('.');
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    if (info.module.compare(begin, prefix.size(), prefix) == 0) total += *e.total - e.before;
  }
  return total;
}

}  // namespace tessera
