// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_document.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/json.h"
#include "studies/sweep/sweep_analysis.h"
#include "studies/sweep/sweep_objectives.h"
#include "studies/sweep/sweep_space.h"

namespace tessera::studies {
namespace {

using nlohmann::ordered_json;

ordered_json number_or_null(const std::optional<double>& v) {
  return v ? ordered_json(*v) : ordered_json();
}

ordered_json parameter_entry(const SweepParameter& p) {
  ordered_json entry = {{"name", p.path}, {"kind", p.kind}, {"unit", p.unit}};
  if (p.is_range()) {
    entry["from"] = ordered_json(*p.value_in_range(0));
    entry["to"] = ordered_json(*p.value_in_range(1));
    entry["scale"] = p.logarithmic ? "log" : "linear";
  } else {
    entry["values"] = ordered_json::array();
    for (const SettingValue& v : p.levels) entry["values"].push_back(ordered_json(*v));
  }
  return entry;
}

ordered_json sampling_entry(const Sweep& sweep) {
  ordered_json entry = {{"method", sampling_names()[static_cast<std::size_t>(sweep.sampling)]}};
  switch (sweep.sampling) {
    case Sampling::kRandom:
    case Sampling::kLatinHypercube:
      entry["points"] = sweep.points;
      entry["seed"] = sweep.seed;
      break;
    case Sampling::kSobol:
      entry["points"] = sweep.points;
      entry["skip"] = sweep.skip;
      break;
    case Sampling::kAdaptive:
      entry["budget"] = sweep.search.budget;
      entry["population"] = sweep.search.population;
      entry["seed"] = sweep.search.seed;
      break;
    default:
      break;
  }
  return entry;
}

ordered_json objective_entry(const SweepObjective& o) {
  return {{"name", o.name},
          {"of", o.text},
          {"goal", o.maximised ? "max" : "min"},
          {"mean", o.mean},
          {"relative", o.relative}};
}

/// What a run's entry has of its statistics.
ordered_json run_entry(const std::string& workload, const PointResult& run) {
  ordered_json entry = {{"workload", workload}};
  const ordered_json& stats = run.stats;
  for (const char* key : {"cycles", "time_ns", "verified"}) {
    entry[key] = stats.is_object() && stats.contains(key) ? stats[key] : ordered_json();
  }
  entry["energy"] = ordered_json::object();
  if (stats.is_object() && stats.contains("energy")) {
    for (const auto& [name, value] : stats["energy"].items()) {
      if (value.is_number()) entry["energy"][name] = value;
      if (value.is_object() && value.contains("total_j")) {
        entry["energy"][name + ".total_j"] = value["total_j"];
      }
    }
  }
  if (!run.failure.empty()) entry["error"] = run.failure;
  return entry;
}

ordered_json design_entry(const Sweep& sweep, const DesignResult& d, std::size_t id, bool front) {
  ordered_json runs = ordered_json::array();
  for (std::size_t w = 0; w < d.runs.size(); ++w) {
    runs.push_back(run_entry(sweep.workloads[w], d.runs[w]));
    for (std::size_t o = 0; o < sweep.objectives.size(); ++o) {
      runs.back()["objectives"][sweep.objectives[o].name] = number_or_null(d.per_workload[o][w]);
    }
  }
  ordered_json objectives = ordered_json::object();
  for (std::size_t o = 0; o < sweep.objectives.size(); ++o) {
    objectives[sweep.objectives[o].name] = number_or_null(d.objectives[o]);
  }
  return {{"id", id},
          {"platform", sweep.platforms[d.design.platform]},
          {"settings", settings_of(sweep, d.design)},
          {"objectives", std::move(objectives)},
          {"front", front},
          {"runs", std::move(runs)}};
}

ordered_json sensitivity_entry(const Sweep& sweep, std::size_t objective,
                               const SweepAnalysis& analysis) {
  const std::vector<std::string> names = sweep.dimensions();
  const ObjectiveSensitivity& s = analysis.sensitivity[objective];
  ordered_json main = ordered_json::array();
  ordered_json interactions = ordered_json::array();
  if (s.shares) {
    for (std::size_t f = 0; f < names.size(); ++f) {
      main.push_back(
          {{"parameter", names[f]}, {"levels", s.levels[f]}, {"share", s.shares->main[f]}});
    }
    for (const Interaction& i : s.shares->interactions) {
      interactions.push_back(
          {{"parameters", {names[i.first], names[i.second]}}, {"share", i.share}});
    }
  }
  return {{"objective", sweep.objectives[objective].name},
          {"designs", analysis.complete},
          {"main", std::move(main)},
          {"interactions", std::move(interactions)}};
}

/// The base design's objectives, by name.
ordered_json base_objectives(const Sweep& sweep, const std::vector<PointResult>& base) {
  ordered_json objectives = ordered_json::object();
  for (const SweepObjective& o : sweep.objectives) {
    objectives[o.name] = number_or_null(mean_over_workloads(o, values_per_workload(o, base, base)));
  }
  return objectives;
}

/// Failed runs of the base design (design: null) and of the designs.
ordered_json failed_entries(const Sweep& sweep, const SweepResult& result) {
  ordered_json failed = ordered_json::array();
  const auto add = [&](const ordered_json& id, const ordered_json& settings, std::size_t platform,
                       const std::vector<PointResult>& runs) {
    for (std::size_t w = 0; w < runs.size(); ++w) {
      if (runs[w].failure.empty()) continue;
      failed.push_back({{"design", id},
                        {"platform", sweep.platforms[platform]},
                        {"settings", settings},
                        {"workload", sweep.workloads[w]},
                        {"error", runs[w].failure}});
    }
  };
  add(nullptr, ordered_json::object(), 0, result.base);
  for (std::size_t i = 0; i < result.designs.size(); ++i) {
    const SweepDesign& d = result.designs[i].design;
    add(i, settings_of(sweep, d), d.platform, result.designs[i].runs);
  }
  return failed;
}

}  // namespace

ordered_json sweep_document(const Sweep& sweep, const SweepResult& result) {
  const SweepAnalysis analysis = analyze_sweep(sweep, result);
  ordered_json parameters = ordered_json::array();
  for (const SweepParameter& p : sweep.parameters) parameters.push_back(parameter_entry(p));
  ordered_json constraints = ordered_json::array();
  for (const SweepConstraint& c : sweep.constraints) constraints.push_back(c.text);
  ordered_json objectives = ordered_json::array();
  ordered_json reference = ordered_json::object();
  ordered_json sensitivities = ordered_json::array();
  for (std::size_t o = 0; o < sweep.objectives.size(); ++o) {
    objectives.push_back(objective_entry(sweep.objectives[o]));
    if (analysis.complete == 0) continue;
    reference[sweep.objectives[o].name] = analysis.reference[o];
    sensitivities.push_back(sensitivity_entry(sweep, o, analysis));
  }
  ordered_json base;
  if (!result.base.empty()) {
    base = {{"platform", sweep.platforms.front()},
            {"objectives", base_objectives(sweep, result.base)},
            {"runs", ordered_json::array()}};
    for (std::size_t w = 0; w < result.base.size(); ++w) {
      base["runs"].push_back(run_entry(sweep.workloads[w], result.base[w]));
    }
  }
  const std::set<std::size_t> in_front(analysis.front.begin(), analysis.front.end());
  ordered_json designs = ordered_json::array();
  for (std::size_t i = 0; i < result.designs.size(); ++i) {
    designs.push_back(design_entry(sweep, result.designs[i], i, in_front.count(i) != 0));
  }
  ordered_json invalid = ordered_json::array();
  for (const InvalidDesign& d : result.invalid) {
    invalid.push_back({{"platform", sweep.platforms[d.design.platform]},
                       {"settings", settings_of(sweep, d.design)},
                       {"error", d.reason}});
  }
  ordered_json window;
  if (const auto& w = sweep.options.window) {
    window = {{"skip", w->skip}, {"detail", w->detail}, {"rest", w->rest}};
  }
  return {{"sweep", sweep.name},
          {"title", sweep.title},
          {"source", sweep.source},
          {"scale", sweep.scale},
          {"window", std::move(window)},
          {"seed", sweep.options.seed},
          {"values", sweep.values},
          {"platforms", sweep.platforms},
          {"workloads", sweep.workloads},
          {"sets", sweep.sets},
          {"parameters", std::move(parameters)},
          {"sampling", sampling_entry(sweep)},
          {"constraints", std::move(constraints)},
          {"objectives", std::move(objectives)},
          {"base", std::move(base)},
          {"designs", std::move(designs)},
          {"front", analysis.front},
          {"hypervolume", {{"value", analysis.volume}, {"reference", std::move(reference)}}},
          {"sensitivity", std::move(sensitivities)},
          {"excluded", result.excluded},
          {"invalid", std::move(invalid)},
          {"failed", failed_entries(sweep, result)}};
}

}  // namespace tessera::studies
