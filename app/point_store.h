// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/output_directory.h"
#include "common/json.h"

namespace tessera::app {

/// Results of points under their keys: FOLDER/<key>.json, with a checksum. A file is there as a
/// whole or not at all, so that a killed run leaves nothing that misleads the next; one that has
/// been changed since, or is none, is told and computed again.
class PointStore {
 public:
  /// Throws InputError when files cannot be written there.
  explicit PointStore(const std::string& folder) : folder_(folder), files_(folder) {}

  /// The statistics kept under the key; empty when there are none that can be trusted. `told`: what
  /// is wrong with the file that is there; may be empty.
  std::optional<nlohmann::ordered_json> load(
      const std::string& key, const std::function<void(const std::string&)>& told = {}) const;
  /// Throws RunError.
  void save(const std::string& key, const nlohmann::ordered_json& stats) const;

  /// While it lives, no other process computes the point.
  class Claim {
   public:
    Claim(int file, std::string path) : file_(file), path_(std::move(path)) {}
    Claim(Claim&& other) noexcept;
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    Claim& operator=(Claim&&) = delete;
    ~Claim();

   private:
    int file_;
    std::string path_;
  };
  /// Waits until nobody else computes the point, or until `give_up`. Where the file system knows no
  /// locks, at once.
  Claim claim(const std::string& key, const std::function<bool()>& give_up) const;

 private:
  std::string folder_;
  OutputDirectory files_;
};

/// SHA-256 of the running executable's contents.
std::string own_binary_hash();

}  // namespace tessera::app
