// SPDX-License-Identifier: Apache-2.0
#include "app/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace tessera::app {
namespace {

constexpr std::chrono::milliseconds kRetry{50};

/// Whether the path still names the open file.
bool is_at(int file, const std::string& path) {
  struct stat own {};
  struct stat there {};
  return ::fstat(file, &own) == 0 && ::stat(path.c_str(), &there) == 0 &&
         own.st_ino == there.st_ino && own.st_dev == there.st_dev;
}

}  // namespace

FileLock::FileLock(std::string path, const std::function<bool()>& give_up)
    : path_(std::move(path)) {
  while (true) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file_ < 0) return;
    int error = 0;
    const auto another_holds_it = [&error] { return error == EWOULDBLOCK || error == EINTR; };
    while (true) {
      error = ::flock(file_, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
      if (!another_holds_it() || give_up()) break;
      std::this_thread::sleep_for(kRetry);
    }
    // The last holder has removed its file, so that a lock on that file excludes nobody.
    if (error == 0 && is_at(file_, path_)) return;
    ::close(std::exchange(file_, -1));
    if (error == 0) continue;
    // Without locks nobody holds it, and nobody else would remove the file.
    if (!another_holds_it()) ::unlink(path_.c_str());
    return;
  }
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

FileLock::~FileLock() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace tessera::app
