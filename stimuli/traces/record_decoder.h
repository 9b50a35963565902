// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records of Accel-Sim's kernel files, one a line, and the files' headers; versions 1 to 6. The
// functions know no files: they throw what was wrong, and the caller adds file and line.

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stimuli/traces/sass_opcodes.h"
#include "stimuli/traces/trace_instruction.h"

namespace tessera::traces {

/// "expected X, found 'Y'", without its place.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr unsigned kOldestVersion = 1;
inline constexpr unsigned kNewestVersion = 6;
/// Records of older versions begin with the CTA's coordinates and the warp.
inline constexpr unsigned kFirstVersionWithoutPlace = 3;

/// Reads "-key = value" lines. Keys that no reader uses are ignored.
class HeaderDecoder {
 public:
  /// Throws FormatError for a line that is neither such a line nor blank, and for a value that
  /// cannot be read.
  void line(std::string_view text);
  /// The kernel. Throws FormatError when a key is missing or a value is out of range.
  TraceKernel finish(const std::string& file) const;

 private:
  TraceKernel kernel_;
  std::vector<std::string> keys_;
};

/// Decodes records. Holds the opcodes of a kernel, to which the instructions refer.
class RecordDecoder {
 public:
  explicit RecordDecoder(const TraceKernel& kernel) : kernel_(kernel) {}
  RecordDecoder(const RecordDecoder&) = delete;
  RecordDecoder& operator=(const RecordDecoder&) = delete;

  /// Throws FormatError.
  void decode(std::string_view record, TraceInstruction& out);
  std::vector<KernelTraceReader::Unknown> unknown_opcodes() const;

 private:
  struct Opcode {
    SassOpcode facts;
    std::uint64_t count = 0;
  };

  const Opcode& opcode(std::string_view text, std::string_view& kept);
  void settle_generic(TraceInstruction& out) const;

  const TraceKernel& kernel_;
  std::unordered_map<std::string, Opcode> opcodes_;
  std::string key_;
};

/// "a,b,c" or "(a,b,c)", of values of at least `least`. Throws FormatError that names `what`.
Dim3 parse_dim3(std::string_view text, std::string_view what, std::uint32_t least);

/// Throws FormatError for a grid or a block that no launch has.
void check_shape(const Dim3& grid, const Dim3& block);

/// The number of a line "NAME = NUMBER". Throws FormatError.
std::uint64_t parse_setting(std::string_view line, std::string_view name);

/// The part of a line after "NAME =", or false if the line is another one.
bool split_setting(std::string_view line, std::string_view& name, std::string_view& value);

}  // namespace tessera::traces
