// SPDX-License-Identifier: Apache-2.0
// FP8 conversions (PTX ISA 9.7.9, cvt), arithmetic of bfloat16 (9.7.4), and fns (9.7.1).

#include "stimuli/ptx/float_lanes.h"
#include "stimuli/ptx/half.h"
#include "stimuli/ptx/small_float.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

struct NarrowTag {};
using HalfMath = HalfBits<NarrowTag>;
using BfloatMath = BfloatBits<NarrowTag>;
using E4m3 = SmallFloat<NarrowTag, 3, 7, 0x7e, 0x7e>;   // 448; no infinities, NaN is 0x7f
using E5m2 = SmallFloat<NarrowTag, 2, 15, 0x7b, 0x7b>;  // 57344; infinity 0x7c, NaN above
using Bf16 = SmallFloat<NarrowTag, 7, 127, 0x7f7f, 0x7f80>;

constexpr u32 kNan8 = 0x7f;
constexpr u16 kNan16 = 0x7fff;

bool negative(f64 v) { return (bits_of(v) >> 63) != 0; }

/// .satfinite: values out of range and infinities become the largest finite value of the same sign.
template <class F, bool kRelu>
u32 to_fp8(f64 v) {
  if (is_nan(v)) return kNan8;
  if (kRelu && negative(v)) return 0;
  return F::magnitude(v) | (negative(v) ? 0x80u : 0u);
}
/// The first operand is the upper half.
template <class F, bool kRelu>
Half singles_to_fp8(f32 a, f32 b) {
  return Half{static_cast<u16>(to_fp8<F, kRelu>(f64{a}) << 8 | to_fp8<F, kRelu>(f64{b}))};
}
template <class F, bool kRelu>
Half halves_to_fp8(Half2 a) {
  const f32 low = HalfMath::to_float(static_cast<u16>(a.bits));
  const f32 high = HalfMath::to_float(static_cast<u16>(a.bits >> 16));
  return singles_to_fp8<F, kRelu>(high, low);
}

template <class F>
bool is_finite8(u32 magnitude);
template <>
bool is_finite8<E4m3>(u32 magnitude) {
  return magnitude != kNan8;
}
template <>
bool is_finite8<E5m2>(u32 magnitude) {
  return magnitude < 0x7c;
}

template <class F, bool kRelu>
u32 from_fp8(u32 code) {
  const u32 magnitude = code & 0x7fu;
  const bool infinite = !is_finite8<F>(magnitude) && magnitude == 0x7c;
  if (!is_finite8<F>(magnitude) && !infinite) return kNan16;
  if (kRelu && (code & 0x80u) != 0) return 0;
  const u32 half = infinite ? 0x7c00u : HalfMath::from_double(F::value(magnitude));
  return half | (code & 0x80u) << 8;
}
template <class F, bool kRelu>
Half2 fp8_to_halves(Half pair) {
  return Half2{from_fp8<F, kRelu>(pair.bits >> 8) << 16 | from_fp8<F, kRelu>(pair.bits & 0xffu)};
}

template <class F, bool kRelu>
void fp8(AluTable& t, const char* type) {
  const char* relu = kRelu ? "satfinite.relu" : "satfinite";
  map<singles_to_fp8<F, kRelu>>(t, Unit::kAlu, 1, "cvt", "rn", relu, type, "f32");
  map<halves_to_fp8<F, kRelu>>(t, Unit::kAlu, 1, "cvt", "rn", relu, type, "f16x2");
  map<fp8_to_halves<F, kRelu>>(t, Unit::kAlu, 1, "cvt", "rn", kRelu ? "relu" : "", "f16x2", type);
}

/// Rounding of bfloat16 arithmetic: once, to nearest even, with subnormals; NaN is 0x7fff.
u16 to_bf16(f64 v) {
  if (is_nan(v)) return kNan16;
  return static_cast<u16>(Bf16::magnitude(v) | (negative(v) ? 0x8000u : 0u));
}
f64 from_bf16(u16 b) { return BfloatMath::to_float(b); }
bool nan_bf16(u16 b) { return (b & 0x7fffu) > 0x7f80u; }
u16 relu_bf16(u16 b) { return !nan_bf16(b) && (b & 0x8000u) != 0 ? u16{0} : b; }

u16 add_bf16(u16 a, u16 b) { return to_bf16(sum_to_odd<NarrowTag>(from_bf16(a), from_bf16(b))); }
u16 sub_bf16(u16 a, u16 b) { return to_bf16(sum_to_odd<NarrowTag>(from_bf16(a), -from_bf16(b))); }
u16 mul_bf16(u16 a, u16 b) { return to_bf16(from_bf16(a) * from_bf16(b)); }
u16 fma_bf16(u16 a, u16 b, u16 c) {
  return to_bf16(sum_to_odd<NarrowTag>(from_bf16(a) * from_bf16(b), from_bf16(c)));
}
u16 fma_relu_bf16(u16 a, u16 b, u16 c) { return relu_bf16(fma_bf16(a, b, c)); }
u16 neg_bf16(u16 a) { return static_cast<u16>(a ^ 0x8000u); }
u16 abs_bf16(u16 a) { return static_cast<u16>(a & 0x7fffu); }

template <bool kMax, bool kNan>
u16 extreme_bf16(u16 a, u16 b) {
  if (nan_bf16(a) || nan_bf16(b)) {
    if (kNan || (nan_bf16(a) && nan_bf16(b))) return kNan16;
    return nan_bf16(a) ? b : a;
  }
  const f64 p = from_bf16(a);
  const f64 q = from_bf16(b);
  if (p == q) return kMax ? (a & b) : (a | b);  // two zeros are ordered by sign
  return (kMax ? p > q : p < q) ? a : b;
}

/// Applies F to a bfloat16, or to both of a pair.
template <auto F>
struct Lift;
template <class... A, u16 (*F)(A...)>
struct Lift<F> {
  template <class>
  using B = Bfloat;
  template <class>
  using B2 = Half2;
  static Bfloat one(B<A>... a) { return Bfloat{F(a.bits...)}; }
  static Half2 two(B2<A>... a) {
    const u32 low = F(static_cast<u16>(a.bits)...);
    const u32 high = F(static_cast<u16>(a.bits >> 16)...);
    return Half2{high << 16 | low};
  }
};

template <auto F>
void both(AluTable& t, const char* opcode, const char* modifier = "") {
  map<Lift<F>::one>(t, Unit::kAlu, 1, opcode, modifier, "bf16");
  map<Lift<F>::two>(t, Unit::kAlu, 1, opcode, modifier, "bf16x2");
}

template <bool kRelu, bool kTruncate>
u16 single_to_bf16(f32 v) {
  if (is_nan(v)) return kNan16;
  const u16 b = kTruncate ? static_cast<u16>(bits_of(v) >> 16) : BfloatMath::from_float(v);
  return kRelu ? relu_bf16(b) : b;
}
template <bool kRelu, bool kTruncate>
Bfloat to_one(f32 v) {
  return Bfloat{single_to_bf16<kRelu, kTruncate>(v)};
}
template <bool kRelu, bool kTruncate>
Half2 to_pair(f32 a, f32 b) {
  const u32 high = single_to_bf16<kRelu, kTruncate>(a);
  return Half2{high << 16 | single_to_bf16<kRelu, kTruncate>(b)};
}
template <bool kRelu, bool kTruncate>
void bf16_conversions(AluTable& t) {
  const char* round = kTruncate ? "rz" : "rn";
  const char* relu = kRelu ? "relu" : "";
  map<to_one<kRelu, kTruncate>>(t, Unit::kAlu, 1, "cvt", round, relu, "bf16", "f32");
  map<to_pair<kRelu, kTruncate>>(t, Unit::kAlu, 1, "cvt", round, relu, "bf16x2", "f32");
}

/// Converts an integer by two exact parts, so that 64 bits are rounded once.
template <class T>
Bfloat int_to_bf16(T v) {
  const auto low = static_cast<u32>(v);
  const s64 high = (static_cast<s64>(v) - s64{low}) / (s64{1} << 32);
  return Bfloat{
      to_bf16(sum_to_odd<NarrowTag>(static_cast<f64>(high) * 0x1p32, static_cast<f64>(low)))};
}

/// The position of the n-th set bit of the mask from `base`, upwards or, if offset < 0, downwards;
/// all ones if there is none.
u32 find_nth_set(u32 mask, u32 base, u32 offset) {
  constexpr u32 kNone = 0xffffffffu;
  if (base > 31) return kNone;
  const auto n = static_cast<s32>(offset);
  if (n == 0) return (mask >> base & 1u) != 0 ? base : kNone;
  const int step = n > 0 ? 1 : -1;
  s64 left = n > 0 ? s64{n} : -s64{n};
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1u) != 0 && --left == 0) return static_cast<u32>(at);
  }
  return kNone;
}

}  // namespace

void add_narrow(AluTable& t);
void add_narrow(AluTable& t) {
  fp8<E4m3, false>(t, "e4m3x2");
  fp8<E4m3, true>(t, "e4m3x2");
  fp8<E5m2, false>(t, "e5m2x2");
  fp8<E5m2, true>(t, "e5m2x2");
  both<add_bf16>(t, "add");
  both<sub_bf16>(t, "sub");
  both<mul_bf16>(t, "mul");
  both<fma_bf16>(t, "fma");
  both<fma_relu_bf16>(t, "fma", "relu");
  both<neg_bf16>(t, "neg");
  both<abs_bf16>(t, "abs");
  both<extreme_bf16<false, false>>(t, "min");
  both<extreme_bf16<true, false>>(t, "max");
  both<extreme_bf16<false, true>>(t, "min", "NaN");
  both<extreme_bf16<true, true>>(t, "max", "NaN");
  bf16_conversions<true, false>(t);
  bf16_conversions<false, true>(t);
  bf16_conversions<true, true>(t);
  map<int_to_bf16<u8>>(t, Unit::kSfu, 1, "cvt", "rn", "bf16", "u8");
  map<int_to_bf16<s8>>(t, Unit::kSfu, 1, "cvt", "rn", "bf16", "s8");
  map<int_to_bf16<u16>>(t, Unit::kSfu, 1, "cvt", "rn", "bf16", "u16");
  map<int_to_bf16<s16>>(t, Unit::kSfu, 1, "cvt", "rn", "bf16", "s16");
  map<int_to_bf16<u32>>(t, Unit::kSfu, 1, "cvt", "rn", "bf16", "u32");
  map<int_to_bf16<s32>>(t, Unit::kSfu, 1, "cvt", "rn", "bf16", "s32");
  map<int_to_bf16<s64>>(t, Unit::kSfu, 2, "cvt", "rn", "bf16", "s64");
  map<find_nth_set>(t, Unit::kSfu, 4, "fns", "b32");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
