// SPDX-License-Identifier: Apache-2.0
#pragma once

// Constant expressions (PTX ISA 4.5). Internal to the parser.

#include <cstdint>
#include <cstring>

#include "stimuli/ptx/lexer.h"

namespace tessera::ptx {

/// Value of a constant expression: 64 bits, signed unless is_unsigned, or a double's bits.
struct Constant {
  bool is_float = false;
  bool is_unsigned = false;
  /// Written 0f........, possibly with a sign: exact in single precision.
  bool is_f32 = false;
  std::uint64_t bits = 0;
};

inline double double_of_bits(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Whether the current token can begin a constant expression (a number, WARP_SZ, a sign, "(").
bool at_constant(const TokenStream& in);

/// Parses a constant expression with C's precedences. Throws InputError, also for division by zero,
/// a shift by more than 63 and excessive nesting.
Constant parse_constant(TokenStream& in);

/// Parses one term of a sum.
Constant parse_constant_term(TokenStream& in);

/// Like parse_constant; the result must be an integer.
std::uint64_t parse_integer(TokenStream& in);

}  // namespace tessera::ptx
