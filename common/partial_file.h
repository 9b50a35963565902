// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace tessera {

/// A file that a run writes in parts. It is PATH.partial until complete(), so that a run that is
/// refused leaves an existing file as it was. A path that names a device or a pipe is
/// written directly; a symbolic link is followed.
class PartialFile {
 public:
  /// Throws InputError "PATH: cannot be written: REASON", also while another process writes it. The
  /// partial file of a killed process is replaced.
  explicit PartialFile(std::string path);
  /// Removes the partial file if complete() was not called, or has returned an error.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::string& path() const { return path_; }
  /// Whether complete() has not been called.
  bool is_open() const { return file_.is_open(); }
  /// No effect after a failed write.
  void write(std::string_view bytes);
  /// Hands written bytes to the operating system.
  void flush();
  /// Why a write has failed; empty: none has.
  const std::string& error() const { return error_; }
  /// Gives the file its name. Returns why it could not be written; empty if it could.
  std::string complete();

 private:
  /// Throws InputError while another process holds the lock.
  void lock();
  void check();

  const std::string path_;
  std::string target_;   ///< the path without symbolic links
  std::string written_;  ///< what is being written: `target_`, or its partial file
  /// Descriptor of the partial file. Its lock ends with the process.
  struct Lock {
    int file = -1;
    Lock() = default;
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock();
  } lock_;
  std::ofstream file_;
  std::string error_;  ///< the first
};

/// The name of a file until it is complete.
std::string partial_name(const std::string& path);

/// The file that a symbolic link leads to, which need not exist. A link to a pipe (/dev/stdout) has
/// no other path.
std::string without_links(const std::string& path);

/// Why a file of this path cannot be made or replaced; empty if it can.
std::string why_not_writable(const std::string& path);

}  // namespace tessera
