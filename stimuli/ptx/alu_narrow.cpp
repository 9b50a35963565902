// SPDX-License-Identifier: Apache-2.0
// Arithmetic of bfloat16 (PTX ISA 9.7.4), and fns (9.7.1).

#include "common/half.h"
#include "common/small_float.h"
#include "stimuli/ptx/float_lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

struct NarrowTag {};
using BfloatMath = BfloatBits<NarrowTag>;
using Bf16Math = Bf16<NarrowTag>;

constexpr u16 kNan16 = 0x7fff;

/// Rounding of bfloat16 arithmetic: once, to nearest even, with subnormals; NaN is 0x7fff.
u16 to_bf16(f64 v) { return Bf16Math::from_double(v); }
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

/// .xorsign.abs: of the magnitudes, with the product of the signs.
template <bool kMax, bool kNan>
u16 signs_bf16(u16 a, u16 b) {
  const u16 v = extreme_bf16<kMax, kNan>(abs_bf16(a), abs_bf16(b));
  return nan_bf16(v) ? v : static_cast<u16>(v | ((a ^ b) & 0x8000u));
}
u16 tanh_bf16(u16 a) { return to_bf16(__builtin_tanh(from_bf16(a))); }
/// With .ftz: subnormal operands and results become zero.
u16 flush_bf16(u16 b) { return (b & 0x7f80u) == 0 ? static_cast<u16>(b & 0x8000u) : b; }
u16 ex2_bf16(u16 a) { return flush_bf16(to_bf16(__builtin_exp2(from_bf16(flush_bf16(a))))); }

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
void both(AluTable& t, const char* opcode, const char* modifier = "", Unit unit = Unit::kAlu) {
  map<Lift<F>::one>(t, unit, 1, opcode, modifier, "bf16");
  map<Lift<F>::two>(t, unit, 1, opcode, modifier, "bf16x2");
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
  both<signs_bf16<false, false>>(t, "min", "xorsign.abs");
  both<signs_bf16<true, false>>(t, "max", "xorsign.abs");
  both<signs_bf16<false, true>>(t, "min", "NaN.xorsign.abs");
  both<signs_bf16<true, true>>(t, "max", "NaN.xorsign.abs");
  both<tanh_bf16>(t, "tanh", "", Unit::kSfu);
  both<ex2_bf16>(t, "ex2", "ftz", Unit::kSfu);
  map<find_nth_set>(t, Unit::kSfu, 4, "fns", "b32");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
