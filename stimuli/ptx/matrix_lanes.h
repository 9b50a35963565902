// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elements of matrices in registers, for the handler files alu_matrix.cpp and alu_mma.cpp only.

#include "stimuli/ptx/float_lanes.h"
#include "stimuli/ptx/half.h"
#include "stimuli/ptx/matrix.h"
#include "stimuli/ptx/small_float.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

struct MatrixTag {};

inline f32 fp8(MatrixType type, u32 code) {
  using E4m3 = SmallFloat<MatrixTag, 3, 7, 0x7e, 0x7e>;
  using E5m2 = SmallFloat<MatrixTag, 2, 15, 0x7b, 0x7b>;
  const u32 magnitude = code & 0x7fu;
  const bool e4m3 = type == MatrixType::kE4m3;
  f64 v = 0;
  if (!e4m3 && magnitude == 0x7c) {
    v = __builtin_inf();
  } else if (magnitude > (e4m3 ? 0x7eu : 0x7bu)) {
    v = __builtin_nan("");
  } else {
    v = e4m3 ? E4m3::value(magnitude) : E5m2::value(magnitude);
  }
  return static_cast<f32>((code & 0x80u) != 0 ? -v : v);
}

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
      return fp8(type, bits >> (8 * e) & 0xffu);
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
