// SPDX-License-Identifier: Apache-2.0
// With a flock() of its own, whose result the test chooses.
#include "app/file_lock.h"

#include <sys/file.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>

#include "tests/support/temporary_file.h"

namespace tessera::file_lock_test {

namespace {

int flock_error = 0;

}  // namespace

extern "C" int flock(int /*file*/, int /*operation*/) noexcept {
  errno = flock_error;
  return flock_error == 0 ? 0 : -1;
}

TEST_CASE("a lock's file is there while the lock is held, and while another process holds it") {
  using tessera::app::FileLock;
  const tessera::test::TemporaryFile file("");
  const std::string path = file.path();
  unsigned asked = 0;
  // Each question changes errno, as a system call in it can.
  const auto give_up = [&asked] {
    errno = 0;
    return ++asked == 2;
  };

  flock_error = 0;
  {
    const FileLock lock(path, give_up);
    CHECK(lock.held());
    CHECK(std::filesystem::exists(path));
  }
  CHECK_FALSE(std::filesystem::exists(path));
  CHECK(asked == 0);

  flock_error = EWOULDBLOCK;
  CHECK_FALSE(FileLock(path, give_up).held());
  CHECK(asked == 2);
  CHECK(std::filesystem::exists(path));

  // A file system without locks.
  flock_error = ENOTSUP;
  CHECK_FALSE(FileLock(path, give_up).held());
  CHECK(asked == 2);
  CHECK_FALSE(std::filesystem::exists(path));
}

}  // namespace tessera::file_lock_test
