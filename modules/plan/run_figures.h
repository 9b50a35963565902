// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/kept_json.h"
#include "modules/kernel/parameters.h"
#include "modules/kernel/statistics_visitor.h"
#include "modules/plan/config_view.h"
#include "modules/plan/plan.h"

namespace tessera {

/// a / b; 0 if b is 0.
inline double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

/// The statistics of several blocks.
template <class Stats>
class StatisticsOf {
 public:
  void add(Stats stats) { all_.push_back(std::move(stats)); }
  const std::vector<Stats>& each() const { return all_; }
  double sum(Counter Stats::*field) const {
    double total = 0;
    for (const Stats& s : all_) total += static_cast<double>(s.*field);
    return total;
  }
  double sum(Histogram Stats::*field, std::uint64_t (Histogram::*part)() const) const {
    double total = 0;
    for (const Stats& s : all_) total += static_cast<double>((s.*field.*part)());
    return total;
  }

 private:
  std::vector<Stats> all_;
};

/// The statistics of a run, of which kinds of blocks make derived figures and energy.
class RunFigures {
 public:
  /// The arguments outlive it. `modules`: the section of stats.json. `overrides`: settings of
  /// single blocks. `cycles`: of the SMs' clock; `seconds`: of the run.
  RunFigures(const PlatformPlan& plan, const ConfigView& config,
             const std::vector<ParameterSetting>& overrides, const nlohmann::ordered_json& modules,
             double cycles, double seconds);

  const PlatformPlan& plan() const { return plan_; }
  const ConfigView& config() const { return config_; }
  SystemFacts facts() const { return config_.facts(); }
  double cycles() const { return cycles_; }
  double seconds() const { return seconds_; }

  /// The statistics of the blocks of a kind. `clock`: of their cycles().
  template <class Stats>
  StatisticsOf<Stats> of_kind(const std::string& kind, const ClockDomain* clock = nullptr) const {
    StatisticsOf<Stats> all;
    for (const PlannedBlock* b : plan_.of_kind(kind)) all.add(of_block<Stats>(*b, clock));
    return all;
  }
  /// Those of a level of the memory system ("l1"), which can have blocks of several kinds.
  template <class Stats>
  StatisticsOf<Stats> of_level(const std::string& level, const ClockDomain* clock = nullptr) const {
    StatisticsOf<Stats> all;
    for (const PlannedBlock* b : blocks_of_level(level)) all.add(of_block<Stats>(*b, clock));
    return all;
  }
  template <class Stats>
  Stats of_block(const PlannedBlock& block, const ClockDomain* clock = nullptr) const {
    return read_statistics<Stats>(modules_, plan_.path_of(block), clock);
  }
  StatisticsReader reader(const PlannedBlock& block) const {
    return StatisticsReader(modules_, plan_.path_of(block));
  }
  std::vector<const PlannedBlock*> blocks_of_level(const std::string& level) const;

  /// A configuration with the settings of a single block.
  template <class Config>
  Config own(const PlannedBlock& block, Config base) const {
    return instance_config(std::move(base), overrides_, plan_.path_of(block));
  }

  // What derive() of a kind writes.

  /// A figure that all platforms have (platforms/derived.cpp), or an object of the kind's own.
  nlohmann::ordered_json& operator[](const std::string& figure);
  /// Sums to which blocks of several kinds add, such as "off_node_requests".
  void add(const std::string& term, double value) { terms_[term] += value; }
  double term(const std::string& name) const {
    const auto it = terms_.find(name);
    return it == terms_.end() ? 0 : it->second;
  }
  const nlohmann::ordered_json& figures() const { return *figures_; }

 private:
  const PlatformPlan& plan_;
  const ConfigView& config_;
  const std::vector<ParameterSetting>& overrides_;
  const nlohmann::ordered_json& modules_;
  const double cycles_;
  const double seconds_;
  KeptJson<nlohmann::ordered_json> figures_;  ///< an object
  std::map<std::string, double> terms_;
};

}  // namespace tessera
