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
    int failed = 0;
    while ((failed = ::flock(file_, LOCK_EX | LOCK_NB)) != 0 &&
           (errno == EWOULDBLOCK || errno == EINTR) && !give_up()) {
      std::this_thread::sleep_for(kRetry);
    }
    // The last holder has removed its file, so that a lock on that file excludes nobody.
    if (failed == 0 && is_at(file_, path_)) return;
    ::close(std::exchange(file_, -1));
    if (failed != 0) return;
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
