// SPDX-License-Identifier: Apache-2.0
// Directed rounding (.rz, .rm, .rp) by the host's rounding mode. Compiled with -frounding-math.

#include <cfenv>

#include "common/half.h"
#include "stimuli/ptx/float_lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

/// Map<F> under a rounding mode. The compiler cannot move loads and stores of lanes across the two
/// calls that set the mode.
template <int kMode, auto F>
void under(const Frame& f, const Decoded& d) {
  std::fesetround(kMode);
  Map<F>::run(f, d);
  std::fesetround(FE_TONEAREST);
}

template <class T, bool kFtz, bool kSat>
struct Arithmetic {
  static T add(T a, T b) { return out<kFtz, kSat>(in<kFtz>(a) + in<kFtz>(b)); }
  static T sub(T a, T b) { return out<kFtz, kSat>(in<kFtz>(a) - in<kFtz>(b)); }
  static T mul(T a, T b) { return out<kFtz, kSat>(in<kFtz>(a) * in<kFtz>(b)); }
  static T fma(T a, T b, T c) {
    return out<kFtz, kSat>(fused(in<kFtz>(a), in<kFtz>(b), in<kFtz>(c)));
  }
  static T div(T a, T b) { return out<kFtz, kSat>(in<kFtz>(a) / in<kFtz>(b)); }
  static T rcp(T a) { return out<kFtz, kSat>(T{1} / in<kFtz>(a)); }
  static T sqrt(T a) { return out<kFtz, kSat>(root(in<kFtz>(a))); }
};

template <class D, class S>
D convert(S v) {
  return static_cast<D>(v);
}
template <bool kFtz>
f32 narrow(f64 v) {
  return out<kFtz, false>(static_cast<f32>(v));
}

struct MixedTag {};
inline f32 single(Half h) { return HalfBits<MixedTag>::to_float(h.bits); }
inline f32 single(Bfloat b) { return BfloatBits<MixedTag>::to_float(b.bits); }
/// Operands of 16 bits with an accumulator of 32 bits (PTX ISA 9.7.5).
template <class T, bool kSat>
struct Mixed {
  static f32 add(T a, f32 c) { return out<false, kSat>(single(a) + c); }
  static f32 sub(T a, f32 c) { return out<false, kSat>(single(a) - c); }
  static f32 fma(T a, T b, f32 c) { return out<false, kSat>(fused(single(a), single(b), c)); }
};

template <int kMode, auto F>
void rounded(AluTable& t, Unit unit, unsigned cost, const char* a, const char* b, const char* c,
             const char* d, const char* e = "") {
  t.add(AluEntry{&under<kMode, F>, Map<F>::signature(), unit, static_cast<u8>(cost)}, a, b, c, d,
        e);
}

template <int kMode, class T, bool kFtz, bool kSat>
void arithmetic(AluTable& t, const char* mode) {
  using A = Arithmetic<T, kFtz, kSat>;
  const char* ftz = kFtz ? "ftz" : "";
  const char* sat = kSat ? "sat" : "";
  const char* type = name_of<T>();
  constexpr bool wide = sizeof(T) == 8;
  constexpr Unit unit = wide ? Unit::kFp64 : Unit::kAlu;
  constexpr Unit steps = wide ? Unit::kFp64 : Unit::kSfu;
  rounded<kMode, A::add>(t, unit, 1, "add", mode, ftz, sat, type);
  rounded<kMode, A::sub>(t, unit, 1, "sub", mode, ftz, sat, type);
  rounded<kMode, A::mul>(t, unit, 1, "mul", mode, ftz, sat, type);
  rounded<kMode, A::fma>(t, unit, 1, "fma", mode, ftz, sat, type);
  rounded<kMode, A::fma>(t, unit, 1, "mad", mode, ftz, sat, type);
  if constexpr (!kSat) {
    rounded<kMode, A::div>(t, steps, wide ? 10 : 2, "div", mode, ftz, type);
    rounded<kMode, A::rcp>(t, steps, wide ? 8 : 2, "rcp", mode, ftz, type);
    rounded<kMode, A::sqrt>(t, steps, wide ? 10 : 2, "sqrt", mode, ftz, type);
  }
}

template <int kMode, bool kFtz>
void pairs(AluTable& t, const char* mode) {
  using A = Arithmetic<f32, kFtz, false>;
  const char* ftz = kFtz ? "ftz" : "";
  rounded<kMode, Both<A::add>::run>(t, Unit::kAlu, 2, "add", mode, ftz, "f32x2");
  rounded<kMode, Both<A::sub>::run>(t, Unit::kAlu, 2, "sub", mode, ftz, "f32x2");
  rounded<kMode, Both<A::mul>::run>(t, Unit::kAlu, 2, "mul", mode, ftz, "f32x2");
  rounded<kMode, Both<A::fma>::run>(t, Unit::kAlu, 2, "fma", mode, ftz, "f32x2");
}

template <int kMode, class T, bool kSat>
void mixed(AluTable& t, const char* mode) {
  using M = Mixed<T, kSat>;
  const char* sat = kSat ? "sat" : "";
  rounded<kMode, M::add>(t, Unit::kAlu, 1, "add", mode, sat, "f32", name_of<T>());
  rounded<kMode, M::sub>(t, Unit::kAlu, 1, "sub", mode, sat, "f32", name_of<T>());
  rounded<kMode, M::fma>(t, Unit::kAlu, 1, "fma", mode, sat, "f32", name_of<T>());
}
template <int kMode>
void all_mixed(AluTable& t, const char* mode) {
  mixed<kMode, Half, false>(t, mode);
  mixed<kMode, Half, true>(t, mode);
  mixed<kMode, Bfloat, false>(t, mode);
  mixed<kMode, Bfloat, true>(t, mode);
}

template <int kMode, class S>
void from_int(AluTable& t, const char* mode) {
  constexpr unsigned cost = sizeof(S) == 8 ? 2 : 1;
  rounded<kMode, convert<f32, S>>(t, Unit::kSfu, cost, "cvt", mode, "f32", name_of<S>());
  rounded<kMode, convert<f64, S>>(t, Unit::kSfu, cost, "cvt", mode, "f64", name_of<S>());
}

template <int kMode>
void all(AluTable& t, const char* mode) {
  arithmetic<kMode, f32, false, false>(t, mode);
  arithmetic<kMode, f32, false, true>(t, mode);
  arithmetic<kMode, f32, true, false>(t, mode);
  arithmetic<kMode, f32, true, true>(t, mode);
  arithmetic<kMode, f64, false, false>(t, mode);
  pairs<kMode, false>(t, mode);
  pairs<kMode, true>(t, mode);
  all_mixed<kMode>(t, mode);
  from_int<kMode, u8>(t, mode);
  from_int<kMode, s8>(t, mode);
  from_int<kMode, u16>(t, mode);
  from_int<kMode, s16>(t, mode);
  from_int<kMode, u32>(t, mode);
  from_int<kMode, s32>(t, mode);
  from_int<kMode, u64>(t, mode);
  from_int<kMode, s64>(t, mode);
  rounded<kMode, narrow<false>>(t, Unit::kFp64, 1, "cvt", mode, "f32", "f64");
  rounded<kMode, narrow<true>>(t, Unit::kFp64, 1, "cvt", mode, "ftz", "f32", "f64");
}

}  // namespace

void add_rounding(AluTable& t);
void add_rounding(AluTable& t) {
  all<FE_TOWARDZERO>(t, "rz");
  all<FE_DOWNWARD>(t, "rm");
  all<FE_UPWARD>(t, "rp");
  all_mixed<FE_TONEAREST>(t, "");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
