// SPDX-License-Identifier: Apache-2.0
#include "app/point_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "app/console.h"
#include "common/sha256.h"

namespace tessera::app {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

std::string checksum_of(const ordered_json& stats) { return sha256(document_text(stats)); }

}  // namespace

std::optional<ordered_json> PointStore::load(
    const std::string& key, const std::function<void(const std::string&)>& told) const {
  const std::string path = files_.path_of(key + ".json");
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  const auto refuse = [&](const char* why) {
    if (told) told(path + " " + why + ": the point is computed again");
    return std::nullopt;
  };
  if (!fs::is_regular_file(path, error)) return refuse("is no file");
  std::ifstream in(path, std::ios::binary);
  ordered_json document = ordered_json::parse(in, nullptr, false);
  if (!document.is_object() || document.value("key", "") != key || !document.contains("stats")) {
    return refuse("is not the result of a point");
  }
  if (document.value("sha256", "") != checksum_of(document["stats"])) {
    return refuse("has been changed since it was written");
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

PointStore::Claim PointStore::claim(const std::string& key,
                                    const std::function<bool()>& give_up) const {
  const std::string path = files_.path_of("." + key + ".lock");
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  while (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK && !give_up()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return {file, path};
}

PointStore::Claim::Claim(Claim&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

// A process that waits for the removed file's lock gets the lock next and finds the result.
PointStore::Claim::~Claim() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::close(file_);
}

std::string own_binary_hash() { return sha256_of_file("/proc/self/exe"); }

}  // namespace tessera::app
