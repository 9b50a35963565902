// SPDX-License-Identifier: Apache-2.0
#pragma once

// Floating-point helpers shared by the handler files. NaN results are canonical, so that they do
// not depend on the host's operand order (PTX ISA 9.7.3: 0x7fffffff for .f32).

#include <limits>

#include "stimuli/ptx/lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

inline f32 as_f32(u32 bits) {
  f32 v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}
inline u32 bits_of(f32 v) {
  u32 b;
  __builtin_memcpy(&b, &v, sizeof b);
  return b;
}
inline f64 as_f64(u64 bits) {
  f64 v;
  __builtin_memcpy(&v, &bits, sizeof v);
  return v;
}
inline u64 bits_of(f64 v) {
  u64 b;
  __builtin_memcpy(&b, &v, sizeof b);
  return b;
}

/// Applies F to both halves of a .f32x2.
template <auto F>
struct Both;
template <class... A, f32 (*F)(A...)>
struct Both<F> {
  template <class>
  using Pair = u64;
  static u64 run(Pair<A>... a) {
    const u64 low = bits_of(F(as_f32(static_cast<u32>(a))...));
    const u64 high = bits_of(F(as_f32(static_cast<u32>(a >> 32))...));
    return high << 32 | low;
  }
};

template <class T>
T canonical_nan() {
  if constexpr (std::is_same_v<T, f32>)
    return as_f32(0x7fffffffu);
  else
    return as_f64(0xfff8000000000000u);
}
template <class T>
bool is_nan(T v) {
  return v != v;
}
/// `v`, or the canonical NaN if `v` is a NaN.
template <class T>
T settled(T v) {
  return is_nan(v) ? canonical_nan<T>() : v;
}

inline f32 flush(f32 v) {
  const u32 b = bits_of(v);
  return as_f32((b & 0x7f800000u) == 0 ? b & 0x80000000u : b);
}
template <bool kFtz>
f32 in(f32 v) {
  return kFtz ? flush(v) : v;
}
template <bool kFtz>
f64 in(f64 v) {
  return v;
}
inline f32 clamp01(f32 v) { return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f; }
inline f64 clamp01(f64 v) { return v > 0.0 ? (v < 1.0 ? v : 1.0) : 0.0; }

/// Final step of every arithmetic result: flush, saturate, canonical NaN.
template <bool kFtz, bool kSat, class T>
T out(T v) {
  const T flushed = in<kFtz>(v);
  return kSat ? clamp01(flushed) : settled(flushed);
}

template <class T>
T fused(T a, T b, T c) {
  if constexpr (std::is_same_v<T, f32>)
    return __builtin_fmaf(a, b, c);
  else
    return __builtin_fma(a, b, c);
}
template <class T>
T root(T a) {
  if constexpr (std::is_same_v<T, f32>)
    return __builtin_sqrtf(a);
  else
    return __builtin_sqrt(a);
}

/// Rounding modes to integral values: rni, rzi, rmi, rpi in PTX.
enum class Round { kNearest, kZero, kDown, kUp };

template <Round kRound, class T>
T integral(T v) {
  if constexpr (std::is_same_v<T, f32>) {
    if constexpr (kRound == Round::kNearest)
      return __builtin_rintf(v);
    else if constexpr (kRound == Round::kZero)
      return __builtin_truncf(v);
    else if constexpr (kRound == Round::kDown)
      return __builtin_floorf(v);
    else
      return __builtin_ceilf(v);
  } else {
    if constexpr (kRound == Round::kNearest)
      return __builtin_rint(v);
    else if constexpr (kRound == Round::kZero)
      return __builtin_trunc(v);
    else if constexpr (kRound == Round::kDown)
      return __builtin_floor(v);
    else
      return __builtin_ceil(v);
  }
}

/// Saturates values out of range. A NaN becomes 0, or, if source or destination has 64 bits, the
/// value with only the top bit set.
template <class D, class S, Round kRound, bool kFtz>
D float_to_int(S value) {
  constexpr D low = std::numeric_limits<D>::min();
  constexpr D high = std::numeric_limits<D>::max();
  constexpr bool wide = sizeof(D) == 8 || sizeof(S) == 8;
  constexpr D for_nan =
      wide ? static_cast<D>(std::make_unsigned_t<D>{1} << (8 * sizeof(D) - 1)) : 0;
  // The first value above the range, a power of two, which is exact in both formats.
  constexpr S above = static_cast<S>(D{1} << (8 * sizeof(D) - 2)) * (std::is_signed_v<D> ? 2 : 4);
  const S v = integral<kRound>(in<kFtz>(value));
  if (is_nan(v)) return for_nan;
  if (v >= above) return high;
  if (v <= (std::is_signed_v<D> ? -above : S{0})) return low;
  return static_cast<D>(v);
}

}  // namespace
}  // namespace tessera::ptx::TESSERA_PTX_SIMD
