// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>

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

/// The statistics of a run: of its folder, or of the file.
ordered_json read_run(const std::string& path) {
  const fs::path file = fs::is_directory(path) ? fs::path(path) / "stats.json" : fs::path(path);
  ordered_json stats =
      ordered_json::parse(read_input_file(file.string(), kMostResultBytes), nullptr, false);
  if (!stats.is_object() || !stats.contains("cycles") || !stats.contains("config")) {
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

/// The explanation of `path`. A document with values of other types is no run's.
Explanation explain_run(const ordered_json& stats, const std::string& path) {
  try {
    return explain(stats);
  } catch (const nlohmann::json::exception& e) {
    throw InputError(path + " is not the statistics of a run: " + e.what());
  }
}

std::string lines(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& s : sentences) text += wrapped_text(s, 100);
  return text;
}

std::string name_of_run(const ordered_json& stats) {
  return stats.value("workload", "?") + " on " + stats.value("platform", "?");
}

/// What two runs must have in common to be compared; empty if they have it.
std::string different_work(const ordered_json& a, const ordered_json& b) {
  std::string text;
  for (const char* key : {"workload", "scale", "values"}) {
    if (a.value(key, ordered_json()) != b.value(key, ordered_json())) {
      text += (text.empty() ? "" : ", ") + std::string(key) + " " + a.value(key, "?") + " and " +
              b.value(key, "?");
    }
  }
  return text.empty() ? "" : "The runs did different work: " + text + ".";
}

/// A run in words.
std::string text_of(const ordered_json& stats, const Explanation& explanation) {
  std::vector<std::string> text = sentences(explanation);
  const std::string remark = remark_on(stats);
  if (!remark.empty()) text.insert(text.begin(), remark);
  return name_of_run(stats) + "\n" + lines(text);
}

ordered_json document_of(const ordered_json& stats, const Explanation& explanation) {
  ordered_json document = {{"run", name_of_run(stats)}};
  if (const std::string remark = remark_on(stats); !remark.empty()) document["remark"] = remark;
  document.update(to_json(explanation));
  return document;
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
  const std::string path = positional_argument(*values, 0);
  const ordered_json stats = read_run(path);
  const Explanation explanation = explain_run(stats, path);
  ordered_json document = document_of(stats, explanation);
  std::string text = text_of(stats, explanation);
  if (has_positional(*values, 1)) {
    if (values->count("check") != 0) throw InputError("--check is for one run");
    const std::string other_path = positional_argument(*values, 1);
    const ordered_json other = read_run(other_path);
    const Explanation of_other = explain_run(other, other_path);
    // The same run in two forms has one name.
    std::string name = name_of_run(other);
    std::string first = name_of_run(stats);
    if (name == first) {
      name = other_path;
      first = path;
    }
    auto moved = compare_sentences(explanation, of_other, first, name);
    const std::string different = different_work(stats, other);
    if (!different.empty()) moved.insert(moved.begin(), different);
    document["other"] = document_of(other, of_other);
    document["moved"] = moved;
    text += "\n" + text_of(other, of_other) + "\n" + lines(moved);
  }
  if (values->count("check") != 0) {
    const std::vector<CheckedGain> gains =
        check_named(stats, explanation, values->count("quiet") != 0);
    document["check"] = to_json(gains);
    text += "\n" + lines(sentences(gains));
  }
  if (values->count("json") != 0) {
    write_document(document);
  } else {
    print_text(printable(text));
  }
  return 0;
}

}  // namespace tessera::app
