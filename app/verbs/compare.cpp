// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "app/arguments.h"
#include "app/console.h"
#include "app/delivery.h"
#include "app/explain/explanation.h"
#include "app/farm/executor_options.h"
#include "app/point_store.h"
#include "app/report/catalogue.h"
#include "app/report/comparison.h"
#include "app/report/html.h"
#include "app/result_folder.h"
#include "app/stored_points.h"
#include "app/verbs.h"
#include "common/json.h"
#include "common/text.h"
#include "studies/points.h"

namespace tessera::app {

using nlohmann::ordered_json;

namespace {

/// The command's request as text. It changes if a file that the command reads, or the command's
/// executable, changes.
std::string request_of(const std::vector<std::string>& platforms,
                       const std::vector<std::string>& workloads, const RunArguments& run,
                       const std::vector<KeyedPoint>& points) {
  ordered_json keys = ordered_json::array();
  for (const KeyedPoint& p : points) keys.push_back(p.key);
  const ordered_json request = {{"compare", platforms},
                                {"workloads", workloads},
                                {"sets", run.sets},
                                {"scale", name_of(run.options.scale)},
                                {"values", name_of(run.options.values)},
                                {"seed", run.options.seed},
                                {"points", keys}};
  return document_text(request);
}

/// What all points are given (app/report/inputs.h).
ordered_json inputs_of(const RunArguments& run, const ResolvedConfig& config) {
  ordered_json inputs = {{"scale", name_of(run.options.scale)},
                         {"seed", run.options.seed},
                         {"values", name_of(run.options.values)},
                         {"settings", config.settings()}};
  if (const auto& window = run.options.window) {
    inputs["window"] = {{"skip", window->skip}, {"detail", window->detail}};
  }
  return inputs;
}

ordered_json without_host(ordered_json stats) {
  stats.erase("host");
  return stats;
}

/// A file name for each point with statistics, "nuba-kmeans.html"; equal names get numbers. Names
/// that differ only in case are equal, because some file systems take them for one. Empty: the
/// point has no statistics.
std::vector<std::string> report_names(const std::vector<ComparedPoint>& compared) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const ComparedPoint& c : compared) {
    if (!c.stats->is_object() || !c.stats->contains("modules")) {
      names.emplace_back();
      continue;
    }
    const std::string stem = file_stem(c.platform) + "-" + file_stem(c.workload);
    std::string name = stem;
    for (unsigned n = 2; !taken.insert(lower_case(name)).second; ++n) {
      name = stem + "-" + std::to_string(n);
    }
    names.push_back(name + ".html");
  }
  return names;
}

/// Writes the points' own reports to the folder "points". Returns their paths in `out`; empty: not
/// written.
std::vector<std::string> write_point_reports(const OutputDirectory& out,
                                             const std::vector<ComparedPoint>& compared,
                                             Delivery& delivery) {
  std::vector<std::string> paths(compared.size());
  std::optional<OutputDirectory> folder;
  if (!delivery.attempt([&] { folder.emplace(out.path_of("points")); })) return paths;
  const std::vector<std::string> names = report_names(compared);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (names[i].empty()) continue;
    const ordered_json& stats = *compared[i].stats;
    const bool written = delivery.attempt([&] {
      folder->write(names[i], run_report(stats, catalogue_from(stats), "", compared[i].failure,
                                         explanation_lines(stats)));
    });
    if (written) paths[i] = "points/" + names[i];
  }
  return paths;
}

/// Why the other platforms are faster or slower than the first, for the workload of each with the
/// largest ratio of times.
std::vector<std::string> explanation_of(const std::vector<ComparedPoint>& compared) {
  std::map<std::string, const ComparedPoint*> first;  // by workload
  struct Change {
    const ComparedPoint* point = nullptr;
    double ratio = 0;  // its logarithm, without sign
  };
  std::map<std::string, Change> largest;  // by platform
  std::vector<std::string> order;
  for (const ComparedPoint& c : compared) {
    if (!c.stats->is_object() || !has_critical_time(*c.stats)) continue;
    if (c.platform == compared.front().platform) {
      first.emplace(c.workload, &c);
      continue;
    }
    const auto base = first.find(c.workload);
    if (base == first.end()) continue;
    Change& most = largest[c.platform];
    if (most.point == nullptr) order.push_back(c.platform);
    const double ratio = std::abs(std::log(c.stats->at("time_ns").get<double>() /
                                           base->second->stats->at("time_ns").get<double>()));
    if (most.point == nullptr || ratio > most.ratio) most = {&c, ratio};
  }
  std::vector<std::string> lines;
  for (const std::string& platform : order) {
    const ComparedPoint& c = *largest.at(platform).point;
    const ComparedPoint& base = *first.at(c.workload);
    for (std::string& line :
         compare_sentences(explain(*base.stats), explain(*c.stats),
                           c.workload + " on " + base.platform, c.workload + " on " + platform)) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

/// Writes the comparison's files, the report last. Returns the report's path; empty if it is not
/// written.
std::string write_files(const OutputDirectory& out, const std::vector<ComparedPoint>& compared,
                        const ordered_json& document, Delivery& delivery) {
  delivery.attempt([&] { out.write("compare.json", document_text(document)); });
  delivery.attempt([&] { out.write("compare.csv", comparison_csv(document)); });
  const std::vector<std::string> reports = write_point_reports(out, compared, delivery);
  const bool written = delivery.attempt([&] {
    out.write("report.html", comparison_report(document, reports, explanation_of(compared)));
  });
  return written ? out.path_of("report.html") : "";
}

}  // namespace

ArgumentParser compare_arguments() {
  ArgumentParser parser("compare",
                        "Runs every workload on every platform, each in its own process, and "
                        "prints the\nresults side by side. Files: compare.json, compare.csv, "
                        "report.html,\nand a report of each point in points/, in --out "
                        "(default: out/compare, or -2, -3, ... when that\nis another "
                        "comparison's; with --json only where --out says so). Every run is kept in "
                        "the database of results (--store; with --json only "
                        "where --out or --store says so): the same command again, of the same "
                        "files, runs only missing points.");
  parser.positional("PLATFORM,...", "presets or JSON files; the first is the baseline",
                    {Completes::Kind::kPlatforms, {}});
  parser.positional("WORKLOAD,...", "names or manifests; all: the suite",
                    {Completes::Kind::kWorkloads, {}});
  add_set_option(parser);
  add_run_options(parser);
  add_executor_options(parser);
  add_overwrite_option(parser);
  add_plugin_option(parser);
  return parser;
}

int compare_verb(const std::vector<std::string>& arguments) {
  const auto values = compare_arguments().parse(arguments);
  if (!values) return 0;
  load_plugins(*values);
  const RunArguments run = read_run_options(*values, "compare", arguments);
  const auto platforms = split_names("PLATFORM,...", positional_argument(*values, 0));
  const std::string named = positional_argument(*values, 1);
  const auto workloads = named == "all" ? workload_names() : split_names("WORKLOAD,...", named);

  check_order(positional_argument(*values, 0), named);
  // Errors in names and files are reported before the first run.
  std::vector<ResolvedConfig> configs;
  configs.reserve(platforms.size());
  for (const std::string& p : platforms) configs.push_back(resolve_config(p, run.sets));
  if (!run.quiet) {
    std::vector<const ResolvedConfig*> all;
    for (const ResolvedConfig& c : configs) all.push_back(&c);
    warn_of_unused_parameters(all, run.sets);
  }
  // Invalid options are reported before a folder is made.
  make_executor(*values, run.out.value_or("out/compare"));
  // Before the hashes, which read every file that a point depends on and can take long.
  catch_interrupts();
  std::map<std::string, std::vector<std::string>> hashes;
  for (const std::string& w : workloads) hashes[w] = studies::workload_hashes(w);
  std::vector<ComparedPoint> compared;
  std::vector<KeyedPoint> points;
  for (const std::string& workload : workloads) {
    for (std::size_t i = 0; i < platforms.size(); ++i) {
      compared.push_back({platforms[i], workload, nullptr, ""});
      points.push_back({{&configs[i], workload},
                        studies::point_key(studies::identity_of(
                            configs[i], workload, hashes.at(workload), run.options))});
    }
  }
  std::optional<ResultFolder> folder;
  if (run.out || !run.json) {
    folder.emplace("compare.json", run.out, "out/compare", run.overwrite,
                   request_of(platforms, workloads, run, points));
  }
  std::optional<PointStore> store;
  if (folder || run.store) store = open_store(run.store);
  const std::unique_ptr<PointExecutor> executor =
      make_executor(*values, folder ? folder->path() : run.out.value_or("out/compare"));
  StoredPoints stored({executor.get(),
                       store ? &*store : nullptr,
                       run.options,
                       {"compare", run.quiet},
                       without_host});
  std::vector<FinishedPoint> finished = stored.results(points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    compared[i].stats = std::move(finished[i].stats);
    compared[i].failure = std::move(finished[i].failure);
    if (!compared[i].stats->is_object()) continue;
    // Platforms with the same configuration share their runs, but have different names, and can
    // have been made of different settings.
    const ResolvedConfig& config = *points[i].point.config;
    (*compared[i].stats)["platform"] = config.platform;
    (*compared[i].stats)["settings"] = config.settings();
  }
  Delivery& delivery = stored.delivery();
  const ordered_json document = comparison_document(compared, inputs_of(run, configs.front()));
  const bool complete = std::all_of(compared.begin(), compared.end(),
                                    [](const ComparedPoint& c) { return c.failure.empty(); });
  std::string report;
  if (folder) {
    delivery.attempt([&] {
      const ResultFolder::Target target = folder->for_result(complete);
      report = write_files(target.directory, compared, document, delivery);
    });
  }
  delivery.attempt([&] {
    if (run.json) return write_document(document);
    std::string text = comparison_table(document);
    if (!report.empty()) text += "\nreport  " + report + "\n";
    print_text(printable(text));
  });
  int status = delivery.report();
  for (const ComparedPoint& c : compared) {
    if (c.failure.empty()) continue;
    complain(c.workload + " on " + c.platform + ": " + c.failure);
    status = 1;
  }
  return status;
}

}  // namespace tessera::app
