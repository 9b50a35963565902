// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "app/arguments.h"
#include "app/console.h"
#include "app/output_directory.h"
#include "app/point_runner.h"
#include "app/report/comparison.h"
#include "app/report/html.h"
#include "app/verbs.h"

namespace tessera::app {

using nlohmann::ordered_json;

int compare_verb(const std::vector<std::string>& arguments) {
  ArgumentParser parser("compare",
                        "Runs every workload on every platform, each in a process of its own, and "
                        "sets the\nresults side by side. Files: compare.json, compare.csv, "
                        "report.html in --out\n(default: out/compare; with --json only where --out "
                        "says so).");
  parser.positional("PLATFORM,...", "presets or JSON files; the first is the baseline");
  parser.positional("WORKLOAD,...", "names or manifests; all: the suite");
  add_set_option(parser);
  add_run_options(parser);
  add_jobs_option(parser);
  const auto values = parser.parse(arguments);
  if (!values) return 0;
  const RunArguments run = read_run_options(*values);
  const unsigned jobs = read_jobs(*values);
  const auto platforms = split_names("PLATFORM,...", positional_argument(*values, 0));
  const std::string named = positional_argument(*values, 1);
  const auto workloads = named == "all" ? workload_names() : split_names("WORKLOAD,...", named);

  // Whatever can be wrong with the names and files is told before anything runs.
  std::vector<ResolvedConfig> configs;
  configs.reserve(platforms.size());
  for (const std::string& p : platforms) configs.push_back(resolve_config(p, run.sets));
  if (!run.quiet) {
    std::vector<const ResolvedConfig*> all;
    for (const ResolvedConfig& c : configs) all.push_back(&c);
    tell_idle_settings(all, run.sets);
  }
  for (const std::string& w : workloads) make_workload(w);
  std::optional<OutputDirectory> out;
  if (run.out || !run.json) out.emplace(run.out.value_or("out/compare"));

  std::vector<ComparedPoint> compared;
  std::vector<RunnablePoint> points;
  for (const std::string& workload : workloads) {
    for (std::size_t i = 0; i < platforms.size(); ++i) {
      compared.push_back({platforms[i], workload, nullptr, ""});
      points.push_back({&configs[i], workload});
    }
  }
  std::vector<FinishedPoint> finished =
      run_points(points, jobs, run.options, {"compare", run.quiet}, {});
  for (std::size_t i = 0; i < points.size(); ++i) {
    compared[i].stats = std::move(finished[i].stats);
    compared[i].failure = std::move(finished[i].failure);
  }

  const ordered_json document = comparison_document(compared);
  if (out) {
    out->write("compare.json", document.dump(2) + "\n");
    out->write("compare.csv", comparison_csv(document));
    out->write("report.html", comparison_report(document));
  }
  if (run.json) {
    write_document(document);
  } else {
    std::cout << comparison_table(document) << "\nreport  " << out->path_of("report.html")
              << std::endl;
  }
  int status = 0;
  for (const ComparedPoint& c : compared) {
    if (c.failure.empty()) continue;
    complain(c.workload + " on " + c.platform + ": " + c.failure);
    status = 1;
  }
  return status;
}

}  // namespace tessera::app
