// SPDX-License-Identifier: Apache-2.0
#include "app/report/sweep.h"

#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "app/arguments.h"
#include "app/console.h"
#include "app/delivery.h"
#include "app/farm/executor_options.h"
#include "app/point_store.h"
#include "app/point_tally.h"
#include "app/report/html.h"
#include "app/result_folder.h"
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

/// Simulates the points of a sweep that the store does not have.
class PointSimulator {
 public:
  PointSimulator(const Sweep& sweep, const PointStore* store, PointExecutor& executor,
                 const RunArguments& run)
      : sweep_(sweep), store_(store), executor_(executor), run_(run) {
    for (const std::string& w : sweep.workloads) hashes_.push_back(studies::workload_hashes(w));
  }

  /// Throws RunError if it was interrupted.
  std::vector<PointResult> simulate(const std::vector<SweepPoint>& points) {
    std::vector<std::string> keys;
    std::map<std::string, PointResult> results;
    std::vector<RunnablePoint> missing;
    std::vector<std::string> missing_keys;
    for (const SweepPoint& p : points) {
      const std::string& workload = sweep_.workloads[p.workload];
      keys.push_back(studies::point_key(
          studies::identity_of(*p.config, workload, hashes_[p.workload], run_.options)));
      // Two designs can have one configuration, and a generation of a search can have the base.
      if (!results.try_emplace(keys.back()).second) continue;
      auto stats = store_ == nullptr ? std::nullopt : store_->load(keys.back(), complain);
      if (stats) {
        results[keys.back()].stats = studies::kept_statistics(std::move(*stats));
        if (counted_.insert(keys.back()).second) ++tally_.kept;
      } else {
        missing.push_back({p.config, workload});
        missing_keys.push_back(keys.back());
      }
    }
    run_missing(missing, missing_keys, results);
    std::vector<PointResult> out;
    for (const std::string& key : keys) out.push_back(results.at(key));
    return out;
  }

  const PointTally& tally() const { return tally_; }
  Delivery& delivery() { return delivery_; }

 private:
  void run_missing(const std::vector<RunnablePoint>& missing, const std::vector<std::string>& keys,
                   std::map<std::string, PointResult>& results) {
    std::vector<FinishedPoint> finished = executor_.run({missing,
                                                         keys,
                                                         run_.options,
                                                         {"sweep " + sweep_.name, run_.quiet},
                                                         store_,
                                                         studies::kept_statistics});
    bool failed = false;
    for (std::size_t i = 0; i < finished.size(); ++i) {
      if (!finished[i].failure.empty()) ++tally_.failed;
      failed = failed || !finished[i].failure.empty();
      if (counted_.insert(keys[i]).second) ++tally_.run;
      if (!finished[i].unsaved.empty()) delivery_.failed(finished[i].unsaved);
      results[keys[i]] = {std::move(finished[i].stats), std::move(finished[i].failure)};
    }
    if (interrupted() && failed) {
      throw RunError("interrupted: " + std::to_string(tally_.kept + tally_.run - tally_.failed) +
                     " points are done and kept; the same command goes on from there");
    }
  }

  const Sweep& sweep_;
  const PointStore* store_;  ///< can be null
  PointExecutor& executor_;
  const RunArguments& run_;
  std::vector<std::vector<std::string>> hashes_;  ///< by workload
  std::set<std::string> counted_;                 ///< keys of the points in the tally
  PointTally tally_;
  Delivery delivery_;
};

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
  std::optional<PointSimulator> simulator;
  // The folder is made at the first run, after all errors of the file are reported.
  const auto simulate = [&](const std::vector<SweepPoint>& points) {
    if (!out) {
      out.emplace(directory);
      store = open_store(run.store);
      simulator.emplace(sweep, store ? &*store : nullptr, *executor, run);
    }
    return simulator->simulate(points);
  };
  const studies::SweepResult result = studies::run_sweep(sweep, simulate);
  const ordered_json document = studies::sweep_document(sweep, result);

  Delivery& delivery = simulator->delivery();
  delivery.attempt([&] { out->write(kSweepDocument, document_text(document)); });
  delivery.attempt([&] { out->write("sweep.csv", sweep_csv(rows_of(sweep, result))); });
  const bool reported =
      delivery.attempt([&] { out->write("report.html", sweep_report(document)); });
  delivery.attempt([&] {
    if (run.json) return write_document(document);
    std::string text = sweep_text(document) + "\n" + simulator->tally().text() + "\nresults " +
                       out->path_of(kSweepDocument) + "\n";
    if (reported) text += "report  " + out->path_of("report.html") + "\n";
    print_text(printable(text));
  });
  complain_of_failures(document);
  return delivery.report() != 0 || !document["failed"].empty() ? 1 : 0;
}

}  // namespace tessera::app
