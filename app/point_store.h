// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/file_lock.h"
#include "app/output_directory.h"
#include "common/json_fwd.h"

namespace tessera::app {

/// Results of points by key: FOLDER/<key>.json, with a checksum. Files are written atomically, so
/// that a killed run leaves no partial file. A changed or malformed file is reported and its point
/// is computed again.
class PointStore {
 public:
  /// Throws InputError if files cannot be written to the folder.
  explicit PointStore(const std::string& folder) : folder_(folder), files_(folder) {}

  /// The statistics saved under the key; empty if there is no valid file. `on_error` (can
  /// be empty) receives the error of an invalid file.
  std::optional<nlohmann::ordered_json> load(
      const std::string& key, const std::function<void(const std::string&)>& on_error = {}) const;
  /// Throws RunError.
  void save(const std::string& key, const nlohmann::ordered_json& stats) const;

  /// A lock: during its lifetime no other process computes the point. Waits for it until `give_up`
  /// returns true.
  FileLock claim(const std::string& key, const std::function<bool()>& give_up) const;

 private:
  std::string folder_;
  OutputDirectory files_;
};

/// SHA-256 of the running executable's contents.
std::string own_binary_hash();

}  // namespace tessera::app
