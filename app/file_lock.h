// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace tessera::app {

/// An exclusive lock between processes, in the form of a file that is there while the lock is held.
/// The object's end releases it, and the end of the process too.
class FileLock {
 public:
  /// Waits until no other process holds the lock, or until `give_up` returns true. Returns at once
  /// and without the lock if the file cannot be made, or if its file system has no locks.
  FileLock(std::string path, const std::function<bool()>& give_up);
  FileLock(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

  bool held() const { return file_ >= 0; }

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace tessera::app
