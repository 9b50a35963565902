// SPDX-License-Identifier: Apache-2.0
#include "app/point_store.h"

#include <fstream>

#include "common/sha256.h"

namespace tessera::app {

using nlohmann::ordered_json;

std::optional<ordered_json> PointStore::load(const std::string& key) const {
  std::ifstream in(files_.path_of(key + ".json"), std::ios::binary);
  if (!in) return std::nullopt;
  ordered_json document = ordered_json::parse(in, nullptr, false);
  if (!document.is_object() || document.value("key", "") != key || !document.contains("stats")) {
    return std::nullopt;
  }
  return std::move(document["stats"]);
}

void PointStore::save(const std::string& key, const ordered_json& stats) const {
  files_.write(key + ".json", ordered_json{{"key", key}, {"stats", stats}}.dump(1) + "\n");
}

std::string own_binary_hash() { return sha256_of_file("/proc/self/exe"); }

}  // namespace tessera::app
