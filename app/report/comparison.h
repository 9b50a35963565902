// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/kept_json.h"

namespace tessera::app {

/// One point of a comparison. `stats` is null if the point produced none.
struct ComparedPoint {
  std::string platform;
  std::string workload;
  KeptJson<nlohmann::ordered_json> stats;
  std::string failure;  ///< empty if the point is complete and its values are correct
};

/// compare.json: {"points": [stats, or {"platform", "workload", "error"}], "summary": {...}}.
/// `inputs`: what all points were given (app/report/inputs.h). The summary has these inputs, one
/// row per point and, per platform, the harmonic mean of its speedups over the workloads that both
/// platforms completed. A row has cycles, speedup over the first platform, "parameters" (those of
/// --set, and those in which the platforms' configurations differ), "energy" (energy_figures()) and
/// "average_power_w", beside others.
nlohmann::ordered_json comparison_document(const std::vector<ComparedPoint>& points,
                                           const nlohmann::ordered_json& inputs);

/// compare.csv: the summary's rows, each with the inputs, a column for each parameter ("llc.sets")
/// and a column for each energy ("energy.total_j").
std::string comparison_csv(const nlohmann::ordered_json& document);

/// The inputs, and the rows as a text table.
std::string comparison_table(const nlohmann::ordered_json& document);

}  // namespace tessera::app
