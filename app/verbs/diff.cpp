// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/arguments.h"
#include "app/console.h"
#include "app/report/difference.h"
#include "app/report/text.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"
#include "common/suggest.h"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using nlohmann::ordered_json;

ordered_json read_document(const fs::path& file) {
  ordered_json document =
      ordered_json::parse(read_input_file(file, kMostResultBytes), nullptr, false);
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
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    for (const char* name : {"stats.json", "compare.json"}) {
      const fs::path file = fs::path(path) / name;
      if (names_something(file)) add_file(runs, "run", "", file);
    }
    if (runs.empty()) add_folder(runs, path);
  } else {
    ordered_json document = read_document(path);
    if (document.contains("points")) {
      add_comparison(runs, "", std::move(document), path);
    } else {
      add_run(runs, "run", std::move(document), path);
    }
  }
  if (runs.empty()) {
    throw InputError("diff: " + path + " holds no run (no stats.json or compare.json in it)");
  }
  return runs;
}

/// A percentage ("2%") as a fraction.
double read_limit(const po::variables_map& values) {
  const auto& text = values["fail-above"].as<std::string>();
  std::size_t used = 0;
  double limit = -1;
  try {
    limit = std::stod(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || !std::isfinite(limit) || limit < 0 || text.substr(used) != "%") {
    throw InputError("--fail-above: '" + text +
                     "' is no percentage; expected a number with its unit, as 2% or 0.5%");
  }
  return limit / 100;
}

/// The judgement that the options describe; empty without --fail-above.
std::optional<Judgement> read_judgement(const po::variables_map& values) {
  const bool metrics = values.count("metric") != 0;
  if (values.count("fail-above") == 0) {
    if (metrics) throw InputError("--metric goes with --fail-above, which judges it");
    return std::nullopt;
  }
  Judgement judgement;
  judgement.above = read_limit(values);
  if (metrics) judgement.metrics = values["metric"].as<std::vector<std::string>>();
  return judgement;
}

/// Throws InputError for a metric that no run has.
void check_metrics(const Judgement& judgement, const NamedRuns& a, const NamedRuns& b) {
  for (const std::string& name : judgement.metrics) {
    const auto has = [&name](const auto& run) { return !metric_of(run.second, name).is_null(); };
    if (std::any_of(a.begin(), a.end(), has) || std::any_of(b.begin(), b.end(), has)) continue;
    if (name == "cycles") throw InputError("--metric: cycles are judged without it");
    std::vector<std::string> known = metric_names(b);
    known.erase(std::remove(known.begin(), known.end(), name), known.end());
    const bool energy = std::find(known.begin(), known.end(), "energy." + name) != known.end();
    throw InputError("--metric: no run has a value '" + name + "'" +
                     did_you_mean(energy ? "energy." + name : name, known));
  }
}

/// "+28 %", or "from 0".
std::string change_text(const ordered_json& move) {
  if (move["change"].is_number()) {
    const double by = move["change"].get<double>();
    return (by > 0 ? "+" : "") + percent_text(by);
  }
  return move["a"].is_number() && move["a"] == 0 ? "from 0" : "";
}

}  // namespace

ArgumentParser diff_arguments() {
  ArgumentParser parser(
      "diff",
      "Prints the changes from run A to run B: configuration, cycles, derived values, energy, and\n"
      "the changed statistics over all blocks of a class (all SMs, all LLC slices), the most\n"
      "important first: by relative change and order of magnitude. With\n"
      "--blocks also those of single blocks, the largest relative change first. A and B are\n"
      "stats.json files, folders of runs or of comparisons, or folders of such folders, whose "
      "runs\n"
      "are matched by name. Date and host time are not compared. With --fail-above the exit status "
      "is 1 when cycles,\n"
      "or a value that --metric names, got worse by more than that, when a run is no longer\n"
      "verified or no longer complete, or when only one side has it. Latencies, cycles, page\n"
      "faults and energy get worse upwards; ipc, replies_per_cycle and hit rates downwards; other\n"
      "values either way; a change from 0 is above every limit.");
  parser.positional("A", "before", {Completes::Kind::kFile, {}});
  parser.positional("B", "after", {Completes::Kind::kFile, {}});
  parser.options()("fail-above", po::value<std::string>()->value_name("P%"),
                   "exit status 1 for regressions above this percentage (2%)")(
      "metric", po::value<std::vector<std::string>>()->composing()->value_name("NAME"),
      "a value that --fail-above judges beside cycles: a derived one (llc_hit_rate), "
      "energy.total_j, or a statistic (system.gpu0.llc3.misses); may be repeated")(
      "limit", po::value<std::string>()->default_value("20")->value_name("N"),
      "statistics of classes, and of blocks, shown of each run")(
      "blocks", "also the statistics of single blocks")("json",
                                                        "print one JSON document with all of them");
  return parser;
}

int diff_verb(const std::vector<std::string>& arguments) {
  const auto values = diff_arguments().parse(arguments);
  if (!values) return 0;
  const std::optional<unsigned> shown = read_count(*values, "limit", 0, 999'999'999);
  // Before the files, which can be many.
  const std::optional<Judgement> judgement = read_judgement(*values);
  const NamedRuns a = runs_of(positional_argument(*values, 0));
  const NamedRuns b = runs_of(positional_argument(*values, 1));
  if (judgement) check_metrics(*judgement, a, b);
  const ordered_json document = difference_document(a, b, judgement);
  if (values->count("json") != 0) {
    write_document(document);
  } else {
    print_text(printable(difference_text(document, *shown, values->count("blocks") != 0)));
  }
  if (!judgement) return 0;
  for (const ordered_json& r : document["regressions"]) {
    const std::string by = change_text(r);
    complain(r["run"].get<std::string>() + ": " + r["name"].get<std::string>() + " went from " +
             r["a"].dump() + " to " + r["b"].dump() +
             (by.empty()
                  ? ""
                  : " (" + by + "; --fail-above " + short_number(100 * judgement->above) + "%)"));
  }
  const bool alone = !document["only_a"].empty() || !document["only_b"].empty();
  if (alone) complain("there are runs on one side only");
  return alone || !document["regressions"].empty() ? 1 : 0;
}

}  // namespace tessera::app
