// SPDX-License-Identifier: Apache-2.0
#include "app/report/study.h"

#include <memory>
#include <vector>

#include "app/arguments.h"
#include "app/console.h"
#include "app/delivery.h"
#include "app/farm/executor_options.h"
#include "app/output_directory.h"
#include "app/point_store.h"
#include "app/report/html.h"
#include "app/result_folder.h"
#include "app/stored_points.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/json.h"
#include "studies/document.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;
using studies::PointResults;
using studies::StudyPlan;

constexpr char kDocument[] = "study.json";

std::vector<KeyedPoint> points_of(const StudyPlan& plan, const studies::Study& study, Scale scale) {
  std::vector<KeyedPoint> points;
  for (const studies::StudyPoint& p : plan.points) {
    points.push_back(
        {{&plan.configs.at(p.platform), study.workloads[p.workload].at(scale)}, p.key});
  }
  return points;
}

}  // namespace

ArgumentParser study_arguments() {
  ArgumentParser parser(
      "study",
      "Runs a paper's figures and compares the measured values with the published ones, claim by\n"
      "claim. Every run is kept in the database of results (--store): the same command again runs\n"
      "only changed points, and resumes after an interruption. Files: study.json, report.html,\n"
      "table.md in --out (default: out/study-NAME).");
  parser.positional("NAME[/FIGURE]", "a study (tessera list studies) or a folder with a study.json",
                    {Completes::Kind::kStudy, {}});
  add_run_options(parser);
  add_executor_options(parser);
  add_plugin_option(parser);
  return parser;
}

int study_verb(const std::vector<std::string>& arguments) {
  const auto values = study_arguments().parse(arguments);
  if (!values) return 0;
  load_plugins(*values);
  RunArguments run = read_run_options(*values, "study", arguments);
  const std::string name = positional_argument(*values, 0);

  const auto [folder, figure] = studies::find_study(name);
  const studies::Study study = studies::load_study(folder);
  studies::StudyRun about;
  about.whole = figure.empty();
  for (std::size_t f = 0; f < study.figures.size(); ++f) about.figures.push_back(f);
  if (!about.whole) about.figures = {study.figure(figure)};
  about.scale = run.options.scale;
  about.scale_name = name_of(run.options.scale);
  about.values = name_of(run.options.values);
  about.seed = run.options.seed;
  const auto window = study.windows.find(run.options.scale);
  if (!run.options.window && window != study.windows.end()) run.options.window = window->second;
  about.window = run.options.window;
  // Before the plan, which reads every file that a point depends on and can take long.
  catch_interrupts();
  const StudyPlan plan = studies::plan_points(study, about.figures, run.options);
  const std::string directory = run.out.value_or("out/study-" + study.name);
  const std::unique_ptr<PointExecutor> executor = make_executor(*values, directory);
  refuse_other_results(directory, kDocument);
  const OutputDirectory out(directory);
  const std::optional<PointStore> store = open_store(run.store);

  StoredPoints stored({executor.get(),
                       store ? &*store : nullptr,
                       run.options,
                       {"study " + study.name, run.quiet},
                       studies::kept_statistics});
  std::vector<FinishedPoint> finished = stored.results(points_of(plan, study, run.options.scale));
  stored.refuse_interrupted();
  PointResults results;
  for (std::size_t i = 0; i < finished.size(); ++i) {
    const studies::StudyPoint& p = plan.points[i];
    results[{p.platform, p.workload}] = {std::move(finished[i].stats),
                                         std::move(finished[i].failure)};
  }
  Delivery& delivery = stored.delivery();
  const ordered_json document = studies::study_document(study, about, results);
  delivery.attempt([&] { out.write(kDocument, document_text(document)); });
  delivery.attempt(
      [&] { out.write("table.md", study_markdown(document, "tessera study " + name)); });
  const bool reported = delivery.attempt([&] { out.write("report.html", study_report(document)); });
  delivery.attempt([&] {
    if (run.json) return write_document(document);
    std::string text = study_text(document) + "\n" + stored.tally().text() + "\n";
    if (reported) text += "report  " + out.path_of("report.html") + "\n";
    print_text(printable(text));
  });
  for (const ordered_json& failed : document["failed"]) {
    complain(failed["workload"].get<std::string>() + " on " +
             failed["platform"].get<std::string>() + ": " + failed["error"].get<std::string>());
  }
  return delivery.report() != 0 || !document["failed"].empty() ? 1 : 0;
}

}  // namespace tessera::app
