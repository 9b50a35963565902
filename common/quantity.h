// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers with a unit in text ("64K", "1.4GHz", "720 GB/s"), for a parameter whose own unit is
// known.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// A number in the unit of its parameter: digits x factor x 10^power, without rounding.
struct Quantity {
  std::uint64_t digits = 0;
  std::uint64_t factor = 1;
  int power = 0;

  /// Empty if the number is not whole or exceeds 64 bits.
  std::optional<std::uint64_t> whole() const;
  double real() const;
};

/// Reads a decimal number of 18 digits at most (a fraction and an exponent are allowed), optional
/// spaces, and a suffix that converts to `unit`:
///
/// * Sizes ("byte"): K, M, G, T are powers of 1024; KB and KiB mean the same; B is 1.
/// * Symbols ("Hz", "GB/s", "ns", "pJ/bit"): the symbol with another decimal prefix: T, G, M, k
///   (or K), none, m, u, n, p, f. Frequencies and bandwidths have no prefix below 1. Of "Hz" and
///   "byte/s" the prefix alone is enough (1.4G).
/// * Other units ("cycle", "set"): the word, singular or plural, without a prefix.
///
/// Empty if the text is not of this form. `why` is then the end of a message ("; 'GB' is no suffix
/// of Hz: ..."), or empty if the text is no number with a suffix.
std::optional<Quantity> read_quantity(std::string_view text, const std::string& unit,
                                      std::string& why);

/// The prefixed suffixes that a value of this unit can have ("K, M, G, T (powers of 1024)"); empty
/// if there are none.
std::string suffixes_of(const std::string& unit);

}  // namespace tessera
