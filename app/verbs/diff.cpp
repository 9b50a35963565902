// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>

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

/// A stats.json, the folder of a run, of a comparison, or of any of these.
NamedRuns runs_of(const std::string& path) {
  NamedRuns runs;
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    add_run(runs, "run", read_document(path), path);
    return runs;
  }
  if (!fs::is_directory(path, error)) throw InputError("diff: there is no file or folder " + path);
  if (fs::exists(fs::path(path) / "stats.json")) {
    const fs::path file = fs::path(path) / "stats.json";
    add_run(runs, "run", read_document(file), file);
    return runs;
  }
  for (auto it = fs::recursive_directory_iterator(
           path, fs::directory_options::skip_permission_denied, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    const fs::path& file = it->path();
    const std::string folder = fs::relative(file.parent_path(), path).string();
    if (file.filename() == "stats.json") add_run(runs, folder, read_document(file), file);
    if (file.filename() != "compare.json") continue;
    for (ordered_json& point : read_document(file)["points"]) {
      const std::string name = point.value("workload", "?") + " on " + point.value("platform", "?");
      if (point.contains("cycles")) {
        add_run(runs, folder == "." ? name : folder + ": " + name, std::move(point), file);
      }
    }
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
  if (used == 0 || !(limit >= 0) || (!rest.empty() && rest != "%")) {
    throw InputError("--fail-above: '" + text + "' is neither a percentage (2%) nor a fraction");
  }
  return rest == "%" ? limit / 100 : limit;
}

}  // namespace

int diff_verb(const std::vector<std::string>& arguments) {
  ArgumentParser parser(
      "diff",
      "What changed from run A to run B: configuration, cycles, derived values, energy, and the\n"
      "statistics that moved, the largest change first. A and B are stats.json files, folders of\n"
      "runs or of comparisons, or folders of such folders, whose runs are matched by name.\n"
      "Date and host time are no difference. With --fail-above the exit status is 1 when cycles\n"
      "or a derived value got worse by more than that, when a run is no longer verified, or when\n"
      "it stands on one side only. Latencies, cycles and page faults get worse upwards; IPC,\n"
      "replies per cycle and hit rates downwards; other values either way.");
  parser.positional("A", "before");
  parser.positional("B", "after");
  parser.options()("fail-above", po::value<std::string>()->value_name("P%"),
                   "exit status 1 for regressions above this")(
      "limit", po::value<std::size_t>()->default_value(20)->value_name("N"),
      "statistics shown of each run")("json", "print one JSON document with all of them");
  const auto values = parser.parse(arguments);
  if (!values) return 0;
  const std::optional<double> limit = read_limit(*values);
  ordered_json document = difference_document(runs_of(positional_argument(*values, 0)),
                                              runs_of(positional_argument(*values, 1)), limit);
  if (values->count("json") != 0) {
    write_document(document);
  } else {
    std::cout << printable(difference_text(document, (*values)["limit"].as<std::size_t>()));
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
