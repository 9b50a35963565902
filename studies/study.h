// SPDX-License-Identifier: Apache-2.0
#pragma once

// A study: a paper's figures and claims as data in a folder of JSON files: study.json (platforms),
// workloads.json, claims.json (published values), and one file per figure (measurements).
// docs/guide/studies.md describes the files for users.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/simulation.h"
#include "studies/expression.h"

namespace tessera::studies {

/// A platform of the study: a preset and settings, which can differ by scale.
struct StudyPlatform {
  std::string name;
  std::map<Scale, std::string> preset;
  std::map<Scale, std::vector<std::string>> sets;  ///< "path=value"
  std::string origin;                              ///< "FILE:LINE: POINTER", for messages
};

/// A workload of the paper and the Tessera workload that represents it.
struct StudyWorkload {
  std::string name;   ///< the paper's abbreviation
  std::string group;  ///< its class ("low-sharing")
  /// A suite workload or the path of a manifest.
  std::string workload;
  bool exists = false;  ///< false: not in the suite
  /// As PaperWorkload::paper_sizes.
  std::string paper_sizes = {};

  /// The workload's name, with its sizes at this scale.
  std::string at(Scale scale) const {
    return scale == Scale::kPaper && !paper_sizes.empty() ? workload + ":" + paper_sizes : workload;
  }
};

/// One number of the paper: the published value and the accepted values.
struct Quantity {
  std::string key;  ///< a workload, "largest", a system, or the x of a sweep
  std::optional<double> published;
};

/// A claim of the paper (claims.json).
struct Claim {
  std::string id;
  std::string where;
  std::string what;
  /// "sim", "needs-power-model", "analytic"; or, for claims without a measurement, "hardware",
  /// "parameter", "not-modelled".
  std::string scope = "sim";
  /// "ratio", another kind or unit ("fraction", "cycles", ...), or empty. Of `value` and of the
  /// numbers in `per_workload` and `sweep`.
  std::string value_kind;
  std::optional<double> value;
  /// Of the published figures of real hardware: "fitted" (parameters were fitted to `value`),
  /// "test" (`value` tests them), or empty.
  std::string half;
  std::optional<std::pair<double, double>> accept_range;  ///< the upper limit can be infinite
  /// A ratio's least measured value for "holds" and "direction" (studies/effect.h). Set if `value`
  /// is a ratio with an effect.
  std::optional<double> effect_floor;
  /// Relative band around numbers without a range.
  std::optional<double> tolerance;
  std::optional<Bound> minimum_check;
  std::string minimum_check_text;
  std::vector<std::string> direction;
  std::vector<Quantity> per_workload;
  std::vector<Quantity> sweep;
  Selection workloads;

  bool is_ratio() const { return value_kind == "ratio"; }
};

struct Check {
  std::string text;
  Expression condition;
};

/// The measurement of a claim from a figure's data.
struct Measurement {
  std::size_t claim = 0;
  Selection workloads;
  Expression each;
  Expression measured;
  std::vector<std::pair<std::string, Expression>> parts;   ///< by key of Claim::per_workload
  std::vector<std::pair<std::string, Expression>> points;  ///< by key of Claim::sweep
  std::vector<Check> checks;
  /// SMs that each platform of the measurement must have; with fewer, the claim is not judged.
  std::uint32_t needs_sms = 0;
  std::string note;
};

/// A mean over workloads, shown in a bar chart next to them.
struct Mean {
  std::string label;
  std::string take;  ///< "hmean", "mean", ...
  Selection workloads;
};

struct SeriesPoint {
  std::string label;
  Expression x;  ///< scatter charts
  Expression y;
  std::optional<double> published_x;
  std::optional<double> published;
};

/// A series of a figure: one value for each workload (and the figure's means), or points.
struct Series {
  std::string name;
  Expression each;
  std::map<std::string, double> published;  ///< by workload or mean
  std::vector<SeriesPoint> points;
};

struct Figure {
  std::string name;
  std::string title;
  std::string source;
  /// "bars", "stacked", "lines", "scatter", "correlation" (of the claims with a half; no series).
  std::string kind;
  std::string x_title;
  std::string y_title;
  bool x_log = false;  ///< logarithmic x axis; of "lines", the labels are then numbers
  bool y_log = false;
  Selection workloads;
  std::vector<Mean> means;
  std::vector<Series> series;
  std::vector<Measurement> claims;
};

struct Study {
  std::string name;
  std::string title;
  std::string source;
  /// Window of each run at a scale. Without an entry, runs are simulated whole.
  std::map<Scale, WindowOptions> windows;
  std::vector<StudyPlatform> platforms;
  std::vector<StudyWorkload> workloads;
  std::vector<Claim> claims;
  std::vector<Figure> figures;  ///< sorted by file name

  Selection all_workloads() const;
  /// Throws InputError with the nearest name.
  std::size_t figure(const std::string& figure_name) const;
};

/// Loads and checks a study's folder. Platforms are looked up at their first use. Throws InputError
/// (file, line, JSON path, expected value, nearest known name).
Study load_study(const std::string& folder);

struct StudyInfo {
  std::string name;
  std::string title;
  std::string folder;
};

/// Tessera's own studies, sorted by name. Directory: TESSERA_STUDIES_DIR in the environment, the
/// source tree, or ${prefix}/share/tessera/studies.
std::vector<StudyInfo> study_catalogue();

/// Resolves "NAME[/FIGURE]" of one of Tessera's studies, or FOLDER[/FIGURE], to the folder and the
/// figure's name, which can be empty. Throws InputError with the nearest name.
std::pair<std::string, std::string> find_study(const std::string& argument);

}  // namespace tessera::studies
