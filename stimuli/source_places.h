// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tessera {

/// A line of the source from which a kernel was compiled.
struct SourcePlace {
  std::string file;  ///< as the compiler wrote it
  unsigned line = 0;
};

/// Implemented by a KernelProgram that can know the source of its instructions.
class SourcePlacesIf {
 public:
  /// Empty: unknown, as without .loc in the PTX.
  virtual std::optional<SourcePlace> source_of(std::uint32_t pc) const = 0;
  /// The file of the instruction itself, relative to which SourcePlace::file can be.
  virtual std::string program_file() const = 0;

 protected:
  ~SourcePlacesIf() = default;
};

}  // namespace tessera
