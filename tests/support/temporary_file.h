// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tessera::test {

/// A file that is gone after the test.
class TemporaryFile {
 public:
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  explicit TemporaryFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("tessera-test-" + std::to_string(getpid()) +
                                                        "-" + std::to_string(made_++) + ".json")) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  static inline unsigned made_ = 0;
  std::filesystem::path path_;
};

}  // namespace tessera::test
