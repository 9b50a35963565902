// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines of a text file that can be compressed. Memory does not depend on the file's size.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::traces {

enum class Compression : std::uint8_t { kNone, kGzip, kXz, kZstd };

/// By the first bytes of a file.
Compression compression_of(std::string_view begin);

class LineReader {
 public:
  /// Throws InputError if the path names no readable file.
  explicit LineReader(const std::string& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its newline; valid until the next call. False at the file's end. Throws
  /// InputError for damaged compressed data, for a NUL byte and for a line of more than 16 MiB.
  bool next(std::string_view& line);
  /// Of the last line, from 1.
  std::uint64_t number() const { return number_; }
  const std::string& path() const { return path_; }
  /// "FILE:LINE" of the last line.
  std::string place() const { return path_ + ":" + std::to_string(number_); }
  /// Part of the file's bytes that has been read, 0 to 1.
  double done() const;

 private:
  class Stream;

  bool fill();

  std::string path_;
  std::unique_ptr<Stream> stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< of the bytes that have not been returned
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::uint64_t number_ = 0;
};

}  // namespace tessera::traces
