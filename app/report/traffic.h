// SPDX-License-Identifier: Apache-2.0
#pragma once

// Traffic by level of the memory system: the sums of the bandwidth series of stats.json.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/report/share.h"
#include "common/json_fwd.h"

namespace tessera::app {

/// Traffic of one block of a level, or of one output of a network.
struct LevelPart {
  std::string module;
  std::uint64_t bytes = 0;
};

struct LevelTraffic {
  std::string name;  ///< "L1 fills", "NoC request", "NoC response", "LLC", "DRAM", ...
  std::uint64_t bytes = 0;
  double gb_per_s = 0;  ///< decimal, averaged over traffic_time_ns()
  /// Peak of the level, if the document has it in `derived.peak_gb_per_s`.
  std::optional<double> peak_gb_per_s;
  /// One per interval of Traffic. Bytes count in the interval in which they passed, at the level's
  /// peak at most.
  std::vector<std::uint64_t> bytes_over_time;
  std::vector<double> gb_per_s_over_time;  ///< over the interval's own length
  std::vector<LevelPart> parts;            ///< by module, natural order
};

/// The bandwidth over the peak, of a level that has one: average, and of the busiest interval.
Share share_of_peak(const LevelTraffic& level);
Share busiest_share_of_peak(const LevelTraffic& level);

/// The bandwidth series of a run, converted to common intervals from its start to its end.
struct Traffic {
  /// Ends of the intervals; each is the start of the next one. All intervals have the same length
  /// except the last, which ends with the run: it is shorter, or at most a tenth longer.
  std::vector<double> interval_ends_ns;
  std::vector<LevelTraffic> levels;  ///< from the SMs outwards
};

/// The level to which a bandwidth series belongs.
struct TrafficLevel {
  std::string name;       ///< LevelTraffic::name
  std::string key;        ///< in `derived.peak_gb_per_s`
  std::size_t order = 0;  ///< from the SMs outwards
};
/// `module`: of a block, or a class of blocks ("system.gpu*.llc*").
TrafficLevel traffic_level(const std::string& module, const std::string& statistic);
/// The peak of a level (TrafficLevel::key) in GB/s, both directions together if the document has
/// one for each; empty if it has none.
std::optional<double> traffic_peak(const nlohmann::ordered_json& stats, const std::string& key);

/// Time of the kernels, and of the CPU's accesses between them (`derived.host_access_ns`, of
/// platforms with a CPU), in ns: the blocks count the bytes of both.
double traffic_time_ns(const nlohmann::ordered_json& stats);

/// Traffic of a stats.json document, without levels that have no bandwidth series.
Traffic traffic_of(const nlohmann::ordered_json& stats);

/// {"interval_ends_ns", "levels": [...]}, with keys named like the members, and "share" and
/// "busiest_share" of the peak (null without one).
nlohmann::ordered_json to_json(const Traffic& traffic);

/// Natural order: numbers in names compare by value, so that llc2 comes before llc10.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace tessera::app
