// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sweep: platforms, workloads, parameters with values to try, and objectives, in one JSON file.
// docs/guide/sweep.md describes the file for users.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/kept_json.h"
#include "platforms/simulation.h"
#include "studies/expression.h"
#include "studies/sweep/adaptive_search.h"

namespace tessera::studies {

using SettingValue = KeptJson<nlohmann::json>;

/// A parameter and its values: a list of levels, or a range.
struct SweepParameter {
  std::string path = {};
  std::string kind = {};  ///< "integer", "real", "flag", "text"
  std::string unit = {};
  /// In the parameter's unit. Empty: a range.
  std::vector<SettingValue> levels = {};
  double from = 0;
  double to = 0;
  bool logarithmic = false;

  bool is_range() const { return levels.empty(); }
  /// The value at a position in [0, 1) of the range or of the list of levels.
  SettingValue value_at(double position) const;
  /// The value at a fraction of the range, which includes both ends. Rounded if it is an integer.
  SettingValue value_in_range(double fraction) const;
};

enum class Sampling { kGrid, kList, kRandom, kLatinHypercube, kSobol, kAdaptive };

/// A platform with a value for each parameter. A null value leaves the parameter as it is.
struct SweepDesign {
  std::size_t platform = 0;
  std::vector<SettingValue> values;
};

struct SweepConstraint {
  std::string text;
  Expression condition;  ///< over parameters
};

struct SweepObjective {
  std::string name;
  std::string text;
  Expression value;  ///< over the statistics of a run
  bool maximised = false;
  std::string mean = "gmean";  ///< over the workloads
  bool relative = false;       ///< to the base design's value for the same workload
  std::optional<double> reference;
};

struct Sweep {
  std::string name;  ///< of the file
  std::string file;
  std::string title;
  std::string source;
  std::vector<std::string> platforms;  ///< presets or paths
  std::vector<std::string> workloads;  ///< names of the suite or paths
  std::string scale;
  std::string values;
  RunOptions options;             ///< scale, values, seed and window
  std::vector<std::string> sets;  ///< fixed settings, "path=value"
  std::vector<SweepParameter> parameters;
  Sampling sampling = Sampling::kGrid;
  std::size_t points = 0;            ///< random points, Latin hypercube and Sobol points
  std::uint64_t seed = 1;            ///< random points and Latin hypercube
  std::uint64_t skip = 0;            ///< Sobol points
  SearchLimits search;               ///< adaptive
  std::vector<SweepDesign> designs;  ///< list
  std::vector<SweepConstraint> constraints;
  std::vector<SweepObjective> objectives;
  bool skip_invalid = false;

  /// By platform, with the fixed settings. The base design is the first.
  std::vector<ResolvedConfig> bases;
  /// By platform: the values of the numbers and flags in `bases`.
  std::vector<std::map<std::string, double>> numbers;

  bool has_relative_objective() const;
  /// Names of the dimensions of the design space: "platform" if there are several, and the
  /// parameters.
  std::vector<std::string> dimensions() const;
};

/// The names of the methods in a file, in the order of Sampling.
const std::vector<std::string>& sampling_names();

/// Loads and checks a sweep's file. Throws InputError (file, line, JSON path, expected value,
/// nearest known name).
Sweep load_sweep(const std::string& file);

}  // namespace tessera::studies
