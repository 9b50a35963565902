// SPDX-License-Identifier: Apache-2.0
#include "app/report/series.h"

#include <filesystem>
#include <optional>

#include "app/arguments.h"
#include "app/console.h"
#include "app/delivery.h"
#include "app/output_directory.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"

namespace tessera::app {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;
using nlohmann::ordered_json;

/// The statistics of a run: `path`, or stats.json in this folder.
ordered_json recorded_run(const std::string& path) {
  std::error_code ignored;
  const fs::path file =
      fs::is_directory(path, ignored) ? fs::path(path) / "stats.json" : fs::path(path);
  ordered_json stats =
      ordered_json::parse(read_input_file(file.string(), kMostResultBytes), nullptr, false);
  if (!stats.is_object() || !stats.contains("cycles") || !stats.contains("config")) {
    throw InputError("series: " + file.string() + " is not the statistics of a run");
  }
  return stats;
}

/// The file of --out, whose folder can be written to.
struct SeriesFile {
  explicit SeriesFile(const fs::path& path)
      : name(path.filename().string()),
        folder(path.has_parent_path() ? path.parent_path().string() : ".") {
    if (name.empty()) throw InputError("--out: " + path.string() + " names no file");
  }
  std::string name;
  OutputDirectory folder;
};

}  // namespace

ArgumentParser series_arguments() {
  ArgumentParser parser(
      "series",
      "Prints the statistics over time of a run that `tessera run --series NS` has recorded, as\n"
      "CSV with a line for each interval: bandwidth of each level and its share of the peak, hit\n"
      "rates, occupancies and latencies, use of the issue slots and stalls, each over all blocks\n"
      "of a class.");
  parser.positional("RUN", "the folder of a run, or its stats.json", {Completes::Kind::kFile, {}});
  parser.options()("all", "also each recorded statistic, as CLASS.STATISTIC")(
      "out", po::value<std::string>()->value_name("FILE"), "write the CSV to this file")(
      "json", "print one JSON document with unit and description of each column")(
      "quiet", "with --out: print nothing");
  parser.completes("out", {Completes::Kind::kFile, {}});
  return parser;
}

int series_verb(const std::vector<std::string>& arguments) {
  const auto values = series_arguments().parse(arguments);
  if (!values) return 0;
  const std::string path = positional_argument(*values, 0);
  ordered_json document;
  try {
    document = series_document(recorded_run(path), values->count("all") != 0);
  } catch (const nlohmann::json::exception& e) {
    throw InputError("series: the series of " + path + " are damaged: " + e.what());
  }
  std::optional<SeriesFile> out;
  if (values->count("out") != 0) out.emplace((*values)["out"].as<std::string>());
  Delivery delivery;
  const bool written =
      out && delivery.attempt([&] { out->folder.write(out->name, series_csv(document)); });
  delivery.attempt([&] {
    if (values->count("json") != 0) {
      write_document(document);
    } else if (!out) {
      print_text(series_csv(document));
    } else if (written && values->count("quiet") == 0) {
      print_text(printable("  series         " + (*values)["out"].as<std::string>() + "\n"));
    }
  });
  return delivery.report();
}

}  // namespace tessera::app
