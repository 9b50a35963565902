// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/kept_json.h"

namespace tessera::app {

/// A run of a sweep's design.
struct SweepRow {
  std::string design;  ///< its id, or "base"
  std::string platform;
  KeptJson<nlohmann::ordered_json> settings;  ///< by path
  std::string workload;
  /// "verified", "cycles", "time_ns", "derived" and "energy"; what it lacks is empty.
  KeptJson<nlohmann::ordered_json> stats;
};

/// sweep.csv: a line per design and workload, with a column for each setting, each derived value
/// ("derived.ipc") and each value of the energy ("energy.noc.total_j").
std::string sweep_csv(const std::vector<SweepRow>& rows);

/// The Pareto front as a table, its hypervolume, and the parameters' effects. `document`:
/// sweep.json.
std::string sweep_text(const nlohmann::ordered_json& document);

}  // namespace tessera::app
