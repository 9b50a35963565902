// SPDX-License-Identifier: Apache-2.0
#pragma once

// Statistics: the counters of a block are a plain struct, and one function beside it
//
//   void describe(StatisticsVisitor& v, LlcSliceStats& s);
//
// names every field once (name, unit, description). The registration of a block's statistics and
// the reading of a struct from a block's JSON are visitors over that one description. Who reads a
// statistic names a member of the struct, so that a misspelt statistic does not compile.

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/json_fwd.h"
#include "modules/kernel/stats.h"
#include "modules/kernel/time.h"

namespace tessera {

class StatisticsVisitor {
 public:
  virtual ~StatisticsVisitor() = default;

  virtual void counter(std::string_view name, Counter& field, std::string_view unit,
                       std::string_view description) = 0;
  virtual void histogram(std::string_view name, Histogram& field, std::string_view unit,
                         std::string_view description) = 0;
  virtual void occupancy(std::string_view name, Occupancy& field, std::string_view unit,
                         std::string_view description) = 0;
  virtual void bandwidth(std::string_view name, BandwidthSeries& field,
                         std::string_view description) = 0;
  /// A time, summed in ticks and shown in whole cycles of the block's clock.
  virtual void cycles(std::string_view name, Tick& field, std::string_view description) = 0;
  /// A number that its block computes when it is read (register_snapshot()).
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  void value(std::string_view name, T& field, std::string_view unit, std::string_view description) {
    auto number = static_cast<double>(field);
    on_value(name, number, unit, description);
    field = static_cast<T>(number);
  }
  /// These statistics, which have been named before, count waits of a kind, or their time.
  virtual void waits(WaitKind, std::initializer_list<std::string_view> /*names*/) {}

 protected:
  virtual void on_value(std::string_view name, double& field, std::string_view unit,
                        std::string_view description) = 0;
};

/// Registers the fields of a block's own struct, which must outlive the registry. A value() has no
/// place here: a std::logic_error.
class StatisticsRegistrar final : public StatisticsVisitor {
 public:
  /// `clock`: of the cycles() of the struct; null where it has none.
  StatisticsRegistrar(StatisticsRegistry& registry, std::string module,
                      const ClockDomain* clock = nullptr)
      : registry_(registry), module_(std::move(module)), clock_(clock) {}

  /// A counter that this block does not have in its configuration; before the visit.
  void leave_out(const Counter& field) { left_out_.push_back(&field); }

  void counter(std::string_view name, Counter& field, std::string_view unit,
               std::string_view description) override;
  void histogram(std::string_view name, Histogram& field, std::string_view unit,
                 std::string_view description) override;
  void occupancy(std::string_view name, Occupancy& field, std::string_view unit,
                 std::string_view description) override;
  void bandwidth(std::string_view name, BandwidthSeries& field,
                 std::string_view description) override;
  void cycles(std::string_view name, Tick& field, std::string_view description) override;
  void waits(WaitKind kind, std::initializer_list<std::string_view> names) override;

  /// Visits a struct that its block shows as const: a registrar takes addresses and writes nothing.
  template <class Stats, class... More>
  void add(const Stats& stats, const More&... more) {
    describe(static_cast<StatisticsVisitor&>(*this), const_cast<Stats&>(stats), more...);
  }

 private:
  void on_value(std::string_view name, double& field, std::string_view unit,
                std::string_view description) override;

  StatisticsRegistry& registry_;
  const std::string module_;
  const ClockDomain* clock_;
  std::vector<const Counter*> left_out_;
  std::vector<std::string> left_out_names_;
};

/// Reads fields from the statistics of one block, as stats.json has them. A statistic that the
/// block does not have, or has with another kind, leaves its field as it is: a block from outside
/// registers what it counts. An occupancy's field is always left as it is.
class StatisticsReader final : public StatisticsVisitor {
 public:
  /// `modules`: the section of stats.json; it must outlive the reader. `clock`: of the block, for
  /// cycles(); null where its struct has none.
  StatisticsReader(const nlohmann::ordered_json& modules, const std::string& module,
                   const ClockDomain* clock = nullptr);

  void counter(std::string_view name, Counter& field, std::string_view unit,
               std::string_view description) override;
  void histogram(std::string_view name, Histogram& field, std::string_view unit,
                 std::string_view description) override;
  void occupancy(std::string_view, Occupancy&, std::string_view, std::string_view) override {}
  void bandwidth(std::string_view name, BandwidthSeries& field,
                 std::string_view description) override;
  void cycles(std::string_view name, Tick& field, std::string_view description) override;

 private:
  void on_value(std::string_view name, double& field, std::string_view unit,
                std::string_view description) override;
  const nlohmann::ordered_json* find(std::string_view name) const;

  const nlohmann::ordered_json* block_;  ///< null where there is no such block
  const ClockDomain* clock_;
};

/// Registers a block's statistics: those of its struct, by describe().
template <class Stats, class... More>
void register_statistics_of(StatisticsRegistry& registry, const std::string& module,
                            const Stats& stats, const More&... more) {
  StatisticsRegistrar(registry, module).add(stats, more...);
}

/// The statistics of the block at `module`; fields of a statistic that it does not have are 0.
template <class Stats>
Stats read_statistics(const nlohmann::ordered_json& modules, const std::string& module,
                      const ClockDomain* clock = nullptr) {
  StatisticsReader reader(modules, module, clock);
  Stats stats;
  describe(static_cast<StatisticsVisitor&>(reader), stats);
  return stats;
}

/// The value()s of a struct, in the order of its description.
class ValueLister final : public StatisticsVisitor {
 public:
  struct Value {
    std::string name;
    std::string unit;
    std::string description;
    double value = 0;
  };
  const std::vector<Value>& values() const { return values_; }

  void counter(std::string_view, Counter&, std::string_view, std::string_view) override;
  void histogram(std::string_view, Histogram&, std::string_view, std::string_view) override;
  void occupancy(std::string_view, Occupancy&, std::string_view, std::string_view) override;
  void bandwidth(std::string_view, BandwidthSeries&, std::string_view) override;
  void cycles(std::string_view, Tick&, std::string_view) override;

 private:
  void on_value(std::string_view name, double& field, std::string_view unit,
                std::string_view description) override;
  std::vector<Value> values_;
};

/// Registers statistics that their block computes when they are read, as a struct of value()s that
/// `take` makes.
template <class Stats>
void register_snapshot(StatisticsRegistry& registry, const std::string& module,
                       const std::function<Stats()>& take) {
  const auto list = [](Stats stats) {
    ValueLister lister;
    describe(static_cast<StatisticsVisitor&>(lister), stats);
    return lister.values();
  };
  const std::vector<ValueLister::Value> all = list(Stats{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    registry.value(
        module, all[i].name, [list, take, i] { return list(take())[i].value; }, all[i].unit,
        all[i].description);
  }
}

}  // namespace tessera
