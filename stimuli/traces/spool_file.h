// SPDX-License-Identifier: Apache-2.0
#pragma once

// A temporary file that has no name: it ends with the process.

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::traces {

class SpoolFile {
 public:
  /// In $TMPDIR, or /tmp. Throws RunError if it cannot be made.
  SpoolFile();
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  /// Appends bytes. Throws RunError if the file system is full.
  void append(std::string_view bytes);
  /// Writes what append() has kept. To be called before read().
  void flush();
  std::uint64_t bytes() const { return written_ + kept_.size(); }

  /// Reads up to `bytes` bytes at `offset`; fewer only at the end. For several threads. Throws
  /// RunError.
  std::size_t read(std::uint64_t offset, void* out, std::size_t bytes) const;

 private:
  std::string folder_;
  int descriptor_ = -1;
  std::uint64_t written_ = 0;
  std::string kept_;
};

}  // namespace tessera::traces
