// SPDX-License-Identifier: Apache-2.0
#pragma once

// The runs of a study, and the key under which each result is stored.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/kept_json.h"
#include "platforms/simulation.h"
#include "studies/study.h"

namespace tessera::studies {

struct StudyPoint {
  std::size_t platform = 0;
  std::size_t workload = 0;
  std::string key;  ///< 64 hexadecimal digits; points with equal keys are the same run
};

/// All inputs of a point's result.
struct PointIdentity {
  /// Resolved; in the key without parameters that change nothing on the platform.
  KeptJson<nlohmann::ordered_json> config;
  /// The suite's name of the workload, with sizes; only the sizes for a user's manifest, because
  /// its path is no input.
  std::string suite_workload;
  std::vector<std::string> file_hashes;  ///< manifest, PTX, data
  Scale scale = Scale::kSmall;
  std::uint64_t seed = 1;
  ValueMode values = ValueMode::kFunctional;
  std::optional<WindowOptions> window = {};
  std::string model;  ///< model_version()
};
std::string point_key(const PointIdentity& identity);
/// SHA-256 of a workload's files. Loads the workload, so that errors in it are reported before the
/// first run. Throws InputError.
std::vector<std::string> workload_hashes(const std::string& workload);
PointIdentity identity_of(const ResolvedConfig& config, const std::string& workload,
                          std::vector<std::string> file_hashes, const RunOptions& options);

/// The runs of a study (or of one of its figures).
struct StudyPlan {
  /// Configurations of the used platforms, by index.
  std::map<std::size_t, ResolvedConfig> configs;
  /// Every used and existing pair of platform and workload, once; ordered by workload, then
  /// platform.
  std::vector<StudyPoint> points;
};

/// `figures`: indices. Throws InputError for invalid platforms and workloads.
StudyPlan plan_points(const Study& study, const std::vector<std::size_t>& figures,
                      const RunOptions& options);

/// Result of a point: kept_statistics(), or the reason for a missing result.
struct PointResult {
  KeptJson<nlohmann::ordered_json> stats;
  std::string failure;  ///< empty if the point is complete and its values are correct
};
/// The part of a stats.json that expressions read: without "modules", their dictionary and "host".
nlohmann::ordered_json kept_statistics(nlohmann::ordered_json stats);
using PointResults = std::map<std::pair<std::size_t, std::size_t>, PointResult>;

}  // namespace tessera::studies
