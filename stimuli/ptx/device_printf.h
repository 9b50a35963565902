// SPDX-License-Identifier: Apache-2.0
#pragma once

// Formatting of a device printf: C's conversions, with the arguments in a packed buffer (int and
// smaller types as 4 bytes, long, double and pointers as 8 bytes, each at a multiple of its size).

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace tessera::ptx {

/// A conversion that C's printf can have and this one does not support. The caller adds the thread
/// to the message.
class UnknownConversion : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Access to the arguments of one thread's printf.
struct PrintfArguments {
  /// The `bytes` (4 or 8) at `offset` of the buffer.
  std::function<std::uint64_t(std::uint64_t offset, unsigned bytes)> word;
  /// The string that a %s argument points to.
  std::function<std::string(std::uint64_t address)> string;
};

struct PrintfText {
  std::string text;
  unsigned arguments = 0;  ///< number of arguments of the format, the result of the call
};

/// Supports %d %i %u %o %x %X %c %s %p %e %f %g %a (and E F G A) with flags, width, precision, h,
/// hh, l, ll, j, z and t, and %%. Throws UnknownConversion with the name of any other conversion.
PrintfText format_printf(const std::string& format, const PrintfArguments& arguments);

}  // namespace tessera::ptx
