// SPDX-License-Identifier: Apache-2.0
#include "common/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/error.h"

namespace tessera {
namespace {

/// Empty for a regular file.
const char* why_not_regular(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "is a folder";
  if (S_ISFIFO(mode)) return "is a pipe; expected a regular file";
  if (S_ISSOCK(mode)) return "is a socket; expected a regular file";
  return "is a device; expected a regular file";
}

std::string reason_of(int error) {
  return error == ENOENT || error == ENOTDIR ? "no such file" : std::strerror(error);
}

std::string size_text(std::uint64_t bytes) {
  const bool whole = bytes >> 20 << 20 == bytes;
  return whole ? std::to_string(bytes >> 20) + " MiB" : std::to_string(bytes) + " bytes";
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  struct stat status {};
  // Before the file is opened, because opening can have effects on a device.
  if (::stat(path_.c_str(), &status) != 0) fail(reason_of(errno));
  if (const char* why = why_not_regular(status.st_mode); *why != '\0') fail(why);
  // Another file can have got the name: O_NONBLOCK keeps a pipe from blocking, and the descriptor's
  // own status counts.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor_ < 0) fail(reason_of(errno));
  const char* why =
      ::fstat(descriptor_, &status) == 0 ? why_not_regular(status.st_mode) : std::strerror(errno);
  if (*why != '\0') {
    ::close(descriptor_);
    fail(why);
  }
  bytes_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read(std::uint64_t offset, void* out, std::size_t bytes) const {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t n = ::pread(descriptor_, static_cast<char*>(out) + done, bytes - done,
                              static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(std::strerror(errno));
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

void InputFile::fail(const std::string& why) const {
  throw InputError((path_.empty() ? "''" : path_) + ": cannot be read: " + why);
}

std::string read_input_file(const std::string& path, std::uint64_t most) {
  const InputFile file(path);
  const auto check = [&](std::uint64_t bytes) {
    if (bytes <= most) return;
    throw InputError(path + ": is longer than " + size_text(most) +
                     ", the most that is read of such a file");
  };
  check(file.bytes());
  // One byte more, so that a file that has grown is noticed. The kernel's own files have a size of
  // 0.
  std::string text(file.bytes() + 1, '\0');
  std::size_t done = 0;
  while (true) {
    done += file.read(done, &text[done], text.size() - done);
    check(done);
    if (done < text.size()) break;
    text.resize(2 * text.size());
  }
  text.resize(done);
  return text;
}

bool names_something(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

}  // namespace tessera
