// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reading of input files. Every reader of a file that a user can name uses these functions, so that
// no pipe blocks the command and no device fills the memory.

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera {

/// Most bytes of a file that a user writes and that is read as a whole: a platform, a manifest,
/// PTX, a study's file (256 MiB).
constexpr std::uint64_t kMostInputBytes = std::uint64_t{256} << 20;
/// The same of a result that `tessera` has written (4 GiB): a comparison holds all its runs.
constexpr std::uint64_t kMostResultBytes = std::uint64_t{4} << 30;

/// A regular file that is open for reading.
class InputFile {
 public:
  /// Throws InputError "PATH: cannot be read: REASON" if the path names no regular file (nothing, a
  /// folder, a pipe, a device, a socket, a symbolic link that leads nowhere), or if it cannot be
  /// opened. Never blocks on a pipe.
  explicit InputFile(std::string path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Reads up to `bytes` bytes at byte `offset`. Returns their number, which is smaller only at the
  /// file's end. Throws InputError.
  std::size_t read(std::uint64_t offset, void* out, std::size_t bytes) const;

 private:
  [[noreturn]] void fail(const std::string& why) const;

  std::string path_;
  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
};

/// The contents of a file of at most `most` bytes. Throws InputError as InputFile does, and for a
/// longer file.
std::string read_input_file(const std::string& path, std::uint64_t most = kMostInputBytes);

/// Whether the path names anything. True also for what is no readable file, such as a symbolic link
/// to itself: its reader refuses it with the reason.
bool names_something(const std::string& path);

}  // namespace tessera
