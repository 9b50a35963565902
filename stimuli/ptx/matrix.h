// SPDX-License-Identifier: Apache-2.0
#pragma once

// Element types of matrix instructions, layout of wmma fragments (not defined by PTX ISA 9.7.14),
// and the parameters of the handlers of alu_matrix.cpp. mma.h has the layout of mma.
//
// A fragment is its matrix, packed line by line. A line is contiguous in memory: a row of a .row
// matrix, a column of a .col matrix. Lane i holds bytes [i * w, (i + 1) * w) of each block of 32 *
// w bytes; w is 16, or less for a matrix of less than 512 bytes. One vector access of w bytes per
// lane therefore moves 32 * w bytes of whole lines. Accumulators are always packed by rows.

#include <algorithm>
#include <cstdint>
#include <string>

namespace tessera::ptx {

/// Types of A and B.
enum class MatrixType : std::uint8_t {
  kF16,
  kBf16,
  kTf32,
  kE4m3,  ///< mma only, as the next
  kE5m2,
  kS8,
  kU8,
  kS4,
  kU4,
  kB1,
  kF64
};

/// The type of a modifier ("bf16"). Returns false if it names none.
bool find_matrix_type(const std::string& name, MatrixType& type);

constexpr unsigned matrix_bits(MatrixType t) {
  switch (t) {
    case MatrixType::kF64:
      return 64;
    case MatrixType::kTf32:
      return 32;
    case MatrixType::kF16:
    case MatrixType::kBf16:
      return 16;
    case MatrixType::kE4m3:
    case MatrixType::kE5m2:
    case MatrixType::kS8:
    case MatrixType::kU8:
      return 8;
    case MatrixType::kS4:
    case MatrixType::kU4:
      return 4;
    case MatrixType::kB1:
      return 1;
  }
  return 16;
}
constexpr bool is_integer_matrix(MatrixType t) {
  return t >= MatrixType::kS8 && t <= MatrixType::kB1;
}

/// Bytes per lane of each block of a fragment of `bytes` bytes (128 to 1024).
constexpr unsigned fragment_lane_bytes(unsigned bytes) { return bytes < 512 ? bytes / 32 : 16; }
/// Registers of `width` bytes (4, or 8 for .f64) per lane of a fragment of `bytes` bytes.
constexpr unsigned fragment_registers(unsigned bytes, unsigned width = 4) {
  return bytes / 32 / width;
}
/// Vector accesses of a fragment of `bytes` bytes.
constexpr unsigned fragment_accesses(unsigned bytes) {
  return bytes / (32 * fragment_lane_bytes(bytes));
}

/// Decoded::aux of "_wmma_address": results 0 and 1, base at 2, stride in elements at 3, at 5 the
/// list of registers to clear.
struct FragmentAddress {
  std::uint32_t lane_bytes = 16;
  std::uint32_t line_shift = 5;  ///< log2 of the bytes of a line
  std::uint32_t bit_shift = 4;   ///< log2 of the bits of an element
  std::uint32_t accesses = 1;
  std::uint32_t cleared = 0;  ///< registers in the list
  std::uint32_t wide_base = 1;

  constexpr std::uint32_t pack() const {
    return lane_bytes | line_shift << 8 | bit_shift << 12 | accesses << 16 | cleared << 20 |
           wide_base << 24;
  }
  static constexpr FragmentAddress unpack(std::uint32_t v) {
    return {v & 255u, v >> 8 & 15u, v >> 12 & 15u, v >> 16 & 15u, v >> 20 & 15u, v >> 24 & 1u};
  }
};

/// Decoded::aux of "_wmma_transpose": at 5 the list of source registers, then of destinations. The
/// registers have 8 bytes if the elements have, otherwise 4.
struct FragmentTranspose {
  std::uint32_t lines = 16;      ///< of the source
  std::uint32_t positions = 16;  ///< elements per line
  std::uint32_t element_bytes = 4;

  constexpr std::uint32_t pack() const { return lines | positions << 8 | element_bytes << 16; }
  static constexpr FragmentTranspose unpack(std::uint32_t v) {
    return {v & 255u, v >> 8 & 255u, v >> 16 & 15u};
  }
};

/// At slot 4 of the wmma multiply handlers, in the constant bank; at 5 the list of registers of A,
/// B, C and D.
struct MatrixProduct {
  MatrixType type = MatrixType::kF16;  ///< of A and B
  std::uint8_t rows = 16;              ///< M
  std::uint8_t columns = 16;           ///< N
  std::uint8_t depth = 16;             ///< K
  bool a_by_rows = true;
  bool b_by_rows = false;
  bool c_half = false;  ///< C is .f16
  bool d_half = false;
  bool saturates = false;  ///< .satfinite: sums saturate at the range of .s32
  bool exclusive = false;  ///< .b1: .xor, otherwise .and
};

/// Issue cost of a matrix multiply-add of .f16 on Unit::kSfu, whose issue interval is 4 cycles by
/// default: 4096 multiply-adds take 16 cycles of one of an SM's two schedulers. This is 512 per
/// cycle and SM, the rate of NVIDIA's V100 (125 TFLOP/s published: 80 SMs * 1.53 GHz * 1024
/// operations).
constexpr std::uint32_t kProductsPerCost = 1024;

/// The cost of `products` multiply-adds. The ratios to .f16 are those of NVIDIA's published rates
/// for the A100 and, for FP8, the H100.
constexpr unsigned matrix_cost(MatrixType t, unsigned products) {
  unsigned times = 1;
  unsigned per = 1;
  switch (t) {
    case MatrixType::kF64:
      per = 16;
      break;
    case MatrixType::kTf32:
      per = 2;
      break;
    case MatrixType::kF16:
    case MatrixType::kBf16:
      break;
    case MatrixType::kE4m3:
    case MatrixType::kE5m2:
    case MatrixType::kS8:
    case MatrixType::kU8:
      times = 2;
      break;
    case MatrixType::kS4:
    case MatrixType::kU4:
      times = 4;
      break;
    case MatrixType::kB1:
      times = 16;
      break;
  }
  return std::max(1u, products * per / (kProductsPerCost * times));
}

}  // namespace tessera::ptx
