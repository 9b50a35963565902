// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which runs a study needs, and the name under which the result of each is kept.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/json.h"
#include "platforms/simulation.h"
#include "studies/study.h"

namespace tessera::studies {

struct StudyPoint {
  std::size_t platform = 0;
  std::size_t workload = 0;
  std::string key;  ///< 64 hexadecimal digits; points with the same key are the same run
};

/// Everything that a point's result depends on.
struct PointIdentity {
  nlohmann::ordered_json config;  ///< resolved
  /// The suite's name of the workload; empty for a user's manifest, whose place does not matter.
  std::string suite_workload;
  std::vector<std::string> file_hashes;  ///< manifest, PTX, data
  Scale scale = Scale::kSmall;
  std::uint64_t seed = 1;
  ValueMode values = ValueMode::kFunctional;
  std::string binary_hash;  ///< of the executable
};
std::string point_key(const PointIdentity& identity);
/// SHA-256 of the files that decide what a workload does. Loads it, so that what is wrong with it
/// is told before anything runs: throws InputError.
std::vector<std::string> workload_hashes(const std::string& workload);
PointIdentity identity_of(const ResolvedConfig& config, const std::string& workload,
                          std::vector<std::string> file_hashes, const RunOptions& options,
                          const std::string& binary_hash);

/// The runs of a study (or of one of its figures).
struct StudyPlan {
  /// Of platforms that are needed.
  std::map<std::size_t, ResolvedConfig> configs;
  /// Every platform and workload that is needed and exists, once; by workload, then platform.
  std::vector<StudyPoint> points;
};

/// `figures`: indices. `binary_hash`: of the executable that will run the points. Throws InputError
/// for platforms and workloads that cannot be used.
StudyPlan plan_points(const Study& study, const std::vector<std::size_t>& figures,
                      const RunOptions& options, const std::string& binary_hash);

/// What a point leaves behind: its stats.json without "modules" and "host", which expressions do
/// not read, or why there is none.
struct PointResult {
  nlohmann::ordered_json stats;
  std::string failure;  ///< empty: done and right
};
using PointResults = std::map<std::pair<std::size_t, std::size_t>, PointResult>;

/// The part of a stats.json that is kept.
nlohmann::ordered_json kept_statistics(nlohmann::ordered_json stats);

}  // namespace tessera::studies
