// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_objectives.h"

#include <cmath>
#include <limits>

#include "common/json.h"
#include "studies/evaluator.h"
#include "studies/statistic_paths.h"

namespace tessera::studies {
namespace {

std::optional<double> value_of(const SweepObjective& objective, const PointResult& run) {
  if (!run.failure.empty()) return std::nullopt;
  const Evaluator evaluator(
      [&run](const Reading& r) {
        // The evaluator gives no value for it.
        return statistic_at(run.stats, r.path).value_or(std::numeric_limits<double>::quiet_NaN());
      },
      {}, {});
  return evaluator.value(objective.value);
}

}  // namespace

std::vector<std::optional<double>> values_per_workload(const SweepObjective& objective,
                                                       const std::vector<PointResult>& runs,
                                                       const std::vector<PointResult>& base) {
  std::vector<std::optional<double>> values;
  for (std::size_t w = 0; w < runs.size(); ++w) {
    std::optional<double> value = value_of(objective, runs[w]);
    if (value && objective.relative) {
      const std::optional<double> unit = value_of(objective, base[w]);
      value = unit && *unit != 0 ? std::optional<double>(*value / *unit) : std::nullopt;
    }
    values.push_back(value);
  }
  return values;
}

std::optional<double> mean_over_workloads(const SweepObjective& objective,
                                          const std::vector<std::optional<double>>& values) {
  std::vector<double> all;
  for (const auto& v : values) {
    if (!v) return std::nullopt;
    all.push_back(*v);
  }
  return mean_named(objective.mean, all);
}

}  // namespace tessera::studies
