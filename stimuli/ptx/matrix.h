// SPDX-License-Identifier: Apache-2.0
#pragma once

// Layout of wmma fragments (not defined by PTX ISA 9.7.14), and the parameters of the handlers of
// alu_matrix.cpp.
//
// A fragment is its matrix, packed line by line. A line is contiguous in memory: a row of a .row
// matrix, a column of a .col matrix. Lane i holds bytes [i * w, (i + 1) * w) of each block of 32 *
// w bytes; w is 16, or less for a matrix of less than 512 bytes. One vector access of w bytes per
// lane therefore moves 32 * w bytes of whole lines. Accumulators are always packed by rows.

#include <cstdint>

namespace tessera::ptx {

/// Bytes per lane of each block of a fragment of `bytes` bytes (128 to 1024).
constexpr unsigned fragment_lane_bytes(unsigned bytes) { return bytes < 512 ? bytes / 32 : 16; }
/// 32-bit registers per lane of a fragment of `bytes` bytes (128 to 1024).
constexpr unsigned fragment_registers(unsigned bytes) { return bytes / 128; }
/// Vector accesses of a fragment of `bytes` bytes.
constexpr unsigned fragment_accesses(unsigned bytes) {
  return bytes / (32 * fragment_lane_bytes(bytes));
}

/// Decoded::aux of "_wmma_address": results 0 and 1, base at 2, stride in elements at 3, at 5 the
/// list of registers to clear.
struct FragmentAddress {
  std::uint32_t lane_bytes = 16;
  std::uint32_t line_shift = 5;     ///< log2 of the bytes of a line
  std::uint32_t element_shift = 1;  ///< log2 of the bytes of an element
  std::uint32_t accesses = 1;
  std::uint32_t cleared = 0;  ///< registers in the list
  std::uint32_t wide_base = 1;

  constexpr std::uint32_t pack() const {
    return lane_bytes | line_shift << 8 | element_shift << 12 | accesses << 16 | cleared << 20 |
           wide_base << 24;
  }
  static constexpr FragmentAddress unpack(std::uint32_t v) {
    return {v & 255u, v >> 8 & 15u, v >> 12 & 15u, v >> 16 & 15u, v >> 20 & 15u, v >> 24 & 1u};
  }
};

/// Decoded::aux of "_wmma_transpose": at 5 the list of source registers, then of destinations.
struct FragmentTranspose {
  std::uint32_t lines = 16;      ///< of the source
  std::uint32_t positions = 16;  ///< elements per line
  std::uint32_t element_bytes = 4;

  constexpr std::uint32_t pack() const { return lines | positions << 8 | element_bytes << 16; }
  static constexpr FragmentTranspose unpack(std::uint32_t v) {
    return {v & 255u, v >> 8 & 255u, v >> 16 & 15u};
  }
};

/// Decoded::aux of "_wmma_multiply": at 5 the list of registers of A, B, C and D.
struct MatrixProduct {
  static constexpr std::uint32_t kDepth = 16;  ///< K of all shapes

  std::uint32_t rows = 16;     ///< M
  std::uint32_t columns = 16;  ///< N
  std::uint32_t a_by_rows = 1;
  std::uint32_t b_by_rows = 0;
  std::uint32_t bfloat = 0;    ///< 1: A and B are .bf16; 0: .f16
  std::uint32_t c_single = 1;  ///< 1: C is .f32; 0: .f16
  std::uint32_t d_single = 1;
  std::uint32_t integer = 0;    ///< A and B are .u8 or .s8, C and D .s32
  std::uint32_t is_signed = 0;  ///< .s8
  std::uint32_t saturates = 0;  ///< .satfinite: sums saturate at the range of .s32

  constexpr std::uint32_t pack() const {
    return rows | columns << 8 | a_by_rows << 16 | b_by_rows << 17 | bfloat << 18 | c_single << 19 |
           d_single << 20 | integer << 21 | is_signed << 22 | saturates << 23;
  }
  static constexpr MatrixProduct unpack(std::uint32_t v) {
    return {v & 255u,     v >> 8 & 255u, v >> 16 & 1u, v >> 17 & 1u, v >> 18 & 1u,
            v >> 19 & 1u, v >> 20 & 1u,  v >> 21 & 1u, v >> 22 & 1u, v >> 23 & 1u};
  }
};

/// Issue cost of a matrix multiply-add on Unit::kSfu, whose issue interval is 4 cycles by default:
/// 4096 multiply-adds take 16 cycles of one of an SM's two schedulers. This is 512 per cycle and
/// SM, the rate of NVIDIA's V100 (125 TFLOP/s published: 80 SMs * 1.53 GHz * 1024 operations).
constexpr std::uint32_t kProductsPerCost = 1024;

}  // namespace tessera::ptx
