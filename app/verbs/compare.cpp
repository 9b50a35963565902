// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <thread>

#include "app/arguments.h"
#include "app/console.h"
#include "app/output_directory.h"
#include "app/point.h"
#include "app/progress.h"
#include "app/report/comparison.h"
#include "app/report/html.h"
#include "app/report/text.h"
#include "app/verbs.h"
#include "app/worker_pool.h"
#include "common/error.h"

namespace tessera::app {
namespace {

namespace po = boost::program_options;
using nlohmann::ordered_json;

struct Point {
  std::string platform;
  std::string workload;
  const ResolvedConfig* config = nullptr;
};

unsigned jobs_from(const po::variables_map& values) {
  if (values.count("jobs") == 0) return std::max(1U, std::thread::hardware_concurrency());
  const auto& text = values["jobs"].as<std::string>();
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
  if (text.empty() || !digits || text.size() > 4 || std::stoul(text) == 0) {
    throw InputError("--jobs: '" + text + "' is not a whole number from 1 to 9999");
  }
  return static_cast<unsigned>(std::stoul(text));
}

/// In a child: one point, as the message that the parent gets.
ordered_json simulate(const Point& point, RunOptions options, const WorkerPool::Report& report) {
  options.on_progress = [&report](const Progress& p) {
    report(p.ctas_total == 0
               ? 0
               : static_cast<double>(p.ctas_done) / static_cast<double>(p.ctas_total));
  };
  options.interrupted = interrupted;
  PointOutcome outcome = simulate_point(*point.config, point.workload, options);
  return {{"stats", std::move(outcome.stats)}, {"failure", outcome.failure.value_or("")}};
}

std::vector<ComparedPoint> gather(const std::vector<Point>& points,
                                  std::vector<JobOutcome> outcomes) {
  std::vector<ComparedPoint> compared;
  for (std::size_t i = 0; i < points.size(); ++i) {
    ComparedPoint c;
    c.platform = points[i].platform;
    c.workload = points[i].workload;
    if (outcomes[i].result) {
      c.stats = std::move((*outcomes[i].result)["stats"]);
      c.failure = (*outcomes[i].result)["failure"].get<std::string>();
    } else {
      c.failure = outcomes[i].error;
    }
    compared.push_back(std::move(c));
  }
  return compared;
}

}  // namespace

int compare_verb(const std::vector<std::string>& arguments) {
  ArgumentParser parser("compare",
                        "Runs every workload on every platform, each in a process of its own, and "
                        "sets the\nresults side by side. Files: compare.json, compare.csv, "
                        "report.html in --out\n(default: out/compare; with --json only where --out "
                        "says so).");
  parser.positional("PLATFORM,...", "presets or JSON files; the first is the baseline");
  parser.positional("WORKLOAD,...", "names or manifests");
  add_run_options(parser);
  parser.options()("jobs", po::value<std::string>()->value_name("N"),
                   "points at a time (default: one a core)");
  const auto values = parser.parse(arguments);
  if (!values) return 0;
  const RunArguments run = read_run_options(*values);
  const unsigned jobs = jobs_from(*values);
  const auto platforms = split_names("PLATFORM,...", positional_argument(*values, 0));
  const auto workloads = split_names("WORKLOAD,...", positional_argument(*values, 1));

  // Whatever can be wrong with the names and files is told before anything runs.
  std::vector<ResolvedConfig> configs;
  configs.reserve(platforms.size());
  for (const std::string& p : platforms) configs.push_back(resolve_config(p, run.sets));
  for (const std::string& w : workloads) make_workload(w);
  std::optional<OutputDirectory> out;
  if (run.out || !run.json) out.emplace(run.out.value_or("out/compare"));

  std::vector<Point> points;
  for (const std::string& workload : workloads) {
    for (std::size_t i = 0; i < platforms.size(); ++i) {
      points.push_back({platforms[i], workload, &configs[i]});
    }
  }

  catch_interrupts();
  route_systemc_reports(run.quiet);
  ProgressMeter meter(run.quiet);
  const auto total = static_cast<double>(points.size());
  std::vector<JobOutcome> outcomes = WorkerPool::run(
      points.size(), jobs,
      [&](std::size_t i, const WorkerPool::Report& report) {
        return simulate(points[i], run.options, report);
      },
      [&](double finished) {
        meter.update("compare", finished / total,
                     std::to_string(static_cast<std::size_t>(finished)) + " of " +
                         std::to_string(points.size()) + " points");
      });
  meter.finish();

  const std::vector<ComparedPoint> compared = gather(points, std::move(outcomes));
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
