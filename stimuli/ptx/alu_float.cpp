// SPDX-License-Identifier: Apache-2.0
// Single and double precision arithmetic, round to nearest even (PTX ISA 9.7.3). Approximate
// instructions compute the value correctly rounded (or, for transcendental functions, rounded
// from double precision), which is at least as exact as the hardware (docs/ptx.md).

#include "stimuli/ptx/float_lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

template <class T, bool kFtz, bool kSat>
struct Arithmetic {
  static T add(T a, T b) { return out<kFtz, kSat>(in<kFtz>(a) + in<kFtz>(b)); }
  static T sub(T a, T b) { return out<kFtz, kSat>(in<kFtz>(a) - in<kFtz>(b)); }
  static T mul(T a, T b) { return out<kFtz, kSat>(in<kFtz>(a) * in<kFtz>(b)); }
  static T fma(T a, T b, T c) {
    return out<kFtz, kSat>(fused(in<kFtz>(a), in<kFtz>(b), in<kFtz>(c)));
  }
};

template <class T, bool kFtz>
struct Functions {
  static T div(T a, T b) { return out<kFtz, false>(in<kFtz>(a) / in<kFtz>(b)); }
  /// A divisor above 2^126 has a subnormal reciprocal, which the hardware flushes.
  static T div_approx(T a, T b) {
    const T size = abs(b);
    const bool lost = size > T(0x1p126) && size < static_cast<T>(__builtin_inf());
    return div(a, lost ? static_cast<T>(__builtin_copysign(__builtin_inf(), b)) : b);
  }
  static T rcp(T a) { return out<kFtz, false>(T{1} / in<kFtz>(a)); }
  static T sqrt(T a) { return out<kFtz, false>(root(in<kFtz>(a))); }
  static T rsqrt(T a) {
    if constexpr (std::is_same_v<T, f32>) {
      return out<kFtz, false>(static_cast<f32>(1.0 / __builtin_sqrt(in<kFtz>(a))));
    } else {
      return out<kFtz, false>(1.0 / __builtin_sqrt(a));
    }
  }
  static T abs(T a) {
    if constexpr (sizeof(T) == 4)
      return as_f32(bits_of(in<kFtz>(a)) & 0x7fffffffu);
    else
      return as_f64(bits_of(a) & 0x7fffffffffffffffu);
  }
  static T neg(T a) {
    if constexpr (sizeof(T) == 4)
      return as_f32(bits_of(in<kFtz>(a)) ^ 0x80000000u);
    else
      return as_f64(bits_of(a) ^ 0x8000000000000000u);
  }
  /// Minimum or maximum. A number takes precedence over a NaN; -0 is less than +0.
  template <bool kMax, bool kNan>
  static T extreme(T x, T y) {
    const T a = in<kFtz>(x);
    const T b = in<kFtz>(y);
    T zero;  // result for equal operands, which differ at most in the sign of zero
    if constexpr (sizeof(T) == 4) {
      zero = as_f32(kMax ? bits_of(a) & bits_of(b) : bits_of(a) | bits_of(b));
    } else {
      zero = as_f64(kMax ? bits_of(a) & bits_of(b) : bits_of(a) | bits_of(b));
    }
    const T first = kMax ? (a > b ? a : b) : (a < b ? a : b);
    const T ordered = a == b ? zero : first;
    if (kNan) return is_nan(a) || is_nan(b) ? canonical_nan<T>() : ordered;
    const T number = is_nan(a) ? b : is_nan(b) ? a : ordered;
    return settled(number);
  }
  static T min(T a, T b) { return extreme<false, false>(a, b); }
  static T max(T a, T b) { return extreme<true, false>(a, b); }
};

/// The modifiers of min and max on single precision.
template <bool kFtz, bool kMax, bool kNan>
struct Extreme {
  using F = Functions<f32, kFtz>;
  static f32 two(f32 a, f32 b) { return F::template extreme<kMax, kNan>(a, b); }
  /// .xorsign.abs: of the magnitudes, with the product of the signs.
  static f32 signs(f32 a, f32 b) {
    const f32 v = two(F::abs(a), F::abs(b));
    const u32 sign = (bits_of(a) ^ bits_of(b)) & 0x80000000u;
    return is_nan(v) ? v : as_f32(bits_of(v) | sign);
  }
  static f32 three(f32 a, f32 b, f32 c) { return two(two(a, b), c); }
  static f32 three_abs(f32 a, f32 b, f32 c) { return three(F::abs(a), F::abs(b), F::abs(c)); }
};

template <bool kFtz>
struct Transcendental {
  static f32 ex2(f32 a) { return finish(__builtin_exp2(in<kFtz>(a))); }
  static f32 lg2(f32 a) { return finish(__builtin_log2(in<kFtz>(a))); }
  static f32 sin(f32 a) { return finish(__builtin_sin(in<kFtz>(a))); }
  static f32 cos(f32 a) { return finish(__builtin_cos(in<kFtz>(a))); }
  static f32 tanh(f32 a) { return finish(__builtin_tanh(in<kFtz>(a))); }

 private:
  static f32 finish(f64 v) { return out<kFtz, false>(static_cast<f32>(v)); }
};

/// The upper word of a double with subnormals flushed: 1.11.20 format.
inline f64 upper(f64 v) {
  const u64 b = bits_of(v);
  const u64 kept = (b & 0x7ff0000000000000u) == 0 ? b & 0x8000000000000000u : b;
  return as_f64(kept & 0xffffffff00000000u);
}
inline f64 rounded_to_upper(f64 v) {
  if (is_nan(v)) return as_f64(0x7fffffff00000000u);
  return upper(as_f64(bits_of(v) + 0x80000000u));
}
/// Approximate double-precision seeds; the lower word is neither read nor computed.
inline f64 rcp_seed(f64 a) { return rounded_to_upper(1.0 / upper(a)); }
inline f64 rsqrt_seed(f64 a) { return rounded_to_upper(1.0 / __builtin_sqrt(upper(a))); }

template <class T>
T copysign(T a, T b) {  // sign of a, magnitude of b
  if constexpr (sizeof(T) == 4) {
    return as_f32((bits_of(a) & 0x80000000u) | (bits_of(b) & 0x7fffffffu));
  } else {
    constexpr u64 kSign = 0x8000000000000000u;
    return as_f64((bits_of(a) & kSign) | (bits_of(b) & ~kSign));
  }
}

enum class Test { kFinite, kInfinite, kNumber, kNotNumber, kNormal, kSubnormal };

template <class T, Test kTest>
void testp(const Frame& f, const Decoded& d) {
  const auto* a = cells<T>(f, d.slot[Decoded::kSource]);
  constexpr T kInfinity = static_cast<T>(__builtin_inf());
  constexpr T kSmallest = sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022);
  u32 result = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const T v = a[i] < 0 ? -a[i] : a[i];
    bool is = false;
    switch (kTest) {
      case Test::kFinite:
        is = v < kInfinity;
        break;
      case Test::kInfinite:
        is = v == kInfinity;
        break;
      case Test::kNumber:
        is = !is_nan(v);
        break;
      case Test::kNotNumber:
        is = is_nan(v);
        break;
      case Test::kNormal:
        is = v < kInfinity && v >= kSmallest;
        break;
      case Test::kSubnormal:
        is = v > 0 && v < kSmallest;
        break;
    }
    result |= static_cast<u32>(is) << i;
  }
  put_predicate(f, d.slot[0], result);
}

template <class T, bool kFtz, bool kSat>
void arithmetic(AluTable& t) {
  using A = Arithmetic<T, kFtz, kSat>;
  const char* ftz = kFtz ? "ftz" : "";
  const char* sat = kSat ? "sat" : "";
  const char* type = name_of<T>();
  constexpr Unit unit = sizeof(T) == 8 ? Unit::kFp64 : Unit::kAlu;
  map<A::add>(t, unit, 1, "add", ftz, sat, type);
  map<A::sub>(t, unit, 1, "sub", ftz, sat, type);
  map<A::mul>(t, unit, 1, "mul", ftz, sat, type);
  map<A::fma>(t, unit, 1, "fma", ftz, sat, type);
  map<A::fma>(t, unit, 1, "mad", ftz, sat, type);
}

template <class T, bool kFtz>
void functions(AluTable& t) {
  using F = Functions<T, kFtz>;
  const char* ftz = kFtz ? "ftz" : "";
  const char* type = name_of<T>();
  constexpr bool wide = sizeof(T) == 8;
  constexpr Unit steps = wide ? Unit::kFp64 : Unit::kSfu;
  constexpr Unit simple = wide ? Unit::kFp64 : Unit::kAlu;
  map<F::div>(t, steps, wide ? 10 : 2, "div", ftz, type);
  map<F::rcp>(t, steps, wide ? 8 : 2, "rcp", ftz, type);
  map<F::sqrt>(t, steps, wide ? 10 : 2, "sqrt", ftz, type);
  map<F::rsqrt>(t, steps, wide ? 8 : 1, "rsqrt", ftz, type);
  map<F::abs>(t, simple, 1, "abs", ftz, type);
  map<F::neg>(t, simple, 1, "neg", ftz, type);
  if constexpr (wide) {
    map<F::min>(t, simple, 1, "min", type);
    map<F::max>(t, simple, 1, "max", type);
  }
}

template <bool kFtz>
void transcendental(AluTable& t) {
  using F = Transcendental<kFtz>;
  const char* ftz = kFtz ? "ftz" : "";
  map<F::ex2>(t, Unit::kSfu, 1, "ex2", ftz, "f32");
  map<F::lg2>(t, Unit::kSfu, 1, "lg2", ftz, "f32");
  map<F::sin>(t, Unit::kSfu, 1, "sin", ftz, "f32");
  map<F::cos>(t, Unit::kSfu, 1, "cos", ftz, "f32");
  map<F::tanh>(t, Unit::kSfu, 1, "tanh", ftz, "f32");
}

/// Names with a leading underscore are internal to the decoder.
template <bool kFtz, bool kMax, bool kNan>
void extremes(AluTable& t) {
  using E = Extreme<kFtz, kMax, kNan>;
  const char* ftz = kFtz ? "ftz" : "";
  const char* nan = kNan ? "NaN" : "";
  const char* two = kMax ? "max" : "min";
  const char* three = kMax ? "_max3" : "_min3";
  map<E::two>(t, Unit::kAlu, 1, two, ftz, nan, "f32");
  map<E::signs>(t, Unit::kAlu, 1, two, ftz, nan, "xorsign.abs", "f32");
  map<E::three>(t, Unit::kAlu, 1, three, ftz, nan, "f32");
  map<E::three_abs>(t, Unit::kAlu, 1, three, ftz, nan, "abs", "f32");
}

template <bool kFtz>
void all_extremes(AluTable& t) {
  extremes<kFtz, false, false>(t);
  extremes<kFtz, false, true>(t);
  extremes<kFtz, true, false>(t);
  extremes<kFtz, true, true>(t);
}

/// Two operations in one instruction slot each.
template <bool kFtz>
void pairs(AluTable& t) {
  using A = Arithmetic<f32, kFtz, false>;
  const char* ftz = kFtz ? "ftz" : "";
  map<Both<A::add>::run>(t, Unit::kAlu, 2, "add", ftz, "f32x2");
  map<Both<A::sub>::run>(t, Unit::kAlu, 2, "sub", ftz, "f32x2");
  map<Both<A::mul>::run>(t, Unit::kAlu, 2, "mul", ftz, "f32x2");
  map<Both<A::fma>::run>(t, Unit::kAlu, 2, "fma", ftz, "f32x2");
}

template <class T>
void tests(AluTable& t) {
  const Signature signature{1, 1, {Kind::kPred, Lane<T>::kKind}};
  const char* type = name_of<T>();
  t.add({&testp<T, Test::kFinite>, signature, Unit::kAlu, 1}, "testp", "finite", type);
  t.add({&testp<T, Test::kInfinite>, signature, Unit::kAlu, 1}, "testp", "infinite", type);
  t.add({&testp<T, Test::kNumber>, signature, Unit::kAlu, 1}, "testp", "number", type);
  t.add({&testp<T, Test::kNotNumber>, signature, Unit::kAlu, 1}, "testp", "notanumber", type);
  t.add({&testp<T, Test::kNormal>, signature, Unit::kAlu, 1}, "testp", "normal", type);
  t.add({&testp<T, Test::kSubnormal>, signature, Unit::kAlu, 1}, "testp", "subnormal", type);
  map<copysign<T>>(t, Unit::kAlu, sizeof(T) / 4, "copysign", type);
}

}  // namespace

void add_float(AluTable& t);
void add_float(AluTable& t) {
  arithmetic<f32, false, false>(t);
  arithmetic<f32, false, true>(t);
  arithmetic<f32, true, false>(t);
  arithmetic<f32, true, true>(t);
  arithmetic<f64, false, false>(t);
  functions<f32, false>(t);
  functions<f32, true>(t);
  functions<f64, false>(t);
  map<Functions<f32, false>::div_approx>(t, Unit::kSfu, 2, "div", "approx", "f32");
  map<Functions<f32, true>::div_approx>(t, Unit::kSfu, 2, "div", "approx", "ftz", "f32");
  map<rcp_seed>(t, Unit::kSfu, 1, "rcp", "ftz", "f64");
  map<rsqrt_seed>(t, Unit::kSfu, 1, "rsqrt", "ftz", "f64");
  transcendental<false>(t);
  transcendental<true>(t);
  all_extremes<false>(t);
  all_extremes<true>(t);
  pairs<false>(t);
  pairs<true>(t);
  tests<f32>(t);
  tests<f64>(t);
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
