// SPDX-License-Identifier: Apache-2.0
#include "app/point_store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/console.h"
#include "app/report/energy_figures.h"
#include "common/error.h"
#include "common/json.h"
#include "common/sha256.h"
#include "studies/model_version.h"

namespace tessera::app {

using nlohmann::ordered_json;
namespace fs = std::filesystem;
namespace io = boost::iostreams;

namespace {

/// Changes of the schema, oldest first. A database's user_version is the number of those it has.
constexpr const char* kMigrations[] = {
    R"(CREATE TABLE configs (
         hash TEXT PRIMARY KEY,
         document TEXT NOT NULL);
       CREATE TABLE points (
         key TEXT PRIMARY KEY,
         created TEXT NOT NULL,
         model TEXT NOT NULL,
         tessera TEXT NOT NULL,
         platform TEXT NOT NULL,
         workload TEXT NOT NULL,
         scale TEXT NOT NULL,
         value_mode TEXT NOT NULL,
         seed INTEGER NOT NULL,
         window TEXT NOT NULL,
         settings TEXT NOT NULL,
         config TEXT NOT NULL REFERENCES configs (hash),
         verified INTEGER,
         figures TEXT NOT NULL,
         host_seconds REAL,
         host_peak_bytes INTEGER);
       CREATE TABLE results (
         key TEXT PRIMARY KEY REFERENCES points (key),
         sha256 TEXT NOT NULL,
         stats BLOB NOT NULL);)",
};
constexpr int kSchema = std::size(kMigrations);
/// For which a writer waits while others write.
constexpr int kBusyMs = 120'000;

SQLite::Database open(const std::string& path) {
  return SQLite::Database(path, SQLite::OPEN_READWRITE, kBusyMs);
}

std::string compressed(const std::string& text) {
  std::string out;
  io::filtering_ostream stream;
  stream.push(io::zlib_compressor());
  stream.push(io::back_inserter(out));
  stream << text;
  stream.reset();
  return out;
}

/// Throws std::exception if the bytes are damaged.
std::string decompressed(const std::string& bytes) {
  std::string out;
  io::filtering_ostream stream;
  stream.push(io::zlib_decompressor());
  stream.push(io::back_inserter(out));
  // A stream without a device is bad, so that this comes last.
  stream.exceptions(std::ios::badbit);
  stream << bytes;
  stream.reset();
  return out;
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// The numbers that lists show.
ordered_json figures_of(const ordered_json& stats) {
  ordered_json figures = ordered_json::object();
  for (const char* name : {"cycles", "time_ns", "instructions", "footprint_bytes"}) {
    if (stats.contains(name) && stats[name].is_number()) figures[name] = stats[name];
  }
  const ordered_json derived = stats.value("derived", ordered_json::object());
  for (const auto& [name, value] : derived.items()) {
    if (value.is_number()) figures["derived." + name] = value;
  }
  figures.update(energy_figures(stats));
  return figures;
}

}  // namespace

PointStore::PointStore(std::string path) : path_(std::move(path)) {
  try {
    const fs::path folder = fs::path(path_).parent_path();
    if (!folder.empty()) fs::create_directories(folder);
    SQLite::Database db(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyMs);
    if (db.execAndGet("PRAGMA user_version").getInt() == kSchema) return;
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    const int version = db.execAndGet("PRAGMA user_version").getInt();
    if (version > kSchema) {
      throw InputError(path_ + " is the database of a newer Tessera (schema " +
                       std::to_string(version) + "; this one knows " + std::to_string(kSchema) +
                       ")");
    }
    for (int next = version; next < kSchema; ++next) db.exec(kMigrations[next]);
    db.exec("PRAGMA user_version = " + std::to_string(kSchema));
    transaction.commit();
  } catch (const SQLite::Exception& e) {
    throw InputError(path_ + " cannot be used as a database of results: " + e.what());
  } catch (const fs::filesystem_error& e) {
    throw InputError(path_ + " cannot be used as a database of results: " + e.code().message());
  }
}

std::optional<ordered_json> PointStore::load(
    const std::string& key, const std::function<void(const std::string&)>& on_error) const {
  std::optional<ordered_json> loaded;
  load_each(
      {key}, [&](std::size_t, ordered_json stats) { loaded = std::move(stats); }, on_error);
  return loaded;
}

void PointStore::load_each(const std::vector<std::string>& keys,
                           const std::function<void(std::size_t, ordered_json)>& found,
                           const std::function<void(const std::string&)>& on_error) const {
  const auto refuse = [&](const std::string& which, const std::string& why) {
    if (on_error) on_error(path_ + ": " + which + " " + why);
  };
  // The last configuration, because many points have the same.
  std::string config_text;
  ordered_json config;
  const auto load_row = [&](SQLite::Statement& row,
                            const std::string& key) -> std::optional<ordered_json> {
    row.bind(1, key);
    row.bind(2, kUnknownModel);
    if (!row.executeStep()) return std::nullopt;
    const std::string text = decompressed(row.getColumn(1).getString());
    const std::string of_row = row.getColumn(2).getString();
    if (sha256(key + of_row + text) != row.getColumn(0).getString()) {
      refuse("point " + key, "has been changed since it was written: the point is computed again");
      return std::nullopt;
    }
    ordered_json stats = ordered_json::parse(text);
    if (of_row != config_text) {
      config = ordered_json::parse(of_row);
      config_text = of_row;
    }
    stats["config"] = config;
    return stats;
  };
  try {
    const SQLite::Database db = open(path_);
    SQLite::Statement row(db,
                          "SELECT results.sha256, results.stats, configs.document FROM results "
                          "JOIN points USING (key) JOIN configs ON configs.hash = points.config "
                          "WHERE results.key = ? AND points.model <> ?");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      std::optional<ordered_json> stats;
      try {
        stats = load_row(row, keys[i]);
      } catch (const std::exception& e) {
        refuse("point " + keys[i],
               std::string("is damaged (") + e.what() + "): the point is computed again");
      }
      row.tryReset();
      if (stats) found(i, std::move(*stats));
    }
  } catch (const SQLite::Exception& e) {
    refuse("the database",
           std::string("is damaged (") + e.what() + "): its points are computed again");
  }
}

void PointStore::save(const std::string& key, const ordered_json& stats) const {
  write(key, stats, studies::model_version(), true);
}

bool PointStore::save_old(const std::string& key, const ordered_json& stats) const {
  return write(key, stats, kUnknownModel, false);
}

namespace {

/// Bytes of names that are not UTF-8 are replaced.
std::string json_text(const ordered_json& document) {
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

/// Returns whether it has written the point.
bool PointStore::write(const std::string& key, const ordered_json& stats, const std::string& model,
                       bool replace) const {
  ordered_json kept = stats;
  kept.erase("host");
  const std::string config = json_text(kept.at("config"));
  // Keeps its place among the keys.
  kept["config"] = nullptr;
  const std::string text = json_text(kept);
  try {
    SQLite::Database db = open(path_);
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    if (!replace) {
      SQLite::Statement present(db, "SELECT 1 FROM points WHERE key = ?");
      present.bind(1, key);
      if (present.executeStep()) return false;
    }
    SQLite::Statement add_config(db, "INSERT OR REPLACE INTO configs VALUES (?, ?)");
    const std::string hash = sha256(config);
    add_config.bind(1, hash);
    add_config.bind(2, config);
    add_config.exec();
    SQLite::Statement add_point(
        db,
        "INSERT OR REPLACE INTO points VALUES (:key, :created, :model, :tessera, :platform, "
        ":workload, :scale, :mode, :seed, :window, :settings, :config, :verified, :figures, "
        ":seconds, :peak)");
    add_point.bind(":key", key);
    add_point.bind(":created", now());
    add_point.bind(":model", model);
    add_point.bind(":tessera", stats.value("tessera", ""));
    add_point.bind(":platform", stats.value("platform", ""));
    add_point.bind(":workload", stats.value("workload", ""));
    add_point.bind(":scale", stats.value("scale", ""));
    add_point.bind(":mode", stats.value("values", ""));
    add_point.bind(":seed", static_cast<std::int64_t>(stats.value("seed", std::uint64_t{0})));
    add_point.bind(":window", stats.contains("window") ? stats["window"].dump() : "");
    add_point.bind(":settings", stats.value("settings", ordered_json::object()).dump());
    add_point.bind(":config", hash);
    if (stats.contains("verified") && stats["verified"].is_boolean()) {
      add_point.bind(":verified", stats["verified"].get<bool>() ? 1 : 0);
    }
    add_point.bind(":figures", figures_of(stats).dump());
    const ordered_json host = stats.value("host", ordered_json::object());
    if (host.contains("seconds")) add_point.bind(":seconds", host["seconds"].get<double>());
    if (host.contains("peak_rss_bytes")) {
      add_point.bind(":peak", host["peak_rss_bytes"].get<std::int64_t>());
    }
    add_point.exec();
    SQLite::Statement add_result(db, "INSERT OR REPLACE INTO results VALUES (?, ?, ?)");
    const std::string blob = compressed(text);
    add_result.bind(1, key);
    add_result.bind(2, sha256(key + config + text));
    add_result.bind(3, blob.data(), static_cast<int>(blob.size()));
    add_result.exec();
    transaction.commit();
    return true;
  } catch (const SQLite::Exception& e) {
    throw RunError(path_ + " cannot be written: " + e.what());
  }
}

FileLock PointStore::claim(const std::string& key, const std::function<bool()>& give_up) const {
  return FileLock((fs::path(path_).parent_path() / ("." + key + ".lock")).string(), give_up);
}

std::vector<PointEntry> PointStore::entries() const {
  std::vector<PointEntry> all;
  try {
    const SQLite::Database db = open(path_);
    SQLite::Statement row(
        db,
        "SELECT key, created, model, platform, workload, scale, value_mode, "
        "seed, window, settings, config, verified, figures, host_seconds, host_peak_bytes "
        "FROM points "
        "ORDER BY created, key");
    while (row.executeStep()) {
      PointEntry e;
      e.key = row.getColumn(0).getString();
      e.created = row.getColumn(1).getString();
      e.model = row.getColumn(2).getString();
      e.platform = row.getColumn(3).getString();
      e.workload = row.getColumn(4).getString();
      e.scale = row.getColumn(5).getString();
      e.values = row.getColumn(6).getString();
      e.seed = static_cast<std::uint64_t>(row.getColumn(7).getInt64());
      e.window = row.getColumn(8).getString();
      *e.settings = ordered_json::parse(row.getColumn(9).getString());
      e.config = row.getColumn(10).getString();
      if (!row.getColumn(11).isNull()) e.verified = row.getColumn(11).getInt() != 0;
      *e.figures = ordered_json::parse(row.getColumn(12).getString());
      e.host_seconds = row.getColumn(13).getDouble();
      e.host_peak_bytes = static_cast<std::uint64_t>(row.getColumn(14).getInt64());
      all.push_back(std::move(e));
    }
  } catch (const std::exception& e) {
    throw RunError(path_ + " cannot be read: " + e.what());
  }
  return all;
}

std::map<std::string, KeptJson<ordered_json>> PointStore::configurations() const {
  std::map<std::string, KeptJson<ordered_json>> all;
  try {
    const SQLite::Database db = open(path_);
    SQLite::Statement row(db, "SELECT hash, document FROM configs");
    while (row.executeStep()) {
      all.emplace(row.getColumn(0).getString(), ordered_json::parse(row.getColumn(1).getString()));
    }
  } catch (const std::exception& e) {
    throw RunError(path_ + " cannot be read: " + e.what());
  }
  return all;
}

namespace {

/// Of the environment; empty without.
std::string named_store() {
  const char* named = std::getenv("TESSERA_STORE");
  return named == nullptr ? "" : named;
}

constexpr const char* kDefaultStore = "out/results.sqlite";

}  // namespace

std::string store_path(const std::optional<std::string>& given) {
  if (given) return *given;
  const std::string named = named_store();
  return named.empty() ? kDefaultStore : named;
}

std::optional<PointStore> open_store(const std::optional<std::string>& given) {
  if (given || !named_store().empty()) return PointStore(store_path(given));
  try {
    return PointStore(kDefaultStore);
  } catch (const InputError& e) {
    complain(std::string("warning: ") + e.what() + "; no points are kept (--store names another)");
    return std::nullopt;
  }
}

}  // namespace tessera::app
