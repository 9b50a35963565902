// SPDX-License-Identifier: Apache-2.0
// Half-precision arithmetic (PTX ISA 9.7.4), scalar and packed in pairs. Operands are computed in
// single or double precision, where sums and products of halves are exact, and rounded once.

#include "common/half.h"
#include "stimuli/ptx/float_lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

struct ArithmeticTag {};
using Bits = HalfBits<ArithmeticTag>;

template <bool kFtz>
u16 flush16(u16 h) {
  return kFtz && (h & 0x7c00u) == 0 ? static_cast<u16>(h & 0x8000u) : h;
}
template <bool kFtz>
f32 get(u16 h) {
  return Bits::to_float(flush16<kFtz>(h));
}
inline bool nan16(u16 h) { return (h & 0x7fffu) > 0x7c00u; }

template <bool kFtz, bool kSat>
u16 finish(u16 h) {
  const u16 v = flush16<kFtz>(h);
  if (!kSat) return v;
  if (nan16(v) || (v & 0x8000u) != 0) return 0;
  return v > 0x3c00u ? 0x3c00u : v;
}

template <bool kFtz, bool kSat>
struct Arithmetic {
  static u16 add(u16 a, u16 b) {
    return finish<kFtz, kSat>(Bits::from_double(f64{get<kFtz>(a)} + f64{get<kFtz>(b)}));
  }
  static u16 sub(u16 a, u16 b) {
    return finish<kFtz, kSat>(Bits::from_double(f64{get<kFtz>(a)} - f64{get<kFtz>(b)}));
  }
  static u16 mul(u16 a, u16 b) {
    return finish<kFtz, kSat>(Bits::from_double(f64{get<kFtz>(a)} * f64{get<kFtz>(b)}));
  }
  static u16 fma(u16 a, u16 b, u16 c) {
    return finish<kFtz, kSat>(Bits::fma(flush16<kFtz>(a), flush16<kFtz>(b), flush16<kFtz>(c)));
  }
  static u16 fma_relu(u16 a, u16 b, u16 c) {
    const u16 v = fma(a, b, c);
    return !nan16(v) && (v & 0x8000u) != 0 ? u16{0} : v;
  }
};

template <bool kFtz>
struct Simple {
  static u16 neg(u16 a) { return static_cast<u16>(flush16<kFtz>(a) ^ 0x8000u); }
  static u16 abs(u16 a) { return static_cast<u16>(flush16<kFtz>(a) & 0x7fffu); }
  template <bool kMax, bool kNan>
  static u16 extreme(u16 x, u16 y) {
    const u16 a = flush16<kFtz>(x);
    const u16 b = flush16<kFtz>(y);
    if (nan16(a) || nan16(b)) {
      if (kNan || (nan16(a) && nan16(b))) return 0x7fff;
      return nan16(a) ? b : a;
    }
    const f32 p = Bits::to_float(a);
    const f32 q = Bits::to_float(b);
    if (p == q) return kMax ? (a & b) : (a | b);
    return (kMax ? p > q : p < q) ? a : b;
  }
  /// .xorsign.abs: of the magnitudes, with the product of the signs.
  template <bool kMax, bool kNan>
  static u16 signs(u16 a, u16 b) {
    const u16 v = extreme<kMax, kNan>(abs(a), abs(b));
    return nan16(v) ? v : static_cast<u16>(v | ((a ^ b) & 0x8000u));
  }
  static u16 ex2(u16 a) {
    return finish<kFtz, false>(Bits::from_double(__builtin_exp2(get<kFtz>(a))));
  }
  static u16 tanh(u16 a) {
    return finish<kFtz, false>(Bits::from_double(__builtin_tanh(get<kFtz>(a))));
  }
};

/// Applies F to a half, or to both halves of a pair.
template <auto F>
struct Lift;
template <class... A, u16 (*F)(A...)>
struct Lift<F> {
  template <class>
  using H = Half;
  template <class>
  using H2 = Half2;
  static Half one(H<A>... a) { return Half{F(a.bits...)}; }
  static Half2 two(H2<A>... a) {
    const u32 low = F(static_cast<u16>(a.bits)...);
    const u32 high = F(static_cast<u16>(a.bits >> 16)...);
    return Half2{high << 16 | low};
  }
};

template <auto F>
void both(AluTable& t, Unit unit, const char* opcode, const char* a, const char* b) {
  map<Lift<F>::one>(t, unit, 1, opcode, a, b, "f16");
  map<Lift<F>::two>(t, unit, 1, opcode, a, b, "f16x2");
}

template <bool kFtz, bool kSat>
void arithmetic(AluTable& t) {
  using A = Arithmetic<kFtz, kSat>;
  const char* ftz = kFtz ? "ftz" : "";
  const char* sat = kSat ? "sat" : "";
  both<A::add>(t, Unit::kAlu, "add", ftz, sat);
  both<A::sub>(t, Unit::kAlu, "sub", ftz, sat);
  both<A::mul>(t, Unit::kAlu, "mul", ftz, sat);
  both<A::fma>(t, Unit::kAlu, "fma", ftz, sat);
  if constexpr (!kSat) both<A::fma_relu>(t, Unit::kAlu, "fma", ftz, "relu");
}

template <bool kFtz>
void simple(AluTable& t) {
  using S = Simple<kFtz>;
  const char* ftz = kFtz ? "ftz" : "";
  both<S::neg>(t, Unit::kAlu, "neg", ftz, "");
  both<S::abs>(t, Unit::kAlu, "abs", ftz, "");
  both<S::template extreme<false, false>>(t, Unit::kAlu, "min", ftz, "");
  both<S::template extreme<true, false>>(t, Unit::kAlu, "max", ftz, "");
  both<S::template extreme<false, true>>(t, Unit::kAlu, "min", ftz, "NaN");
  both<S::template extreme<true, true>>(t, Unit::kAlu, "max", ftz, "NaN");
  both<S::template signs<false, false>>(t, Unit::kAlu, "min", ftz, "xorsign.abs");
  both<S::template signs<true, false>>(t, Unit::kAlu, "max", ftz, "xorsign.abs");
  both<S::template signs<false, true>>(t, Unit::kAlu, "min", ftz, "NaN.xorsign.abs");
  both<S::template signs<true, true>>(t, Unit::kAlu, "max", ftz, "NaN.xorsign.abs");
  both<S::ex2>(t, Unit::kSfu, "ex2", ftz, "");
  both<S::tanh>(t, Unit::kSfu, "tanh", ftz, "");
}

}  // namespace

void add_half(AluTable& t);
void add_half(AluTable& t) {
  arithmetic<false, false>(t);
  arithmetic<false, true>(t);
  arithmetic<true, false>(t);
  arithmetic<true, true>(t);
  simple<false>(t);
  simple<true>(t);
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
