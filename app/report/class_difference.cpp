// SPDX-License-Identifier: Apache-2.0
#include "app/report/class_difference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/block_class.h"
#include "common/json.h"
#include "common/text.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;

/// How the values of blocks are combined.
enum class Combination { kSum, kMean, kMost };

/// A statistic of a class of blocks.
struct ClassStatistic {
  Combination by = Combination::kSum;
  std::string unit;
  bool can_repeat = false;  ///< another statistic of the class
  double value = 0;
  double weight = 0;  ///< of a mean
  std::set<std::string> blocks;

  void take(double x, double w) {
    if (by == Combination::kMost) {
      value = std::max(value, x);
    } else {
      value += by == Combination::kMean ? x * w : x;
      weight += w;
    }
  }
  double combined() const {
    if (by != Combination::kMean) return value;
    return weight == 0 ? 0 : value / weight;
  }
};

/// By name, of each class.
using ClassStatistics = std::map<std::string, std::map<std::string, ClassStatistic>>;

/// The unit and kind of a statistic, from the document's dictionary; empty: unknown.
std::pair<std::string, std::string> described(const ordered_json& run, const std::string& module,
                                              const std::string& statistic) {
  const auto dictionary = run.find("dictionary");
  if (dictionary == run.end() || !dictionary->contains("modules")) return {};
  const ordered_json& modules = (*dictionary)["modules"];
  const auto block = modules.find(block_class(module));
  if (block == modules.end() || !block->contains(statistic)) return {};
  const ordered_json& entry = (*block)[statistic];
  return {entry.value("unit", ""), entry.value("kind", "")};
}

/// Adds the statistics of a block to those of its class.
void add_block(std::map<std::string, ClassStatistic>& all, const ordered_json& run,
               const std::string& module, const ordered_json& statistics) {
  for (const auto& [name, value] : statistics.items()) {
    const auto [unit, kind] = described(run, module, name);
    const std::string own = block_class_title(name);
    const auto add = [&all, &module, &of = unit](const std::string& field, Combination by,
                                                 const ordered_json& x, double weight = 1) {
      if (!x.is_number()) return;
      ClassStatistic& s = all[field];
      s.by = by;
      s.unit = of;
      s.can_repeat = field.find('*') != std::string::npos;
      s.blocks.insert(module);
      s.take(x.get<double>(), weight);
    };
    if (value.is_number()) {
      // Times are computed from a counter; other values are ratios and averages.
      const bool ratio = kind == "value" && unit != "cycle";
      add(own, ratio ? Combination::kMean : Combination::kSum, value);
    } else if (value.is_object() && value.contains("log2_buckets")) {
      add(own + ".count", Combination::kSum, value.value("count", ordered_json()));
      add(own + ".mean", Combination::kMean, value.value("mean", ordered_json()),
          value.value("count", 0.0));
      add(own + ".max", Combination::kMost, value.value("max", ordered_json()));
    } else if (value.is_object() && value.contains("average")) {
      add(own + ".average", Combination::kMean, value["average"]);
      add(own + ".max", Combination::kMost, value.value("max", ordered_json()));
    } else if (value.is_object() && value.contains("total")) {
      add(own + ".total", Combination::kSum, value["total"]);
      if (const auto s = all.find(own + ".total"); s != all.end()) s->second.can_repeat = true;
    }
  }
}

ClassStatistics class_statistics(const ordered_json& run) {
  ClassStatistics all;
  const auto modules = run.find("modules");
  if (modules == run.end() || !modules->is_object()) return all;
  for (const auto& [module, statistics] : modules->items()) {
    const std::string title = block_class_title(module);
    add_block(all[begins_with(title, "system.") ? title.substr(7) : title], run, module,
              statistics);
  }
  return all;
}

/// A whole number as such.
ordered_json number_of(double value) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (value == std::floor(value) && std::fabs(value) <= kExact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

double magnitude(double value) { return std::log2(1 + std::fabs(value)); }

double largest_sum(const ClassStatistics& a, const ClassStatistics& b) {
  double most = 0;
  for (const auto* run : {&a, &b}) {
    for (const auto& [block, statistics] : *run) {
      for (const auto& [name, s] : statistics) {
        if (s.by == Combination::kSum) most = std::max(most, std::fabs(s.value));
      }
    }
  }
  return most;
}

/// Appends the changes of a class. `largest`: largest_sum() of the runs.
void add_changes(std::vector<ordered_json>& changes, const std::string& block,
                 const std::map<std::string, ClassStatistic>& a,
                 const std::map<std::string, ClassStatistic>& b, double largest) {
  struct Pair {
    const ClassStatistic* a = nullptr;
    const ClassStatistic* b = nullptr;
  };
  std::map<std::string, Pair> pairs;
  for (const auto& [name, s] : a) pairs[name].a = &s;
  for (const auto& [name, s] : b) pairs[name].b = &s;
  const ClassStatistic none;
  /// Unit and values of the statistics that cannot repeat another.
  std::set<std::tuple<std::string, double, double>> plain;
  for (const bool can_repeat : {false, true}) {
    for (const auto& [name, pair] : pairs) {
      const ClassStatistic& of = pair.b == nullptr ? *pair.a : *pair.b;
      if (of.can_repeat != can_repeat) continue;
      const ClassStatistic& x = pair.a == nullptr ? none : *pair.a;
      const ClassStatistic& y = pair.b == nullptr ? none : *pair.b;
      const double from = x.combined();
      const double to = y.combined();
      const std::tuple<std::string, double, double> values(of.unit, from, to);
      if (can_repeat && plain.count(values) != 0) continue;
      if (!can_repeat) plain.insert(values);
      if (from == to && x.blocks.size() == y.blocks.size()) continue;
      ordered_json change = {{"name", block + "." + name},
                             {"unit", of.unit},
                             {"blocks", {{"a", x.blocks.size()}, {"b", y.blocks.size()}}},
                             {"a", nullptr},
                             {"b", nullptr},
                             {"change", nullptr},
                             {"importance", 0.0}};
      if (pair.a != nullptr) change["a"] = number_of(from);
      if (pair.b != nullptr) change["b"] = number_of(to);
      if (pair.a != nullptr && pair.b != nullptr) {
        const double larger = std::max(std::fabs(from), std::fabs(to));
        if (from != 0) change["change"] = (to - from) / std::fabs(from);
        if (larger > 0 && largest > 0) {
          change["importance"] = std::min(1.0, std::fabs(to - from) / larger) *
                                 std::min(1.0, magnitude(larger) / magnitude(largest));
        }
      }
      changes.push_back(std::move(change));
    }
  }
}

}  // namespace

ordered_json class_changes(const ordered_json& a, const ordered_json& b) {
  const ClassStatistics of_a = class_statistics(a);
  const ClassStatistics of_b = class_statistics(b);
  const double largest = largest_sum(of_a, of_b);
  std::set<std::string> blocks;
  for (const auto& [block, statistics] : of_a) blocks.insert(block);
  for (const auto& [block, statistics] : of_b) blocks.insert(block);
  const std::map<std::string, ClassStatistic> none;
  std::vector<ordered_json> changes;
  for (const std::string& block : blocks) {
    const auto in_a = of_a.find(block);
    const auto in_b = of_b.find(block);
    add_changes(changes, block, in_a == of_a.end() ? none : in_a->second,
                in_b == of_b.end() ? none : in_b->second, largest);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const ordered_json& one, const ordered_json& other) {
                     return one["importance"].get<double>() > other["importance"].get<double>();
                   });
  return changes;
}

}  // namespace tessera::app
