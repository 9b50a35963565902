// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decoded SIMD video instructions (PTX ISA 9.7.17): Decoded::aux of "_video".

#include <cstdint>

namespace tessera::ptx {

struct VideoForm {
  enum class Operation : std::uint8_t { kAdd, kSubtract, kAbsoluteDifference, kMinimum, kMaximum };

  Operation operation = Operation::kAdd;
  std::uint32_t parts = 4;  ///< parts of a register: 4 bytes or 2 half-words
  bool d_signed = false;
  bool a_signed = false;
  bool b_signed = false;
  bool saturates = false;    ///< .sat
  bool accumulates = false;  ///< .add

  std::uint32_t pack() const {
    return static_cast<std::uint32_t>(operation) | parts << 4 | (d_signed ? 1u : 0u) << 8 |
           (a_signed ? 1u : 0u) << 9 | (b_signed ? 1u : 0u) << 10 | (saturates ? 1u : 0u) << 11 |
           (accumulates ? 1u : 0u) << 12;
  }
  static VideoForm unpack(std::uint32_t v) {
    const auto bit = [&](unsigned i) { return (v >> i & 1u) != 0; };
    return {
        static_cast<Operation>(v & 15u), v >> 4 & 15u, bit(8), bit(9), bit(10), bit(11), bit(12)};
  }
};

}  // namespace tessera::ptx
