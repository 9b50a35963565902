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
/// row per point (cycles, speedup over the first platform, ...) and, per platform, the harmonic
/// mean of its speedups over the workloads that both platforms completed.
nlohmann::ordered_json comparison_document(const std::vector<ComparedPoint>& points,
                                           const nlohmann::ordered_json& inputs);

/// compare.csv: the summary's rows, each with the inputs.
std::string comparison_csv(const nlohmann::ordered_json& document);

/// The inputs, and the rows as a text table.
std::string comparison_table(const nlohmann::ordered_json& document);

}  // namespace tessera::app
