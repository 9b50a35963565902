// SPDX-License-Identifier: Apache-2.0
#pragma once

// mma.sync (PTX ISA 9.7.14.5): the layout of its fragments and the parameters of its handlers.
//
// Unlike those of wmma (matrix.h), these fragments are defined by the manual. Lane i belongs to
// group i / 4 and has the position i % 4 in it. A register of A or B has `per_register` elements of
// one row of A (column of B). Register r of A has row group + 8 * (r % (rows / 8)); register r of B
// has column group. Its first k is position * per_register + block * 4 * per_register, where the
// block counts the registers of one row. Elements 2 h and 2 h + 1 of C and D have row group + 8 * h
// and columns 2 * position and 2 * position + 1.

#include "stimuli/ptx/matrix.h"

namespace tessera::ptx {

struct MmaForm {
  static constexpr unsigned kColumns = 8;     ///< N of all shapes
  static constexpr unsigned kMostDepth = 64;  ///< K, except of .b1

  MatrixType a = MatrixType::kF16;
  MatrixType b = MatrixType::kF16;
  std::uint8_t rows = 16;    ///< M
  std::uint16_t depth = 16;  ///< K
  bool c_half = false;       ///< C is .f16
  bool d_half = false;
  bool saturates = false;  ///< .satfinite
  bool exclusive = false;  ///< .b1: .xor, otherwise .and
  /// m8n8k4 of .f16: four products of four lanes in each half of the warp, with their own layout.
  bool quads = false;
  bool a_by_rows = true;  ///< of quads
  bool b_by_rows = false;
};

/// Elements of a register, which has 64 bits for .f64 and 32 bits otherwise.
constexpr unsigned mma_per_register(MatrixType t) {
  return t == MatrixType::kF64 ? 1 : 32 / matrix_bits(t);
}
/// Registers of a lane for `elements` elements of the warp.
constexpr unsigned mma_registers(MatrixType t, unsigned elements) {
  return elements / 32 / mma_per_register(t);
}

}  // namespace tessera::ptx
