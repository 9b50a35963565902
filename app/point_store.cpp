// SPDX-License-Identifier: Apache-2.0
#include "app/point_store.h"

#include <filesystem>
#include <system_error>

#include "app/console.h"
#include "common/error.h"
#include "common/input_file.h"
#include "common/json.h"
#include "common/sha256.h"

namespace tessera::app {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

std::string checksum_of(const ordered_json& stats) { return sha256(document_text(stats)); }

}  // namespace

std::optional<ordered_json> PointStore::load(
    const std::string& key, const std::function<void(const std::string&)>& on_error) const {
  const std::string path = files_.path_of(key + ".json");
  if (!names_something(path)) return std::nullopt;
  const auto refuse = [&](const std::string& why) {
    if (on_error) on_error(why + ": the point is computed again");
    return std::nullopt;
  };
  ordered_json document;
  try {
    document = ordered_json::parse(read_input_file(path, kMostResultBytes), nullptr, false);
  } catch (const InputError& e) {
    return refuse(e.what());
  }
  if (!document.is_object() || document.value("key", "") != key || !document.contains("stats")) {
    return refuse(path + " is not the result of a point");
  }
  if (document.value("sha256", "") != checksum_of(document["stats"])) {
    return refuse(path + " has been changed since it was written");
  }
  return std::move(document["stats"]);
}

void PointStore::save(const std::string& key, const ordered_json& stats) const {
  const fs::path path = files_.path_of(key + ".json");
  std::error_code error;
  // A directory at the file's path is not ours to delete: it is renamed.
  if (fs::is_directory(path, error)) fs::rename(path, path.string() + ".aside", error);
  files_.write(key + ".json",
               document_text({{"key", key}, {"sha256", checksum_of(stats)}, {"stats", stats}}));
}

FileLock PointStore::claim(const std::string& key, const std::function<bool()>& give_up) const {
  return FileLock(files_.path_of("." + key + ".lock"), give_up);
}

std::string own_binary_hash() { return sha256_of_file("/proc/self/exe"); }

}  // namespace tessera::app
