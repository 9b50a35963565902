// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the bytes went: the bandwidth series of stats.json, summed by level of the memory system.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tessera::app {

/// One block's part in a level's traffic (of a network: one output's).
struct LevelPart {
  std::string module;
  std::uint64_t bytes = 0;
};

struct LevelTraffic {
  std::string name;  ///< "L1 fills", "NoC request", "NoC reply", "LLC", "DRAM", ...
  std::uint64_t bytes = 0;
  double gb_per_s = 0;  ///< decimal, averaged over the run
  /// Peak of the level, where `derived.peak_gb_per_s` of the document gives one.
  std::optional<double> peak_gb_per_s;
  double interval_ns = 0;
  std::vector<std::uint64_t> bins;  ///< bytes per interval
  std::vector<LevelPart> parts;     ///< by module, natural order
};

/// The levels that have bandwidth series in a stats.json document, from the SMs outwards.
std::vector<LevelTraffic> traffic_by_level(const nlohmann::ordered_json& stats);

nlohmann::ordered_json to_json(const std::vector<LevelTraffic>& levels);

/// Whether `a` comes before `b` when numbers in names count as numbers: llc2 before llc10.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace tessera::app
