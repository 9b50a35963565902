// SPDX-License-Identifier: Apache-2.0
// Conversions from and to formats of less than 32 bits, and TF32 (PTX ISA 9.7.9, cvt), and
// cvt.pack.

#include "common/half.h"
#include "common/small_float.h"
#include "stimuli/ptx/float_lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

struct SmallTag {};
using HalfMath = HalfBits<SmallTag>;
using BfloatMath = BfloatBits<SmallTag>;
using F16 = SmallFloat<SmallTag, 10, 15, 0x7bff, 0x7c00>;
using B16 = Bf16<SmallTag>;
using E4m3 = tessera::E4m3<SmallTag>;
using E5m2 = tessera::E5m2<SmallTag>;
using E2m3 = SmallFloat<SmallTag, 3, 1, 0x1f, 0x1f>;  // 7.5; no infinities, no NaN
using E3m2 = SmallFloat<SmallTag, 2, 3, 0x1f, 0x1f>;  // 28; likewise
using E2m1 = SmallFloat<SmallTag, 1, 1, 0x7, 0x7>;    // 6; likewise

constexpr u32 kNan8 = 0x7f;
constexpr u16 kNan16 = 0x7fff;

bool negative(f64 v) { return (bits_of(v) >> 63) != 0; }

/// The source as a double: exact, or, for integers of 64 bits, rounded to odd.
template <class S>
f64 exact(S v) {
  if constexpr (std::is_same_v<S, Half>) {
    return HalfMath::to_float(v.bits);
  } else if constexpr (std::is_same_v<S, Bfloat>) {
    return BfloatMath::to_float(v.bits);
  } else if constexpr (std::is_integral_v<S> && sizeof(S) == 8) {
    const auto low = static_cast<u32>(v);
    using High = std::conditional_t<std::is_signed_v<S>, s32, u32>;
    const auto high = static_cast<High>(static_cast<u64>(v) >> 32);
    return sum_to_odd<SmallTag>(static_cast<f64>(high) * 0x1p32, static_cast<f64>(low));
  } else {
    return static_cast<f64>(v);
  }
}

template <Round kRound>
constexpr MagnitudeRound magnitude_round(bool is_negative) {
  if (kRound == Round::kNearest) return MagnitudeRound::kNearestEven;
  if (kRound == Round::kZero) return MagnitudeRound::kDown;
  return (kRound == Round::kDown) == is_negative ? MagnitudeRound::kUp : MagnitudeRound::kDown;
}

/// One copy of F::magnitude() for all instructions.
template <class F>
[[gnu::noinline]] u32 magnitude(f64 v, MagnitudeRound round = MagnitudeRound::kNearestEven) {
  return F::magnitude(v, round);
}

template <bool kFtz, bool kSat, bool kRelu = false, bool kFinite = false>
struct Modifiers {
  static constexpr bool ftz = kFtz;
  static constexpr bool sat = kSat;
  static constexpr bool relu = kRelu;
  static constexpr bool finite = kFinite;
};

/// Converts to a half (F16) or a bfloat16 (B16).
template <class F, Round kRound, class M, class S>
u16 to_16(S source) {
  constexpr u32 kInfinity = std::is_same_v<F, F16> ? 0x7c00 : 0x7f80;
  f64 v = exact(source);
  if constexpr (std::is_same_v<S, f32>) v = in<M::ftz>(source);
  if (M::sat) v = clamp01(v);
  if (is_nan(v)) return kNan16;
  if (M::relu && negative(v)) return 0;
  u32 code = magnitude<F>(v, magnitude_round<kRound>(negative(v)));
  if (M::finite && code == kInfinity) --code;
  return static_cast<u16>(code | (negative(v) ? 0x8000u : 0u));
}

template <class F>
using Register16 = std::conditional_t<std::is_same_v<F, F16>, Half, Bfloat>;
template <class F>
constexpr const char* name16() {
  return std::is_same_v<F, F16> ? "f16" : "bf16";
}

template <class F, Round kRound, class M, class S>
Register16<F> one(S v) {
  return Register16<F>{to_16<F, kRound, M>(v)};
}
/// The first operand is the upper half.
template <class F, Round kRound, class M>
Half2 two(f32 a, f32 b) {
  const u32 high = to_16<F, kRound, M>(a);
  return Half2{high << 16 | to_16<F, kRound, M>(b)};
}

template <Round kRound>
constexpr const char* round_name() {
  return kRound == Round::kNearest ? "rn"
         : kRound == Round::kZero  ? "rz"
         : kRound == Round::kDown  ? "rm"
                                   : "rp";
}

template <class F, Round kRound, class S>
void to_small(AluTable& t) {
  const char* round = round_name<kRound>();
  const char* to = name16<F>();
  constexpr Unit unit = std::is_integral_v<S>    ? Unit::kSfu
                        : std::is_same_v<S, f64> ? Unit::kFp64
                                                 : Unit::kAlu;
  constexpr unsigned cost = std::is_integral_v<S> && sizeof(S) == 8 ? 2 : 1;
  map<one<F, kRound, Modifiers<false, false>, S>>(t, unit, cost, "cvt", round, to, name_of<S>());
  map<one<F, kRound, Modifiers<false, true>, S>>(t, unit, cost, "cvt", round, "sat", to,
                                                 name_of<S>());
  if constexpr (std::is_same_v<S, f32>) {
    map<one<F, kRound, Modifiers<true, false>, S>>(t, unit, 1, "cvt", round, "ftz", to, "f32");
    map<one<F, kRound, Modifiers<true, true>, S>>(t, unit, 1, "cvt", round, "ftz.sat", to, "f32");
  }
}

template <class F, Round kRound>
void to_small_from_all(AluTable& t) {
  to_small<F, kRound, u8>(t);
  to_small<F, kRound, s8>(t);
  to_small<F, kRound, u16>(t);
  to_small<F, kRound, s16>(t);
  to_small<F, kRound, u32>(t);
  to_small<F, kRound, s32>(t);
  to_small<F, kRound, u64>(t);
  to_small<F, kRound, s64>(t);
  to_small<F, kRound, f32>(t);
  to_small<F, kRound, f64>(t);
  to_small<F, kRound, std::conditional_t<std::is_same_v<F, F16>, Bfloat, Half>>(t);
}

/// .relu and .satfinite, and pairs.
template <class F, Round kRound, bool kRelu, bool kFinite>
void clamped(AluTable& t) {
  using M = Modifiers<false, false, kRelu, kFinite>;
  const char* round = round_name<kRound>();
  const char* how = kRelu ? (kFinite ? "relu.satfinite" : "relu") : (kFinite ? "satfinite" : "");
  constexpr bool half = std::is_same_v<F, F16>;
  map<one<F, kRound, M, f32>>(t, Unit::kAlu, 1, "cvt", round, how, half ? "f16" : "bf16", "f32");
  map<two<F, kRound, M>>(t, Unit::kAlu, 1, "cvt", round, how, half ? "f16x2" : "bf16x2", "f32");
}
template <class F, Round kRound>
void all_clamped(AluTable& t) {
  clamped<F, kRound, false, false>(t);
  clamped<F, kRound, false, true>(t);
  clamped<F, kRound, true, false>(t);
  clamped<F, kRound, true, true>(t);
}

// From a half or a bfloat16.

template <class D, class S, bool kFtz, bool kSat>
D to_wide(S v) {
  return out<kFtz, kSat>(static_cast<D>(exact(v)));
}
template <class D, class S, Round kRound>
D to_integer(S v) {
  return float_to_int<D, f32, kRound, false>(static_cast<f32>(exact(v)));
}
template <class F, Round kRound>
Register16<F> to_integral(Register16<F> v) {
  return Register16<F>{
      to_16<F, Round::kNearest, Modifiers<false, false>>(integral<kRound>(exact(v)))};
}

template <class F, class D>
void small_to_int(AluTable& t) {
  using S = Register16<F>;
  constexpr unsigned cost = sizeof(D) == 8 ? 2 : 1;
  for (const char* sat : {"", "sat"}) {
    const auto add = [&](const char* round, Handler run) {
      t.add({run, Signature{1, 1, {Lane<D>::kKind, Kind::kF16}}, Unit::kSfu, cost}, "cvt", round,
            sat, name_of<D>(), name_of<S>());
    };
    add("rni", &Map<to_integer<D, S, Round::kNearest>>::run);
    add("rzi", &Map<to_integer<D, S, Round::kZero>>::run);
    add("rmi", &Map<to_integer<D, S, Round::kDown>>::run);
    add("rpi", &Map<to_integer<D, S, Round::kUp>>::run);
  }
}

template <class F>
void from_small(AluTable& t) {
  using S = Register16<F>;
  const char* from = name_of<S>();
  small_to_int<F, u8>(t);
  small_to_int<F, s8>(t);
  small_to_int<F, u16>(t);
  small_to_int<F, s16>(t);
  small_to_int<F, u32>(t);
  small_to_int<F, s32>(t);
  small_to_int<F, u64>(t);
  small_to_int<F, s64>(t);
  map<to_wide<f32, S, false, false>>(t, Unit::kAlu, 1, "cvt", "f32", from);
  map<to_wide<f32, S, true, false>>(t, Unit::kAlu, 1, "cvt", "ftz", "f32", from);
  map<to_wide<f32, S, false, true>>(t, Unit::kAlu, 1, "cvt", "sat", "f32", from);
  map<to_wide<f32, S, true, true>>(t, Unit::kAlu, 1, "cvt", "ftz", "sat", "f32", from);
  map<to_wide<f64, S, false, false>>(t, Unit::kFp64, 1, "cvt", "f64", from);
  map<to_wide<f64, S, false, true>>(t, Unit::kFp64, 1, "cvt", "sat", "f64", from);
  map<to_integral<F, Round::kNearest>>(t, Unit::kAlu, 1, "cvt", "rni", from, from);
  map<to_integral<F, Round::kZero>>(t, Unit::kAlu, 1, "cvt", "rzi", from, from);
  map<to_integral<F, Round::kDown>>(t, Unit::kAlu, 1, "cvt", "rmi", from, from);
  map<to_integral<F, Round::kUp>>(t, Unit::kAlu, 1, "cvt", "rpi", from, from);
}

template <class F>
void sixteen(AluTable& t) {
  to_small_from_all<F, Round::kNearest>(t);
  to_small_from_all<F, Round::kZero>(t);
  to_small_from_all<F, Round::kDown>(t);
  to_small_from_all<F, Round::kUp>(t);
  all_clamped<F, Round::kNearest>(t);
  all_clamped<F, Round::kZero>(t);
  from_small<F>(t);
}

// Pairs of 8 bits and less.

template <class F>
constexpr bool kHasNan = std::is_same_v<F, E4m3> || std::is_same_v<F, E5m2>;
template <class F>
constexpr unsigned kBits = std::is_same_v<F, E2m1> ? 4
                           : kHasNan<F>            ? 8
                                                   : 6;

/// .satfinite: values out of range and infinities become the largest finite value of the same sign;
/// a NaN becomes the NaN, or the largest value of a format without NaN.
template <class F, bool kRelu>
u32 to_code(f64 v) {
  if (is_nan(v)) return kHasNan<F> ? kNan8 : (1u << (kBits<F> - 1)) - 1;
  if (kRelu && negative(v)) return 0;
  return magnitude<F>(v) | (negative(v) ? 1u << (kBits<F> - 1) : 0u);
}
/// A register of a pair: 8 bits for FP4, 16 bits otherwise.
template <class F>
using PairOf = std::conditional_t<kBits<F> == 4, u8, u16>;
/// The first operand is the upper half.
template <class F, bool kRelu>
PairOf<F> singles_to_pair(f32 a, f32 b) {
  constexpr unsigned kShift = kBits<F> == 4 ? 4 : 8;
  return static_cast<PairOf<F>>(to_code<F, kRelu>(f64{a}) << kShift | to_code<F, kRelu>(f64{b}));
}
template <class F, bool kRelu>
PairOf<F> halves_to_pair(Half2 a) {
  return singles_to_pair<F, kRelu>(HalfMath::to_float(static_cast<u16>(a.bits >> 16)),
                                   HalfMath::to_float(static_cast<u16>(a.bits)));
}

template <class F, bool kRelu>
u32 from_code(u32 code) {
  constexpr u32 kSign = 1u << (kBits<F> - 1);
  const u32 magnitude = code & (kSign - 1);
  f64 value = F::value(magnitude);
  if constexpr (kHasNan<F>) value = fp8_value<SmallTag>(std::is_same_v<F, E4m3>, magnitude);
  if (value != value) return kNan16;
  const u32 half = HalfMath::from_double(value);
  if ((code & kSign) == 0) return half;
  return kRelu ? 0 : half | 0x8000u;
}
template <class F, bool kRelu>
Half2 pair_to_halves(PairOf<F> pair) {
  constexpr unsigned kShift = kBits<F> == 4 ? 4 : 8;
  constexpr u32 kMask = (1u << kBits<F>)-1;
  const u32 high = from_code<F, kRelu>(u32{pair} >> kShift & kMask);
  return Half2{high << 16 | from_code<F, kRelu>(u32{pair} & kMask)};
}

template <class F, bool kRelu>
void pair(AluTable& t, const char* type) {
  const char* how = kRelu ? "satfinite.relu" : "satfinite";
  map<singles_to_pair<F, kRelu>>(t, Unit::kAlu, 1, "cvt", "rn", how, type, "f32");
  if constexpr (kHasNan<F>) {
    map<halves_to_pair<F, kRelu>>(t, Unit::kAlu, 1, "cvt", "rn", how, type, "f16x2");
  }
  map<pair_to_halves<F, kRelu>>(t, Unit::kAlu, 1, "cvt", "rn", kRelu ? "relu" : "", "f16x2", type);
}
template <class F>
void both(AluTable& t, const char* type) {
  pair<F, false>(t, type);
  pair<F, true>(t, type);
}

// TF32: single precision with 10 bits of fraction; the lower 13 bits of the register are zeros.

enum class ToTf32 { kNearestAway, kNearestEven, kTruncate };

template <ToTf32 kRound, bool kFinite, bool kRelu>
u32 to_tf32(f32 v) {
  constexpr u32 kDropped = 0x1fff;
  if (is_nan(v)) return 0x7fffffffu;
  const u32 b = bits_of(v);
  if (kRelu && (b >> 31) != 0) return 0;
  u32 rounded = b;
  if (kRound == ToTf32::kNearestAway) rounded = b + 0x1000u;
  if (kRound == ToTf32::kNearestEven) rounded = b + 0xfffu + (b >> 13 & 1u);
  rounded &= ~kDropped;
  if (kFinite && (rounded & 0x7fffffffu) == 0x7f800000u) rounded -= 0x2000u;
  return rounded;
}

template <ToTf32 kRound, bool kFinite>
void tf32(AluTable& t, const char* round) {
  const Signature s{1, 1, {Kind::kI32, Kind::kF32}};
  const char* how = kFinite ? "satfinite" : "";
  t.add({&Map<to_tf32<kRound, kFinite, false>>::run, s, Unit::kAlu, 1}, "cvt", round, how, "tf32",
        "f32");
  if constexpr (kRound != ToTf32::kNearestAway) {
    t.add({&Map<to_tf32<kRound, kFinite, true>>::run, s, Unit::kAlu, 1}, "cvt", round,
          kFinite ? "satfinite.relu" : "relu", "tf32", "f32");
  }
}

// cvt.pack

template <unsigned kWidth, bool kSigned>
u32 clamped_bits(s32 v) {
  constexpr s64 high = (s64{1} << (kSigned ? kWidth - 1 : kWidth)) - 1;
  constexpr s64 low = kSigned ? -high - 1 : 0;
  const s64 bounded = v < low ? low : v > high ? high : v;
  return static_cast<u32>(bounded) & ((1u << kWidth) - 1);
}
template <unsigned kWidth, bool kSigned>
u32 packed(s32 a, s32 b) {
  return clamped_bits<kWidth, kSigned>(a) << kWidth | clamped_bits<kWidth, kSigned>(b);
}
/// The lower bits of c follow above the pair.
template <unsigned kWidth, bool kSigned>
u32 packed_onto(s32 a, s32 b, u32 c) {
  return packed<kWidth, kSigned>(a, b) | c << (2 * kWidth);
}

void packs(AluTable& t) {
  const auto add = [&](Handler run, u8 sources, const char* type, const char* rest) {
    constexpr Kind k = Kind::kI32;
    t.add({run, Signature{1, sources, {k, k, k, k}}, Unit::kAlu, 2}, "cvt", "pack", "sat", type,
          rest);
  };
  add(&Map<packed<16, false>>::run, 2, "u16", "s32");
  add(&Map<packed<16, true>>::run, 2, "s16", "s32");
  add(&Map<packed_onto<8, false>>::run, 3, "u8", "s32.b32");
  add(&Map<packed_onto<8, true>>::run, 3, "s8", "s32.b32");
  add(&Map<packed_onto<4, false>>::run, 3, "u4", "s32.b32");
  add(&Map<packed_onto<4, true>>::run, 3, "s4", "s32.b32");
  add(&Map<packed_onto<2, false>>::run, 3, "u2", "s32.b32");
  add(&Map<packed_onto<2, true>>::run, 3, "s2", "s32.b32");
}

}  // namespace

void add_small(AluTable& t);
void add_small(AluTable& t) {
  sixteen<F16>(t);
  sixteen<B16>(t);
  both<E4m3>(t, "e4m3x2");
  both<E5m2>(t, "e5m2x2");
  both<E2m3>(t, "e2m3x2");
  both<E3m2>(t, "e3m2x2");
  both<E2m1>(t, "e2m1x2");
  tf32<ToTf32::kNearestAway, false>(t, "rna");
  tf32<ToTf32::kNearestAway, true>(t, "rna");
  tf32<ToTf32::kNearestEven, false>(t, "rn");
  tf32<ToTf32::kNearestEven, true>(t, "rn");
  tf32<ToTf32::kTruncate, false>(t, "rz");
  tf32<ToTf32::kTruncate, true>(t, "rz");
  packs(t);
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
