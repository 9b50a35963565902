// SPDX-License-Identifier: Apache-2.0
#include "common/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/error.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::string reason() { return errno == 0 ? "the write failed" : std::strerror(errno); }

/// Whether the path names a device, a pipe or the like.
bool is_special(const std::string& path) {
  std::error_code failed;
  return fs::exists(path, failed) && !fs::is_regular_file(path, failed);
}

}  // namespace

std::string partial_name(const std::string& path) { return path + ".partial"; }

std::string without_links(const std::string& path) {
  if (is_special(path)) return path;
  std::error_code failed;
  fs::path target = path;
  // As many as Linux follows.
  constexpr int kMostLinks = 40;
  for (int links = 0; links < kMostLinks && fs::is_symlink(target, failed); ++links) {
    target = target.parent_path() / fs::read_symlink(target, failed);
    if (failed) return path;
  }
  return target.string();
}

std::string why_not_writable(const std::string& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (fs::is_directory(status)) return "it is a folder";
  if (fs::exists(status)) return ::access(path.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
  const fs::path parent = fs::path(without_links(path)).parent_path();
  return ::access(parent.empty() ? "." : parent.c_str(), W_OK | X_OK) == 0 ? ""
                                                                           : std::strerror(errno);
}

PartialFile::PartialFile(std::string path)
    : path_(std::move(path)), target_(without_links(path_)), written_(target_) {
  const auto refuse = [this](const std::string& why) {
    throw InputError(path_ + ": cannot be written: " + why);
  };
  const std::string why = why_not_writable(path_);
  if (!why.empty()) refuse(why);
  if (!is_special(target_)) {
    written_ = partial_name(target_);
    lock();
  }
  errno = 0;
  file_.open(written_, std::ios::binary | std::ios::trunc);
  if (!file_) refuse(reason());
}

PartialFile::Lock::~Lock() {
  if (file >= 0) ::close(file);
}

PartialFile::~PartialFile() {
  if (!file_.is_open() && error_.empty()) return;
  file_.close();
  std::error_code ignored;
  if (written_ != target_) fs::remove(written_, ignored);
}

void PartialFile::lock() {
  constexpr mode_t kMode = 0666;  // as std::ofstream's, before the umask
  lock_.file = ::open(written_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kMode);
  // On a file system without locks, nobody is refused.
  if (lock_.file < 0 || ::flock(lock_.file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw InputError(path_ + ": cannot be written: another process is writing it (" + written_ + ")");
}

void PartialFile::check() {
  if (!file_ && error_.empty()) error_ = reason();
}

void PartialFile::write(std::string_view bytes) {
  if (!error_.empty()) return;
  errno = 0;
  file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  check();
}

void PartialFile::flush() {
  if (!error_.empty()) return;
  errno = 0;
  file_.flush();
  check();
}

std::string PartialFile::complete() {
  errno = 0;
  file_.close();
  check();
  std::error_code failed;
  if (error_.empty() && written_ != target_) {
    fs::rename(written_, target_, failed);
    if (failed) error_ = failed.message();
  }
  return error_;
}

}  // namespace tessera
