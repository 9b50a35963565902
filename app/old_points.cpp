// SPDX-License-Identifier: Apache-2.0
#include "app/old_points.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "app/console.h"
#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"
#include "common/sha256.h"

namespace tessera::app {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

/// KEY.json, KEY with 64 hexadecimal digits.
bool names_old_point(const fs::path& file) {
  const std::string key = file.stem().string();
  return file.extension() == ".json" && key.size() == 64 &&
         key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The files under the folder that are named like points, sorted.
std::vector<fs::path> old_point_files(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  auto it = fs::recursive_directory_iterator(folder, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (names_old_point(it->path())) files.push_back(it->path());
  }
  if (error) throw InputError("--import: " + folder + " cannot be read: " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

/// The statistics of a file; empty with a reason in `why` if it is no valid point.
std::optional<ordered_json> read_old_point(const fs::path& file, std::string& why) {
  ordered_json document;
  try {
    document =
        ordered_json::parse(read_input_file(file.string(), kMostResultBytes), nullptr, false);
  } catch (const InputError& e) {
    why = e.what();
    return std::nullopt;
  }
  const auto text = [&document](const char* name) {
    return document.contains(name) && document[name].is_string() ? document[name].get<std::string>()
                                                                 : std::string();
  };
  why = file.string() + " is not the result of a point";
  if (!document.is_object() || text("key") != file.stem() || !document.contains("stats")) {
    return std::nullopt;
  }
  ordered_json& stats = document["stats"];
  if (text("sha256") != sha256(document_text(stats))) {
    why = file.string() + " has been changed since it was written";
    return std::nullopt;
  }
  if (!stats.is_object() || !stats.contains("config") || !stats.contains("cycles")) {
    return std::nullopt;
  }
  return std::move(stats);
}

}  // namespace

OldPoints import_old_points(const std::string& folder, const PointStore& store,
                            const std::function<void(const std::string&)>& on_refused) {
  OldPoints points;
  for (const fs::path& file : old_point_files(folder)) {
    std::string why;
    const std::optional<ordered_json> stats = read_old_point(file, why);
    if (!stats) {
      on_refused(why);
      ++points.refused;
    } else if (store.save_old(file.stem().string(), *stats)) {
      ++points.imported;
    } else {
      ++points.present;
    }
  }
  return points;
}

}  // namespace tessera::app
