// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "app/arguments.h"
#include "app/console.h"
#include "app/report/difference.h"
#include "app/verbs.h"
#include "common/error.h"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using nlohmann::ordered_json;

ordered_json read_document(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError("diff: " + file.string() + " cannot be read");
  ordered_json document = ordered_json::parse(in, nullptr, false);
  if (!document.is_object()) throw InputError("diff: " + file.string() + " is no JSON document");
  return document;
}

void add_run(NamedRuns& runs, const std::string& name, ordered_json run, const fs::path& file) {
  if (!run.is_object() || !run.contains("cycles") || !run.contains("config")) {
    throw InputError("diff: " + file.string() + " is not the statistics of a run");
  }
  runs[name] = std::move(run);
}

std::string text_at(const ordered_json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "?";
}

/// Adds the runs of a compare.json that have statistics.
void add_comparison(NamedRuns& runs, const std::string& prefix, ordered_json document,
                    const fs::path& file) {
  if (!document.contains("points") || !document["points"].is_array()) {
    throw InputError("diff: " + file.string() + " is not the document of a comparison");
  }
  for (ordered_json& point : document["points"]) {
    if (!point.is_object() || !point.contains("cycles")) continue;
    const std::string name = text_at(point, "workload") + " on " + text_at(point, "platform");
    add_run(runs, prefix + name, std::move(point), file);
  }
}

/// Adds the runs of a file; none if it is of another kind.
void add_file(NamedRuns& runs, const std::string& name, const std::string& prefix,
              const fs::path& file) {
  if (file.filename() == "compare.json") {
    add_comparison(runs, prefix, read_document(file), file);
  } else if (file.filename() == "stats.json") {
    add_run(runs, name, read_document(file), file);
  }
}

/// Adds the runs of every stats.json and compare.json under the folder. Throws InputError for an
/// unreadable file, because its runs would be reported as missing.
void add_folder(NamedRuns& runs, const fs::path& path) {
  std::error_code error;
  auto it = fs::recursive_directory_iterator(path, error);
  fs::path last = path;
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    last = it->path();
    const std::string folder = last.parent_path().lexically_relative(path).string();
    add_file(runs, folder, folder + ": ", last);
  }
  if (error) {
    throw InputError("diff: " + path.string() + " cannot be read (after " + last.string() +
                     "): " + error.message());
  }
}

/// The runs of a stats.json or compare.json with any file name, of a folder with one, or of a
/// folder of folders.
NamedRuns runs_of(const std::string& path) {
  NamedRuns runs;
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    ordered_json document = read_document(path);
    if (document.contains("points")) {
      add_comparison(runs, "", std::move(document), path);
    } else {
      add_run(runs, "run", std::move(document), path);
    }
  } else if (fs::is_directory(path, error)) {
    for (const char* name : {"stats.json", "compare.json"}) {
      const fs::path file = fs::path(path) / name;
      if (fs::exists(file, error)) add_file(runs, "run", "", file);
    }
    if (runs.empty()) add_folder(runs, path);
  } else {
    throw InputError("diff: there is no file or folder " + path +
                     (error ? ": " + error.message() : ""));
  }
  if (runs.empty()) {
    throw InputError("diff: " + path + " holds no run (no stats.json or compare.json in it)");
  }
  return runs;
}

/// "2%" or "0.02".
std::optional<double> read_limit(const po::variables_map& values) {
  if (values.count("fail-above") == 0) return std::nullopt;
  const auto& text = values["fail-above"].as<std::string>();
  std::size_t used = 0;
  double limit = -1;
  try {
    limit = std::stod(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  const std::string rest = text.substr(used);
  if (used == 0 || !std::isfinite(limit) || limit < 0 || (!rest.empty() && rest != "%")) {
    throw InputError("--fail-above: '" + text + "' is neither a percentage (2%) nor a fraction");
  }
  return rest == "%" ? limit / 100 : limit;
}

}  // namespace

ArgumentParser diff_arguments() {
  ArgumentParser parser(
      "diff",
      "Prints the changes from run A to run B: configuration, cycles, derived values, energy, and\n"
      "the changed statistics, the largest change first. A and B are stats.json files, folders of\n"
      "runs or of comparisons, or folders of such folders, whose runs are matched by name.\n"
      "Date and host time are not compared. With --fail-above the exit status is 1 when cycles\n"
      "or a derived value got worse by more than that, when a run is no longer verified or no\n"
      "longer complete, or when only one side has it. Latencies, cycles and page faults get "
      "worse upwards; IPC,\n"
      "responses per cycle and hit rates downwards; other values either way.");
  parser.positional("A", "before", {Completes::Kind::kFile, {}});
  parser.positional("B", "after", {Completes::Kind::kFile, {}});
  parser.options()("fail-above", po::value<std::string>()->value_name("P%"),
                   "exit status 1 for regressions above this")(
      "limit", po::value<std::string>()->default_value("20")->value_name("N"),
      "statistics shown of each run")("json", "print one JSON document with all of them");
  return parser;
}

int diff_verb(const std::vector<std::string>& arguments) {
  const auto values = diff_arguments().parse(arguments);
  if (!values) return 0;
  const std::optional<double> limit = read_limit(*values);
  const std::optional<unsigned> shown = read_count(*values, "limit", 0, 999'999'999);
  ordered_json document = difference_document(runs_of(positional_argument(*values, 0)),
                                              runs_of(positional_argument(*values, 1)), limit);
  if (values->count("json") != 0) {
    write_document(document);
  } else {
    std::cout << printable(difference_text(document, *shown));
  }
  if (!limit) return 0;
  for (const ordered_json& r : document["regressions"]) {
    complain(r["run"].get<std::string>() + ": " + r["name"].get<std::string>() + " went from " +
             r["a"].dump() + " to " + r["b"].dump());
  }
  const bool alone = !document["only_a"].empty() || !document["only_b"].empty();
  if (alone) complain("there are runs on one side only");
  return alone || !document["regressions"].empty() ? 1 : 0;
}

}  // namespace tessera::app
