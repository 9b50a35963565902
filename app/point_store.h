// SPDX-License-Identifier: Apache-2.0
#pragma once

// The results of all commands in one SQLite database (docs/guide/results.md).

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/file_lock.h"
#include "common/kept_json.h"

namespace tessera::app {

/// A stored point without its statistics: what lists show.
struct PointEntry {
  std::string key;
  std::string created;  ///< UTC, as in ISO 8601; of the last write
  std::string model;    ///< studies::model_version() of the run
  std::string platform;
  std::string workload;
  std::string scale;
  std::string values;
  std::uint64_t seed = 0;
  std::string window;            ///< of instructions, as JSON; empty: the whole run
  std::string config;            ///< key of configurations()
  std::optional<bool> verified;  ///< empty: the workload has no reference
  /// Name -> value of the settings that the user gave.
  KeptJson<nlohmann::ordered_json> settings;
  /// Name -> number: cycles, time_ns, instructions, derived.NAME, energy.PART.total_j.
  KeptJson<nlohmann::ordered_json> figures;
  double host_seconds = 0;            ///< that the run took; 0: unknown
  std::uint64_t host_peak_bytes = 0;  ///< of its process, resident; 0: unknown
};

/// Results of points by key. Several processes and machines can use one database at a time. A point
/// is written in one transaction, so that a killed process or a full disk loses at most its own.
/// A row has a checksum: a changed or damaged one is reported, and its point is computed again.
/// Each call opens the database anew, because no connection may be open across a fork; the
/// functions that it calls may not fork.
class PointStore {
 public:
  /// Creates the database with its folder, or brings its schema up to date. Throws InputError if
  /// that is impossible: no permission, another kind of file, the schema of a newer Tessera.
  explicit PointStore(std::string path);

  /// PointEntry::model of a point whose version of the model is not known.
  static constexpr const char* kUnknownModel = "unknown";

  const std::string& path() const { return path_; }

  /// The statistics saved under the key, without "host"; empty if there are none. `on_error` (can
  /// be empty) receives the error of a damaged row or database.
  std::optional<nlohmann::ordered_json> load(
      const std::string& key, const std::function<void(const std::string&)>& on_error = {}) const;
  /// As load() for each key, by one connection. `found` receives the index of each key that has
  /// statistics, in ascending order, and the statistics.
  void load_each(const std::vector<std::string>& keys,
                 const std::function<void(std::size_t index, nlohmann::ordered_json stats)>& found,
                 const std::function<void(const std::string&)>& on_error = {}) const;
  /// Saves a complete result (stats.json). Throws RunError.
  void save(const std::string& key, const nlohmann::ordered_json& stats) const;
  /// The same of an unknown version of the model (kUnknownModel): entries() has it, load() never
  /// returns it. Does not replace a point: false if there is one under the key. Throws RunError.
  bool save_old(const std::string& key, const nlohmann::ordered_json& stats) const;

  /// A lock: during its lifetime no other process computes the point. Waits for it until `give_up`
  /// returns true.
  FileLock claim(const std::string& key, const std::function<bool()>& give_up) const;

  /// All points, by time of creation, then key. Throws RunError.
  std::vector<PointEntry> entries() const;
  /// Resolved configurations by key (PointEntry::config). Throws RunError.
  std::map<std::string, KeptJson<nlohmann::ordered_json>> configurations() const;

 private:
  bool write(const std::string& key, const nlohmann::ordered_json& stats, const std::string& model,
             bool replace) const;

  std::string path_;
};

/// The database of a command: `given` (--store), else TESSERA_STORE, else out/results.sqlite.
std::string store_path(const std::optional<std::string>& given);

/// Opens it. Throws InputError if one that the user named cannot be used. If out/results.sqlite
/// cannot be used, says so on standard error; the command then keeps no points.
std::optional<PointStore> open_store(const std::optional<std::string>& given);

}  // namespace tessera::app
