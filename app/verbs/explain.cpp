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
  return stats;
}

std::string lines(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& s : sentences) text += wrapped_text(s, 100);
  return text;
}

std::string name_of_run(const ordered_json& stats) {
  return stats.value("workload", "?") + " on " + stats.value("platform", "?");
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
                   "run the workload again with the first bottleneck made infinite, and print the "
                   "measured beside the predicted time")("json", "print one JSON document")(
      "quiet", "no progress");
  return parser;
}

int explain_verb(const std::vector<std::string>& arguments) {
  const auto values = explain_arguments().parse(arguments);
  if (!values) return 0;
  const ordered_json stats = read_run(positional_argument(*values, 0));
  const Explanation explanation = explain(stats);
  ordered_json document = {{"run", name_of_run(stats)}};
  document.update(to_json(explanation));
  std::string text = name_of_run(stats) + "\n" + lines(sentences(explanation));
  if (has_positional(*values, 1)) {
    if (values->count("check") != 0) throw InputError("--check is for one run");
    const ordered_json other = read_run(positional_argument(*values, 1));
    const Explanation of_other = explain(other);
    // The same run in two forms has one name.
    std::string name = name_of_run(other);
    std::string first = name_of_run(stats);
    if (name == first) {
      name = positional_argument(*values, 1);
      first = positional_argument(*values, 0);
    }
    const auto moved = compare_sentences(explanation, of_other, first, name);
    document["other"] = to_json(of_other);
    document["other"]["run"] = name_of_run(other);
    document["moved"] = moved;
    text += "\n" + name_of_run(other) + "\n" + lines(sentences(of_other)) + "\n" + lines(moved);
  }
  if (values->count("check") != 0) {
    const CheckedGain gain = check_first(stats, explanation, values->count("quiet") != 0);
    document["check"] = to_json(gain);
    text += "\n" + wrapped_text(sentence(gain), 100);
  }
  if (values->count("json") != 0) {
    write_document(document);
  } else {
    print_text(printable(text));
  }
  return 0;
}

}  // namespace tessera::app
