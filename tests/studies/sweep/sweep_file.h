// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sweep's file for tests, made of the parts that a test changes.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/error.h"
#include "studies/sweep/sweep.h"

namespace tessera::sweep_file {

/// The JSON text of a sweep. Each part is a JSON value; an empty part is left out.
struct SweepText {
  std::string title = R"("t")";
  std::string platforms = R"(["uba-mem-small"])";
  std::string workloads = R"(["vecadd"])";
  std::string parameters = R"({"llc.sets": {"values": [16, 32]}, "llc.ways": {"values": [4, 8]}})";
  std::string objectives = R"([{"name": "time", "of": "time_ns"}])";
  std::string sampling{};
  std::string more{};  ///< further members: "\"sets\": {}"

  std::string text() const {
    std::string out = "{\"title\": " + title;
    const std::pair<const char*, std::string> parts[] = {{"platforms", platforms},
                                                         {"workloads", workloads},
                                                         {"parameters", parameters},
                                                         {"objectives", objectives},
                                                         {"sampling", sampling}};
    for (const auto& [key, value] : parts) {
      if (!value.empty()) out += ",\n\"" + std::string(key) + "\": " + value;
    }
    return out + (more.empty() ? "" : ",\n" + more) + "}\n";
  }

  studies::Sweep load() const {
    const auto folder =
        std::filesystem::temp_directory_path() / ("tessera-sweep-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "mine.json").string();
    std::ofstream(file) << text();
    try {
      studies::Sweep sweep = studies::load_sweep(file);
      std::filesystem::remove_all(folder);
      return sweep;
    } catch (...) {
      std::filesystem::remove_all(folder);
      throw;
    }
  }

  std::string error() const {
    try {
      load();
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  }
};

}  // namespace tessera::sweep_file
