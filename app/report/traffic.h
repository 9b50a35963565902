// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the bytes went: the bandwidth series of stats.json, summed by level of the memory system.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/json.h"

namespace tessera::app {

/// One block's part in a level's traffic (of a network: one output's).
struct LevelPart {
  std::string module;
  std::uint64_t bytes = 0;
};

struct LevelTraffic {
  std::string name;  ///< "L1 fills", "NoC request", "NoC reply", "LLC", "DRAM", ...
  std::uint64_t bytes = 0;
  double gb_per_s = 0;  ///< decimal, averaged over the kernels' time
  /// Peak of the level, where `derived.peak_gb_per_s` of the document gives one.
  std::optional<double> peak_gb_per_s;
  std::vector<std::uint64_t> bytes_over_time;  ///< one an interval of Traffic
  std::vector<double> gb_per_s_over_time;      ///< over the interval's own length
  std::vector<LevelPart> parts;                ///< by module, natural order
};

/// The bandwidth series of a run, brought to common intervals from its start to its end.
struct Traffic {
  /// Where each interval ends; the next begins there. All are equally long, but the last, which
  /// ends with the run: a tenth longer at most, or shorter.
  std::vector<double> interval_ends_ns;
  std::vector<LevelTraffic> levels;  ///< from the SMs outwards
};

/// Of a stats.json document. Levels without a bandwidth series are left out.
Traffic traffic_of(const nlohmann::ordered_json& stats);

/// {"interval_ends_ns", "levels": [...]}, the members by their names.
nlohmann::ordered_json to_json(const Traffic& traffic);

/// Whether `a` comes before `b` when numbers in names count as numbers: llc2 before llc10.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace tessera::app
