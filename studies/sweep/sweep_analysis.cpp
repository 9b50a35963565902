// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_analysis.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "common/json.h"
#include "studies/sweep/pareto.h"

namespace tessera::studies {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBins = 5;
constexpr std::size_t kDesignsPerBin = 4;

/// Levels of the parameter `index` in the designs: each value is a level, or a group of values.
std::vector<std::size_t> levels_of(const std::vector<const DesignResult*>& designs,
                                   std::size_t index, bool may_group) {
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> levels;
  std::vector<double> numbers;
  for (const DesignResult* d : designs) {
    const json& value = d->design.values[index];
    levels.push_back(known.try_emplace(value.dump(), known.size()).first->second);
    if (value.is_number()) numbers.push_back(value.get<double>());
  }
  const std::size_t n = designs.size();
  if (!may_group || known.size() * 2 <= n || numbers.size() < n) return levels;
  return rank_levels(numbers, std::min(kMostBins, std::max<std::size_t>(2, n / kDesignsPerBin)));
}

/// Levels of the factors in the designs.
std::vector<std::vector<std::size_t>> factors_of(const Sweep& sweep,
                                                 const std::vector<const DesignResult*>& designs) {
  std::vector<std::vector<std::size_t>> factors;
  if (sweep.platforms.size() > 1) {
    factors.emplace_back();
    for (const DesignResult* d : designs) factors.back().push_back(d->design.platform);
  }
  const bool several = sweep.dimensions().size() > 1;
  for (std::size_t i = 0; i < sweep.parameters.size(); ++i) {
    factors.push_back(levels_of(designs, i, several));
  }
  return factors;
}

}  // namespace

SweepAnalysis analyze_sweep(const Sweep& sweep, const SweepResult& result) {
  SweepAnalysis out;
  std::vector<std::size_t> indices;
  std::vector<const DesignResult*> designs;
  std::vector<ObjectiveValues> values;
  for (std::size_t i = 0; i < result.designs.size(); ++i) {
    const auto minimised = minimised_objectives(sweep, result.designs[i]);
    if (!minimised) continue;
    indices.push_back(i);
    designs.push_back(&result.designs[i]);
    values.push_back(*minimised);
  }
  out.complete = designs.size();
  if (designs.empty()) return out;

  std::vector<std::size_t> front = pareto_front(values);
  std::stable_sort(front.begin(), front.end(),
                   [&values](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  for (const std::size_t i : front) out.front.push_back(indices[i]);

  const auto factors = factors_of(sweep, designs);
  ObjectiveValues reference;
  for (std::size_t o = 0; o < sweep.objectives.size(); ++o) {
    const SweepObjective& objective = sweep.objectives[o];
    std::vector<double> own;
    for (const ObjectiveValues& v : values) own.push_back(v[o]);
    const double sign = objective.maximised ? -1 : 1;
    reference.push_back(objective.reference ? sign * *objective.reference
                                            : *std::max_element(own.begin(), own.end()));
    out.reference.push_back(sign * reference.back());
    ObjectiveSensitivity s;
    for (const std::vector<std::size_t>& f : factors) {
      s.levels.push_back(std::set<std::size_t>(f.begin(), f.end()).size());
    }
    s.shares = sensitivity(factors, own);
    out.sensitivity.push_back(std::move(s));
  }
  out.volume = hypervolume(values, reference);
  return out;
}

}  // namespace tessera::studies
