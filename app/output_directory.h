// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace tessera::app {

/// The output directory of a command. Created and checked for write permission before the
/// simulation starts, so that a missing permission does not lose its result.
class OutputDirectory {
 public:
  /// Throws InputError if files cannot be written to the directory.
  explicit OutputDirectory(const std::string& path);

  /// Replaces the file atomically: readers see the old or the new content. Throws RunError.
  void write(const std::string& name, const std::string& text) const;
  std::string path_of(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace tessera::app
