// SPDX-License-Identifier: Apache-2.0
#include "app/import/import.h"

#include <filesystem>
#include <iostream>
#include <optional>

#include "app/arguments.h"
#include "app/console.h"
#include "app/delivery.h"
#include "app/import/report.h"
#include "app/output_directory.h"
#include "app/verbs.h"
#include "common/error.h"
#include "common/json.h"

namespace tessera::app {

namespace {

namespace fs = std::filesystem;

/// The file of --out, whose folder can be written to.
struct OutputFile {
  explicit OutputFile(const std::string& path)
      : name(fs::path(path).filename().string()), folder(folder_of(path)) {}

  static std::string folder_of(const std::string& path) {
    const fs::path file(path);
    if (file.extension() != ".json") {
      throw InputError("--out: " + path +
                       ": expected a name that ends with .json, as the files of "
                       "platforms do");
    }
    return file.has_parent_path() ? file.parent_path().string() : ".";
  }

  std::string name;
  OutputDirectory folder;
};

}  // namespace

ArgumentParser import_arguments() {
  ArgumentParser parser("import",
                        "Makes a platform of a configuration file of GPGPU-Sim or Accel-Sim "
                        "(gpgpusim.config), and\nlists what became of each option. Without --out, "
                        "the platform is written to standard output and\nthe list to standard "
                        "error.");
  parser.positional("FILE", "a gpgpusim.config", {Completes::Kind::kFile, {}});
  parser.options()("out", boost::program_options::value<std::string>()->value_name("PRESET.json"),
                   "write the platform to this file")(
      "json", "print one JSON document (platform and options) and nothing else");
  parser.completes("out", {Completes::Kind::kFile, {}});
  return parser;
}

int import_verb(const std::vector<std::string>& arguments) {
  const auto values = import_arguments().parse(arguments);
  if (!values) return 0;
  const import::Import imported = import::import_file(positional_argument(*values, 0));
  const bool json = values->count("json") != 0;
  std::optional<OutputFile> out;
  if (values->count("out") != 0) out.emplace((*values)["out"].as<std::string>());
  const std::string report = printable(import::report_text(imported));
  Delivery delivery;
  if (out) {
    delivery.attempt([&] { out->folder.write(out->name, document_text(imported.preset())); });
  }
  delivery.attempt([&] {
    if (json) {
      write_document(import::report_document(imported));
    } else if (out) {
      print_text(report);
    } else {
      write_document(imported.preset());
      std::cerr << report << std::flush;
    }
  });
  return delivery.report();
}

}  // namespace tessera::app
