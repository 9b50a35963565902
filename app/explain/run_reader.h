// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads a run's stats.json for explain, and makes the settings of its experiments.

#include <string>
#include <utility>
#include <vector>

#include "app/report/blocks.h"
#include "app/report/wait_list.h"
#include "common/json_fwd.h"

namespace tessera::app {

/// A stats.json document, which must outlive it.
class RunReader {
 public:
  explicit RunReader(const nlohmann::ordered_json& stats) : stats_(stats) {}

  Blocks blocks(const std::string& kind) const { return Blocks(stats_, kind); }
  double cycles() const;
  /// 0 if it is missing.
  double setting(const std::string& group, const char* name) const {
    return setting_of(stats_, group, name);
  }
  /// `busy(statistics)` of each block, which counts cycles of the block's clock, in SM cycles.
  template <class Busy>
  std::vector<std::pair<std::string, double>> busy_cycles(const Blocks& blocks,
                                                          const std::string& group,
                                                          Busy busy) const {
    std::vector<std::pair<std::string, double>> all;
    for (const auto& [name, statistics] : blocks.each()) {
      const double clocks = ratio(setting("sm", "clock_hz"), own_setting(name, group, "clock_hz"));
      all.emplace_back(name, busy(*statistics) * clocks);
    }
    return all;
  }
  /// Of a block, which can have its own.
  double own_setting(const std::string& block, const std::string& group, const char* name) const;
  /// Converts cycles of a group's clock to SM cycles.
  double sm_cycles(double cycles, const std::string& group) const {
    return cycles * ratio(setting("sm", "clock_hz"), setting(group, "clock_hz"));
  }
  const nlohmann::ordered_json& stats() const { return stats_; }

 private:
  const nlohmann::ordered_json& stats_;
};

/// The policies that this platform can use and does not, by which fewer lines are far from the SM
/// that reads them, each after "; "; empty without.
std::string policies_for_near_lines(const RunReader& r);
/// "; " and the address map that spreads lines over channels, if the platform can use it and does
/// not.
std::string map_that_spreads(const RunReader& r);
/// "; " and the policies between GPUs that the run does not use.
std::string policies_between_gpus(const RunReader& r);

/// Settings (parameter, value).
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Width of links and number of entries that no level's traffic fills.
inline constexpr double kWide = 1024;

/// The prefix of a group's parameters: "umh/link" -> "umh.link."
std::string parameters_of(const std::string& group);

/// The group's clock, eight times as fast or as far as the parameters' ranges allow, and
/// `latencies` with as many more cycles.
Settings faster(const RunReader& r, const std::string& group,
                const std::vector<const char*>& latencies);

/// Adds a parameter's value, or `least` if it is below that.
void raise(const RunReader& r, const std::string& group, const char* name, double least,
           Settings& settings);

}  // namespace tessera::app
