// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_runs.h"

#include <algorithm>
#include <map>

#include "common/error.h"
#include "common/json.h"
#include "studies/sweep/sweep_objectives.h"
#include "studies/sweep/sweep_space.h"

namespace tessera::studies {
namespace {

using nlohmann::ordered_json;

/// Maximum number of refused designs in a message.
constexpr std::size_t kMostRefused = 3;

/// The statistics that the results report.
ordered_json reported(const ordered_json& stats) {
  ordered_json out = ordered_json::object();
  for (const char* key : {"cycles", "time_ns", "verified", "derived", "energy"}) {
    if (stats.is_object() && stats.contains(key)) out[key] = stats[key];
  }
  return out;
}

class SweepRun {
 public:
  SweepRun(const Sweep& sweep, const RunPoints& run) : sweep_(sweep), run_(run) {}

  SweepResult sampled() {
    std::vector<SweepDesign> designs;
    std::vector<ResolvedConfig> configs;
    for (SweepDesign& d : sampled_designs(sweep_)) {
      if (!meets_constraints(sweep_, d)) {
        ++result_.excluded;
      } else if (auto config = resolved(d)) {
        configs.push_back(std::move(*config));
        designs.push_back(std::move(d));
      }
    }
    if (!sweep_.skip_invalid) refuse_invalid();
    if (designs.empty()) refuse_empty();
    add_results(designs, configs);
    return std::move(result_);
  }

  SweepResult adaptive() {
    run_base();
    SearchTarget target;
    target.levels = level_counts(sweep_);
    target.objectives = sweep_.objectives.size();
    std::map<LevelPoint, ResolvedConfig> resolved_configs;
    target.admissible = [&](const LevelPoint& p) {
      const SweepDesign design = design_at(sweep_, p);
      if (!meets_constraints(sweep_, design)) {
        ++result_.excluded;
        return false;
      }
      auto config = resolved(design);
      if (!config) return false;
      resolved_configs.emplace(p, std::move(*config));
      return true;
    };
    target.evaluate = [&](const std::vector<LevelPoint>& points) {
      std::vector<SweepDesign> designs;
      std::vector<ResolvedConfig> configs;
      for (const LevelPoint& p : points) {
        designs.push_back(design_at(sweep_, p));
        configs.push_back(std::move(resolved_configs.at(p)));
        resolved_configs.erase(p);
      }
      const std::size_t first = result_.designs.size();
      add_results(designs, configs);
      std::vector<std::optional<ObjectiveValues>> values;
      for (std::size_t i = first; i < result_.designs.size(); ++i) {
        values.push_back(minimised_objectives(sweep_, result_.designs[i]));
      }
      return values;
    };
    adaptive_search(target, sweep_.search);
    if (result_.designs.empty()) refuse_empty();
    return std::move(result_);
  }

 private:
  std::optional<ResolvedConfig> resolved(const SweepDesign& design) {
    try {
      return resolve_config(sweep_.platforms[design.platform], sets_of(sweep_, design));
    } catch (const InputError& e) {
      result_.invalid.push_back({design, e.what()});
      return std::nullopt;
    }
  }

  [[noreturn]] void refuse_empty() const {
    throw InputError(sweep_.file + ": no design is left: " + std::to_string(result_.excluded) +
                     " violate a constraint, " + std::to_string(result_.invalid.size()) +
                     " are refused" +
                     (result_.invalid.empty() ? "" : ": " + result_.invalid.front().reason));
  }

  void refuse_invalid() const {
    if (result_.invalid.empty()) return;
    std::string text = sweep_.file +
                       ": refused designs: " + std::to_string(result_.invalid.size()) +
                       " (\"invalid\": \"skip\" leaves them out)";
    for (std::size_t i = 0; i < std::min(result_.invalid.size(), kMostRefused); ++i) {
      const InvalidDesign& d = result_.invalid[i];
      text += "\n" + sweep_.platforms[d.design.platform] + " with " +
              settings_of(sweep_, d.design).dump() + ": " + d.reason;
    }
    throw InputError(text);
  }

  void run_base() {
    if (!sweep_.has_relative_objective() || !result_.base.empty()) return;
    result_.base = run_(points_of(sweep_.bases.front()));
  }

  std::vector<SweepPoint> points_of(const ResolvedConfig& config) const {
    std::vector<SweepPoint> points;
    for (std::size_t w = 0; w < sweep_.workloads.size(); ++w) points.push_back({&config, w});
    return points;
  }

  /// Simulates the designs, and the base design with the first ones.
  void add_results(const std::vector<SweepDesign>& designs,
                   const std::vector<ResolvedConfig>& configs) {
    const std::size_t workloads = sweep_.workloads.size();
    const bool with_base = sweep_.has_relative_objective() && result_.base.empty();
    std::vector<SweepPoint> points;
    if (with_base) points = points_of(sweep_.bases.front());
    for (const ResolvedConfig& c : configs) {
      for (const SweepPoint& p : points_of(c)) points.push_back(p);
    }
    std::vector<PointResult> results = run_(points);
    auto next = std::make_move_iterator(results.begin());
    const auto take = [&next, workloads] {
      std::vector<PointResult> runs(next, next + static_cast<std::ptrdiff_t>(workloads));
      next += static_cast<std::ptrdiff_t>(workloads);
      return runs;
    };
    if (with_base) result_.base = take();
    for (const SweepDesign& d : designs) {
      DesignResult result{d, take(), {}, {}};
      for (const SweepObjective& o : sweep_.objectives) {
        result.per_workload.push_back(values_per_workload(o, result.runs, result_.base));
        result.objectives.push_back(mean_over_workloads(o, result.per_workload.back()));
      }
      for (PointResult& run : result.runs) run.stats = reported(run.stats);
      result_.designs.push_back(std::move(result));
    }
  }

  const Sweep& sweep_;
  const RunPoints& run_;
  SweepResult result_;
};

}  // namespace

bool DesignResult::complete() const {
  return std::all_of(objectives.begin(), objectives.end(),
                     [](const auto& v) { return v.has_value(); });
}

std::optional<ObjectiveValues> minimised_objectives(const Sweep& sweep,
                                                    const DesignResult& design) {
  if (!design.complete()) return std::nullopt;
  ObjectiveValues values;
  for (std::size_t o = 0; o < sweep.objectives.size(); ++o) {
    values.push_back(sweep.objectives[o].maximised ? -*design.objectives[o]
                                                   : *design.objectives[o]);
  }
  return values;
}

SweepResult run_sweep(const Sweep& sweep, const RunPoints& run) {
  SweepRun runs(sweep, run);
  return sweep.sampling == Sampling::kAdaptive ? runs.adaptive() : runs.sampled();
}

}  // namespace tessera::studies
