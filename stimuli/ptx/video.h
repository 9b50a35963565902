// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decoded video instructions (PTX ISA 9.7.17): what slot 5 of "_video" refers to, in the constant
// bank.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::ptx {

struct VideoForm {
  enum class Operation : std::uint8_t {
    kAdd,
    kSubtract,
    kAbsoluteDifference,
    kMinimum,
    kMaximum,
    kAverage,    ///< SIMD only
    kShiftLeft,  ///< scalar only, as the next two
    kShiftRight,
    kMultiplyAdd,
    kCompare
  };
  enum class Compare : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };
  enum class Second : std::uint8_t { kNone, kAdd, kMinimum, kMaximum };

  /// Bits of a source: bits [position, position + width) of the 64-bit value {b, a}.
  struct Part {
    std::uint8_t position = 0;
    std::uint8_t width = 32;
  };

  Operation operation = Operation::kAdd;
  Compare compare = Compare::kEq;
  Second second = Second::kNone;  ///< combines the result with c; SIMD: kAdd only
  std::uint8_t parts = 1;         ///< 1: scalar; 2 half-words; 4 bytes
  bool d_signed = false;
  bool a_signed = false;
  bool b_signed = false;
  bool saturates = false;  ///< .sat
  bool wraps = false;      ///< .wrap of a shift
  std::array<Part, 4> a{};
  std::array<Part, 4> b{};
  /// Scalar: the bits of d that receive the result, if not all; the others are those of c.
  Part merge{};
  /// SIMD: the parts that are computed, one bit each; the others are those of c.
  std::uint8_t mask = 15;
  // vmad.
  bool negates_product = false;
  bool negates_c = false;
  bool plus_one = false;   ///< .po
  std::uint8_t scale = 0;  ///< bits of the right shift: 0, 7 or 15
};

/// The opcodes of video instructions ("vadd", "vadd2").
std::vector<std::string> video_opcodes();

}  // namespace tessera::ptx
