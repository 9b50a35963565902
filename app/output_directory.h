// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace tessera::app {

/// The directory that a command writes its files to. Made, and tried, before the simulation starts,
/// so that an hour of it is not lost to a missing permission.
class OutputDirectory {
 public:
  /// Throws InputError when files cannot be written there.
  explicit OutputDirectory(const std::string& path);

  /// Replaces the file as a whole: readers see the old one or the new one. Throws RunError.
  void write(const std::string& name, const std::string& text) const;
  std::string path_of(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace tessera::app
