// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/arguments.h"
#include "app/console.h"
#include "app/explain/explanation.h"
#include "app/explain_check.h"
#include "app/report/text.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"
#include "common/text.h"
#include "platforms/simulation.h"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// A run that is explained.
struct ExplainedRun {
  std::string path;
  ordered_json stats;
  std::string title;   ///< "mm on nuba"
  std::string remark;  ///< that it did not end; empty if it did
  /// What another run must have in common with it.
  std::map<std::string, std::string> work;
  Explanation explanation;
};

/// The statistics of a run: of its folder, or of the file.
ordered_json read_stats(const std::string& path) {
  const fs::path file = fs::is_directory(path) ? fs::path(path) / "stats.json" : fs::path(path);
  ordered_json stats =
      ordered_json::parse(read_input_file(file.string(), kMostResultBytes), nullptr, false);
  if (!stats.is_object() || !stats.contains("cycles") || !stats.contains("config") ||
      !stats.contains("modules") || stats["config"].empty() || stats["modules"].empty()) {
    throw InputError(file.string() + " is not the statistics of a run (tessera run --out " + path +
                     ")");
  }
  if (stats.value("schema", ordered_json()) != kStatsSchema) {
    throw InputError(file.string() + " has statistics of another schema than this Tessera's " +
                     std::to_string(kStatsSchema) + ": run the workload again");
  }
  return stats;
}

/// A run that did not end is explained up to its end.
std::string remark_on(const ordered_json& stats) {
  const bool interrupted = stats.value("interrupted", false);
  if (!interrupted && !stats.contains("failure")) return "";
  return std::string("The run ") +
         (interrupted ? "was interrupted"
                      : "failed (" + stats["failure"].get<std::string>() + ")") +
         ": what follows is of its first " + grouped(stats["cycles"].get<std::uint64_t>()) +
         " cycles.";
}

ExplainedRun read_run(const std::string& path) {
  ExplainedRun run{path, read_stats(path), {}, {}, {}, {}};
  try {
    for (const char* key : {"workload", "scale", "values"}) {
      run.work[key] = run.stats.value(key, "?");
    }
    for (const char* key : {"seed", "window"}) {
      if (run.stats.contains(key)) run.work[key] = run.stats[key].dump();
    }
    run.title = run.work["workload"] + " on " + run.stats.value("platform", "?");
    run.remark = remark_on(run.stats);
    run.explanation = explain(run.stats);
  } catch (const nlohmann::json::exception& e) {
    // Values of other types than a run's.
    const std::string what = e.what();
    throw InputError(path + " is not the statistics of a run: " + what.substr(what.find("] ") + 2));
  }
  return run;
}

std::string lines(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& s : sentences) text += wrapped_text(s, 100);
  return text;
}

std::string text_of(const ExplainedRun& run) {
  std::vector<std::string> text = sentences(run.explanation);
  if (!run.remark.empty()) text.insert(text.begin(), run.remark);
  return run.title + "\n" + lines(text);
}

ordered_json document_of(const ExplainedRun& run) {
  ordered_json document = {{"run", run.title}};
  if (!run.remark.empty()) document["remark"] = run.remark;
  document.update(to_json(run.explanation));
  return document;
}

/// How `b` differs from `a`, in sentences.
std::vector<std::string> differences(const ExplainedRun& a, const ExplainedRun& b) {
  // The same run in two forms has one name.
  const bool alike = a.title == b.title;
  std::vector<std::string> text = compare_sentences(
      a.explanation, b.explanation, alike ? a.path : a.title, alike ? b.path : b.title);
  std::string work;
  for (const auto& [key, value] : a.work) {
    const auto other = b.work.find(key);
    const std::string its = other == b.work.end() ? "none" : other->second;
    if (value != its) work += (work.empty() ? "" : ", ") + key + " " + value + " and " + its;
  }
  for (const auto& [key, value] : b.work) {
    if (a.work.count(key) == 0) work += (work.empty() ? "" : ", ") + key + " none and " + value;
  }
  if (!work.empty()) text.insert(text.begin(), "The runs did different work: " + work + ".");
  return text;
}

}  // namespace

ArgumentParser explain_arguments() {
  ArgumentParser parser(
      "explain",
      "Says what bounds a run, how much shorter the run would be without it, and what addresses\n"
      "it. Of two runs: which parts of the time differ. docs/guide/explain.md has the method.");
  parser.positional("RUN", "a folder of tessera run, or its stats.json",
                    {Completes::Kind::kFolder, {}});
  parser.optional_positional("OTHER", "another run, that is compared with the first",
                             {Completes::Kind::kFolder, {}});
  parser.options()("check",
                   "run the workload again with each named bottleneck made infinite, and print the "
                   "measured beside the predicted times")("json", "print one JSON document")(
      "quiet", "no progress");
  return parser;
}

int explain_verb(const std::vector<std::string>& arguments) {
  const auto values = explain_arguments().parse(arguments);
  if (!values) return 0;
  const ExplainedRun run = read_run(positional_argument(*values, 0));
  ordered_json document = document_of(run);
  std::string text = text_of(run);
  if (has_positional(*values, 1)) {
    if (values->count("check") != 0) throw InputError("--check is for one run");
    const ExplainedRun other = read_run(positional_argument(*values, 1));
    const std::vector<std::string> moved = differences(run, other);
    document["other"] = document_of(other);
    document["moved"] = moved;
    text += "\n" + text_of(other) + "\n" + lines(moved);
  }
  if (values->count("check") != 0) {
    const std::vector<CheckedGain> gains =
        check_named(run.stats, run.explanation, values->count("quiet") != 0);
    document["check"] = to_json(gains);
    text += "\n" + lines(sentences(gains, run.explanation));
  }
  if (values->count("json") != 0) {
    write_document(document);
  } else {
    print_text(printable(text));
  }
  return 0;
}

}  // namespace tessera::app
