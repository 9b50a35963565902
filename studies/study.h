// SPDX-License-Identifier: Apache-2.0
#pragma once

// A study: a paper's figures and claims as data. A folder of JSON files: study.json (platforms),
// workloads.json, claims.json (what the paper says), and one file a figure (how it is measured).
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

/// A platform of the study: a preset and settings, which may differ by scale.
struct StudyPlatform {
  std::string name;
  std::map<Scale, std::string> preset;
  std::map<Scale, std::vector<std::string>> sets;  ///< "path=value"
  std::string origin;                              ///< "FILE:LINE: POINTER", for messages
};

/// A workload of the paper, and the one of ours that stands for it.
struct StudyWorkload {
  std::string name;   ///< as the paper abbreviates it
  std::string group;  ///< its class ("low-sharing")
  /// A suite workload or the path of a manifest.
  std::string workload;
  bool exists = false;  ///< false: the suite does not have it (yet)
};

/// One number of the paper: what it says and what still counts.
struct Quantity {
  std::string key;  ///< a workload, "largest" of them, a system; or the x of a sweep
  std::optional<double> published;
};

/// A claim of the paper (claims.json).
struct Claim {
  std::string id;
  std::string where;
  std::string what;
  /// "sim", "needs-power-model", "analytic"; "hardware", "parameter" and "not-modelled" are never
  /// run.
  std::string scope = "sim";
  std::optional<double> value;
  std::optional<std::pair<double, double>> accept_range;
  /// Relative band around numbers that have no range of their own.
  std::optional<double> tolerance;
  std::optional<Bound> minimum_check;
  std::string minimum_check_text;
  std::vector<std::string> direction;
  std::vector<Quantity> per_workload;
  std::vector<Quantity> sweep;
  Selection workloads;
};

struct Check {
  std::string text;
  Expression condition;
};

/// How a figure's data settle a claim.
struct Measurement {
  std::size_t claim = 0;
  Selection workloads;
  Expression each;
  Expression measured;
  std::vector<std::pair<std::string, Expression>> parts;   ///< by key of Claim::per_workload
  std::vector<std::pair<std::string, Expression>> points;  ///< by key of Claim::sweep
  std::vector<Check> checks;
  std::string note;
};

/// A mean over workloads that a bar chart shows beside them.
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

/// Either one value for each workload (and the figure's means of them), or points.
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
  std::string kind;  ///< "bars", "stacked", "lines", "scatter"
  std::string x_title;
  std::string y_title;
  Selection workloads;
  std::vector<Mean> means;
  std::vector<Series> series;
  std::vector<Measurement> claims;
};

struct Study {
  std::string name;
  std::string title;
  std::string source;
  std::vector<StudyPlatform> platforms;
  std::vector<StudyWorkload> workloads;
  std::vector<Claim> claims;
  std::vector<Figure> figures;  ///< sorted by file name

  Selection all_workloads() const;
  /// Throws InputError with the nearest name.
  std::size_t figure(const std::string& figure_name) const;
};

/// Loads and checks a study's folder. Platforms are looked up when they are used. Throws InputError
/// (file, line, JSON path, what was expected, nearest known name).
Study load_study(const std::string& folder);

struct StudyInfo {
  std::string name;
  std::string title;
  std::string folder;
};

/// The studies that come with Tessera, sorted by name. Directory: TESSERA_STUDIES_DIR in the
/// environment, the source tree, or ${prefix}/share/tessera/studies.
std::vector<StudyInfo> study_catalogue();

/// "NAME[/FIGURE]" of a study that comes with Tessera, or FOLDER[/FIGURE]: the folder, and the
/// figure's name or nothing. Throws InputError with the nearest name.
std::pair<std::string, std::string> find_study(const std::string& argument);

}  // namespace tessera::studies
