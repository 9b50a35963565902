// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_space.h"

#include <cmath>
#include <limits>
#include <set>

#include "common/json.h"
#include "studies/evaluator.h"

namespace tessera::studies {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

SweepDesign design_at_unit(const Sweep& sweep, const UnitPoint& point) {
  SweepDesign design;
  std::size_t d = 0;
  if (sweep.platforms.size() > 1) design.platform = level_of(point[d++], sweep.platforms.size());
  for (const SweepParameter& p : sweep.parameters) design.values.push_back(p.value_at(point[d++]));
  return design;
}

double number_of(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

SettingValue SweepParameter::value_in_range(double fraction) const {
  const double value =
      logarithmic ? from * std::pow(to / from, fraction) : from + (to - from) * fraction;
  if (kind == "integer") return json(static_cast<std::uint64_t>(std::llround(value)));
  return json(value);
}

SettingValue SweepParameter::value_at(double position) const {
  return is_range() ? value_in_range(position) : levels[level_of(position, levels.size())];
}

bool Sweep::has_relative_objective() const {
  for (const SweepObjective& o : objectives) {
    if (o.relative) return true;
  }
  return false;
}

std::vector<std::string> Sweep::dimensions() const {
  std::vector<std::string> names;
  if (platforms.size() > 1) names.emplace_back("platform");
  for (const SweepParameter& p : parameters) names.push_back(p.path);
  return names;
}

std::vector<std::size_t> level_counts(const Sweep& sweep) {
  std::vector<std::size_t> counts;
  if (sweep.platforms.size() > 1) counts.push_back(sweep.platforms.size());
  for (const SweepParameter& p : sweep.parameters) counts.push_back(p.levels.size());
  return counts;
}

SweepDesign design_at(const Sweep& sweep, const LevelPoint& point) {
  SweepDesign design;
  std::size_t d = 0;
  if (sweep.platforms.size() > 1) design.platform = point[d++];
  for (const SweepParameter& p : sweep.parameters) design.values.push_back(p.levels[point[d++]]);
  return design;
}

std::vector<SweepDesign> sampled_designs(const Sweep& sweep) {
  std::vector<SweepDesign> all;
  const std::size_t dimensions = sweep.dimensions().size();
  const auto add = [&](const std::vector<UnitPoint>& points) {
    for (const UnitPoint& p : points) all.push_back(design_at_unit(sweep, p));
  };
  switch (sweep.sampling) {
    case Sampling::kList:
      all = sweep.designs;
      break;
    case Sampling::kRandom:
      add(random_points(sweep.points, dimensions, sweep.seed));
      break;
    case Sampling::kLatinHypercube:
      add(latin_hypercube(sweep.points, dimensions, sweep.seed));
      break;
    case Sampling::kSobol:
      add(sobol_points(sweep.points, dimensions, sweep.skip));
      break;
    default:
      for (const LevelPoint& p : full_grid(level_counts(sweep))) all.push_back(design_at(sweep, p));
  }
  // Points of a sample can be the same design, because integers are rounded.
  std::vector<SweepDesign> designs;
  std::set<std::string> seen;
  for (SweepDesign& d : all) {
    const json identity = {d.platform, settings_of(sweep, d)};
    if (seen.insert(identity.dump()).second) designs.push_back(std::move(d));
  }
  return designs;
}

bool meets_constraints(const Sweep& sweep, const SweepDesign& design) {
  const Evaluator evaluator(
      [&](const Reading& r) {
        for (std::size_t i = 0; i < sweep.parameters.size(); ++i) {
          if (sweep.parameters[i].path == r.path && !design.values[i]->is_null()) {
            return number_of(design.values[i]);
          }
        }
        const auto& numbers = sweep.numbers[design.platform];
        const auto known = numbers.find(r.path);
        return known == numbers.end() ? number_of(nullptr) : known->second;
      },
      {}, {});
  for (const SweepConstraint& c : sweep.constraints) {
    if (evaluator.value(c.condition).value_or(0) == 0) return false;
  }
  return true;
}

std::vector<std::string> sets_of(const Sweep& sweep, const SweepDesign& design) {
  std::vector<std::string> sets = sweep.sets;
  for (std::size_t i = 0; i < sweep.parameters.size(); ++i) {
    const json& value = design.values[i];
    if (value.is_null()) continue;
    sets.push_back(sweep.parameters[i].path + "=" +
                   (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return sets;
}

ordered_json settings_of(const Sweep& sweep, const SweepDesign& design) {
  ordered_json settings = ordered_json::object();
  for (std::size_t i = 0; i < sweep.parameters.size(); ++i) {
    if (!design.values[i]->is_null()) settings[sweep.parameters[i].path] = *design.values[i];
  }
  return settings;
}

}  // namespace tessera::studies
