// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/output_directory.h"

namespace tessera::app {

/// Results of points under their keys: DIR/points/<key>.json. A file is there as a whole or not at
/// all, so that a killed run leaves nothing that misleads the next.
class PointStore {
 public:
  /// `directory`: the study's DIR. Throws InputError when files cannot be written there.
  explicit PointStore(const std::string& directory) : files_(directory + "/points") {}

  /// The statistics kept under the key; empty when there are none, or none that can be read.
  std::optional<nlohmann::ordered_json> load(const std::string& key) const;
  /// Throws RunError.
  void save(const std::string& key, const nlohmann::ordered_json& stats) const;

 private:
  OutputDirectory files_;
};

/// SHA-256 of the running executable's contents.
std::string own_binary_hash();

}  // namespace tessera::app
