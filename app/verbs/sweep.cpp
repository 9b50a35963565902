// SPDX-License-Identifier: Apache-2.0
#include "app/report/sweep.h"

#include <filesystem>
#include <memory>
#include <vector>

#include "app/arguments.h"
#include "app/console.h"
#include "app/delivery.h"
#include "app/farm/executor_options.h"
#include "app/point_store.h"
#include "app/report/html.h"
#include "app/result_folder.h"
#include "app/stored_points.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"
#include "studies/sweep/sweep_document.h"
#include "studies/sweep/sweep_runs.h"
#include "studies/sweep/sweep_space.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;
using studies::PointResult;
using studies::Sweep;
using studies::SweepPoint;

constexpr char kSweepDocument[] = "sweep.json";

std::vector<KeyedPoint> keyed_points(const Sweep& sweep, const std::vector<SweepPoint>& points,
                                     const std::vector<std::vector<std::string>>& hashes,
                                     const RunOptions& options) {
  std::vector<KeyedPoint> keyed;
  for (const SweepPoint& p : points) {
    const std::string& workload = sweep.workloads[p.workload];
    keyed.push_back({{p.config, workload},
                     studies::point_key(
                         studies::identity_of(*p.config, workload, hashes[p.workload], options))});
  }
  return keyed;
}

/// Throws InputError if the folder has another sweep's result, unless it may be replaced.
void refuse_other_sweep(const std::string& directory, const Sweep& sweep, bool overwrite) {
  const std::string file = (std::filesystem::path(directory) / kSweepDocument).string();
  if (overwrite || !names_something(file)) return;
  const auto other = nlohmann::json::parse(read_input_file(file, kMostResultBytes), nullptr, false);
  if (!other.is_object() || other.value("sweep", "") == sweep.name) return;
  throw InputError(directory + " has the result of another sweep (" + other.value("sweep", "") +
                   "); choose another folder with --out, or --overwrite");
}

std::vector<SweepRow> rows_of(const Sweep& sweep, const studies::SweepResult& result) {
  std::vector<SweepRow> rows;
  for (std::size_t i = 0; i < result.designs.size(); ++i) {
    const studies::DesignResult& d = result.designs[i];
    for (std::size_t w = 0; w < d.runs.size(); ++w) {
      rows.push_back({std::to_string(i), sweep.platforms[d.design.platform],
                      studies::settings_of(sweep, d.design), sweep.workloads[w], d.runs[w].stats});
    }
  }
  for (std::size_t w = 0; w < result.base.size(); ++w) {
    rows.push_back({"base", sweep.platforms.front(), ordered_json::object(), sweep.workloads[w],
                    result.base[w].stats});
  }
  return rows;
}

void complain_of_failures(const ordered_json& document) {
  for (const ordered_json& failed : document["failed"]) {
    complain(failed["workload"].get<std::string>() + " on " +
             failed["platform"].get<std::string>() + " with " + failed["settings"].dump() + ": " +
             failed["error"].get<std::string>());
  }
}

}  // namespace

ArgumentParser sweep_arguments() {
  ArgumentParser parser("sweep",
                        "Runs the designs of a sweep's file (platforms, parameters with values, a "
                        "sample of them) and\n"
                        "prints the Pareto front of its objectives and the parameters' effects. "
                        "Every run is kept in\n"
                        "the database of results (--store): the same command again runs only "
                        "changed points, and resumes\n"
                        "after an interruption. Files: sweep.json, sweep.csv, report.html in --out "
                        "(default: out/sweep-NAME).");
  parser.positional("FILE.json", "a sweep (docs/guide/sweep.md)", {Completes::Kind::kFile, {}});
  add_output_options(parser);
  add_executor_options(parser);
  add_overwrite_option(parser);
  add_plugin_option(parser);
  return parser;
}

int sweep_verb(const std::vector<std::string>& arguments) {
  const auto values = sweep_arguments().parse(arguments);
  if (!values) return 0;
  load_plugins(*values);
  RunArguments run = read_output_options(*values, "sweep", arguments);

  // Before the file, because its workloads' files are read and can be long.
  catch_interrupts();
  const Sweep sweep = studies::load_sweep(positional_argument(*values, 0));
  run.options.scale = sweep.options.scale;
  run.options.values = sweep.options.values;
  run.options.seed = sweep.options.seed;
  run.options.window = sweep.options.window;
  const std::string directory = run.out.value_or("out/sweep-" + plain_name(sweep.name));
  const std::unique_ptr<PointExecutor> executor = make_executor(*values, directory);
  refuse_other_results(directory, kSweepDocument);
  refuse_other_sweep(directory, sweep, run.overwrite);
  std::optional<OutputDirectory> out;
  std::optional<PointStore> store;
  std::optional<StoredPoints> stored;
  std::vector<std::vector<std::string>> hashes;
  // The folder is made at the first run, after all errors of the file are reported.
  const auto simulate = [&](const std::vector<SweepPoint>& points) {
    if (!out) {
      out.emplace(directory);
      store = open_store(run.store);
      for (const std::string& w : sweep.workloads) hashes.push_back(studies::workload_hashes(w));
      stored.emplace(StoredPoints::Command{executor.get(),
                                           store ? &*store : nullptr,
                                           run.options,
                                           {"sweep " + sweep.name, run.quiet},
                                           studies::kept_statistics});
    }
    std::vector<PointResult> results;
    for (FinishedPoint& p : stored->results(keyed_points(sweep, points, hashes, run.options))) {
      results.push_back({std::move(p.stats), std::move(p.failure)});
    }
    stored->refuse_interrupted();
    return results;
  };
  const studies::SweepResult result = studies::run_sweep(sweep, simulate);
  const ordered_json document = studies::sweep_document(sweep, result);

  Delivery& delivery = stored->delivery();
  delivery.attempt([&] { out->write(kSweepDocument, document_text(document)); });
  delivery.attempt([&] { out->write("sweep.csv", sweep_csv(rows_of(sweep, result))); });
  const bool reported =
      delivery.attempt([&] { out->write("report.html", sweep_report(document)); });
  delivery.attempt([&] {
    if (run.json) return write_document(document);
    std::string text = sweep_text(document) + "\n" + stored->tally().text() + "\nresults " +
                       out->path_of(kSweepDocument) + "\n";
    if (reported) text += "report  " + out->path_of("report.html") + "\n";
    print_text(printable(text));
  });
  complain_of_failures(document);
  return delivery.report() != 0 || !document["failed"].empty() ? 1 : 0;
}

}  // namespace tessera::app
