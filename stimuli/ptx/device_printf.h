// SPDX-License-Identifier: Apache-2.0
#pragma once

// The text of a device printf: C's conversions, with the arguments in a packed buffer (int and
// smaller as 4 bytes, long, double and pointers as 8, each at a multiple of its size).

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace tessera::ptx {

/// A format that C's printf may have and this one has not. The caller says which thread it was.
class UnknownConversion : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where one thread's printf finds its arguments.
struct PrintfArguments {
  /// The `bytes` (4 or 8) at `offset` of the buffer.
  std::function<std::uint64_t(std::uint64_t offset, unsigned bytes)> word;
  /// The string that a %s argument points to.
  std::function<std::string(std::uint64_t address)> string;
};

struct PrintfText {
  std::string text;
  unsigned arguments = 0;  ///< that the format has taken: what the call returns
};

/// Throws UnknownConversion that names a conversion other than %d %i %u %o %x %X %c %s %p %e %f %g
/// %a (and E F G A) with flags, width, precision, h, hh, l, ll, j, z and t; %% is a percent sign.
PrintfText format_printf(const std::string& format, const PrintfArguments& arguments);

}  // namespace tessera::ptx
