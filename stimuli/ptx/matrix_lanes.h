// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elements of matrices in registers, for the handler files alu_matrix.cpp and alu_mma.cpp only.

#include "common/half.h"
#include "common/small_float.h"
#include "stimuli/ptx/float_lanes.h"
#include "stimuli/ptx/matrix.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

struct MatrixTag {};

/// Element e of a register as a number. The lower 13 bits of a .tf32 are ignored.
inline f32 float_element(MatrixType type, u32 bits, unsigned e) {
  switch (type) {
    case MatrixType::kF16:
      return HalfBits<MatrixTag>::to_float(static_cast<u16>(bits >> (16 * e)));
    case MatrixType::kBf16:
      return as_f32(bits >> (16 * e) << 16);
    case MatrixType::kTf32:
      return as_f32(bits & 0xffffe000u);
    default:
      return static_cast<f32>(
          fp8_value<MatrixTag>(type == MatrixType::kE4m3, bits >> (8 * e) & 0xffu));
  }
}
inline s32 integer_element(MatrixType type, u32 bits, unsigned e) {
  switch (type) {
    case MatrixType::kS8:
      return static_cast<s8>(bits >> (8 * e));
    case MatrixType::kU8:
      return static_cast<u8>(bits >> (8 * e));
    case MatrixType::kS4:
      return static_cast<s32>(bits << (28 - 4 * e)) >> 28;
    default:
      return static_cast<s32>(bits >> (4 * e) & 15u);
  }
}

/// The sum of an element of D in 32 bits, which wrap or saturate.
inline s32 finish_integer(s64 total, bool saturates) {
  if (saturates) {
    total = total < s64{INT32_MIN} ? s64{INT32_MIN} : total;
    total = total > s64{INT32_MAX} ? s64{INT32_MAX} : total;
  }
  return static_cast<s32>(total);
}

}  // namespace
}  // namespace tessera::ptx::TESSERA_PTX_SIMD
