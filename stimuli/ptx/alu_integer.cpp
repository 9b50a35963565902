// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic (PTX ISA 9.7.1, 9.7.2). Operations that can overflow are computed unsigned.

#include <limits>

#include "stimuli/ptx/lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

/// Unsigned type in which arithmetic on T wraps without promotion to int.
template <class T>
using Wrap = std::conditional_t<(sizeof(T) < 4), u32, std::make_unsigned_t<T>>;
/// Type of twice the width.
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, s32, u32>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, s64, u64>,
                       std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;
template <class T>
using WideUnsigned = std::conditional_t<sizeof(T) == 2, u32,
                                        std::conditional_t<sizeof(T) == 4, u64, unsigned __int128>>;

template <class T>
T add(T a, T b) {
  return static_cast<T>(static_cast<Wrap<T>>(a) + static_cast<Wrap<T>>(b));
}
template <class T>
T sub(T a, T b) {
  return static_cast<T>(static_cast<Wrap<T>>(a) - static_cast<Wrap<T>>(b));
}
template <class T>
T mul_lo(T a, T b) {
  return static_cast<T>(static_cast<Wrap<T>>(a) * static_cast<Wrap<T>>(b));
}
template <class T>
Wide<T> mul_wide(T a, T b) {
  return static_cast<Wide<T>>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
}
template <class T>
T mul_hi(T a, T b) {
  return static_cast<T>((static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b)) >> (8 * sizeof(T)));
}
template <class T>
T mad_lo(T a, T b, T c) {
  return add(mul_lo(a, b), c);
}
template <class T>
T mad_hi(T a, T b, T c) {
  return add(mul_hi(a, b), c);
}
template <class T>
Wide<T> mad_wide(T a, T b, Wide<T> c) {
  return static_cast<Wide<T>>(static_cast<WideUnsigned<T>>(mul_wide(a, b)) +
                              static_cast<WideUnsigned<T>>(c));
}

inline s32 saturate(s64 v) {
  constexpr s64 low = std::numeric_limits<s32>::min();
  constexpr s64 high = std::numeric_limits<s32>::max();
  return static_cast<s32>(v < low ? low : v > high ? high : v);
}
inline s32 add_sat(s32 a, s32 b) { return saturate(s64{a} + b); }
inline s32 sub_sat(s32 a, s32 b) { return saturate(s64{a} - b); }
inline s32 mad_hi_sat(s32 a, s32 b, s32 c) { return saturate(s64{mul_hi(a, b)} + c); }

/// The 24-bit operand: the low bits, sign-extended for .s32.
template <class T>
s64 low24(T a) {
  const u32 bits = static_cast<u32>(a) & 0xffffffu;
  if (std::is_signed_v<T>) return static_cast<s64>(static_cast<s32>(bits << 8) >> 8);
  return static_cast<s64>(bits);
}
template <class T>
T mul24_lo(T a, T b) {
  return static_cast<T>(static_cast<u32>(static_cast<u64>(low24(a) * low24(b))));
}
template <class T>
T mul24_hi(T a, T b) {
  return static_cast<T>(static_cast<u32>(static_cast<u64>(low24(a) * low24(b)) >> 16));
}
template <class T>
T mad24_lo(T a, T b, T c) {
  return add(mul24_lo(a, b), c);
}
template <class T>
T mad24_hi(T a, T b, T c) {
  return add(mul24_hi(a, b), c);
}

template <class T>
T sad(T a, T b, T c) {
  const T distance = a < b ? sub(b, a) : sub(a, b);
  return add(distance, c);
}
/// Division by zero is undefined in PTX; the hardware's sequence yields all ones.
template <class T>
T div(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return sub(T{0}, a);
  return static_cast<T>(a / b);
}
/// Remainder by zero yields the dividend, consistent with the above.
template <class T>
T rem(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}
template <class T>
T abs_of(T a) {
  return a < 0 ? sub(T{0}, a) : a;
}
template <class T>
T neg(T a) {
  return sub(T{0}, a);
}
template <class T>
T min_of(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max_of(T a, T b) {
  return a < b ? b : a;
}

/// Negative results become 0.
template <class T>
T min_relu(T a, T b) {
  return max_of(min_of(a, b), T{0});
}
template <class T>
T max_relu(T a, T b) {
  return max_of(max_of(a, b), T{0});
}

/// Applies F to both 16-bit halves of a register.
template <auto F>
struct Halves;
template <class T, T (*F)(T, T)>
struct Halves<F> {
  static u32 run(u32 a, u32 b) {
    const u32 low = static_cast<u16>(F(static_cast<T>(a), static_cast<T>(b)));
    const u32 high = static_cast<u16>(F(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
    return high << 16 | low;
  }
};

/// Sum of byte products; the bytes of `a` and of `b` have separate signedness.
template <class A, class B>
s32 dp4a(u32 a, u32 b, s32 c) {
  u32 sum = static_cast<u32>(c);
  for (unsigned i = 0; i < 32; i += 8) {
    const s32 x = static_cast<A>(static_cast<u8>(a >> i));
    const s32 y = static_cast<B>(static_cast<u8>(b >> i));
    sum += static_cast<u32>(x * y);
  }
  return static_cast<s32>(sum);
}
template <class A, class B, unsigned kFirstByte>
s32 dp2a(u32 a, u32 b, s32 c) {
  u32 sum = static_cast<u32>(c);
  for (unsigned i = 0; i < 2; ++i) {
    const s32 x = static_cast<A>(static_cast<u16>(a >> (16 * i)));
    const s32 y = static_cast<B>(static_cast<u8>(b >> (8 * (kFirstByte + i))));
    sum += static_cast<u32>(x * y);
  }
  return static_cast<s32>(sum);
}

/// Arithmetic with the carry flag, a mask like a predicate. It is read from source slot kSource + N
/// and written to slot kResult2 (a scratch slot without .cc).
enum class Carry { kAdd, kSub, kMadLo, kMadHi };

template <class T, Carry kOp>
void with_carry(const Frame& f, const Decoded& d) {
  constexpr unsigned kSources = kOp == Carry::kAdd || kOp == Carry::kSub ? 2 : 3;
  const auto* a = cells<T>(f, d.slot[Decoded::kSource]);
  const auto* b = cells<T>(f, d.slot[Decoded::kSource + 1]);
  const auto* c = cells<T>(f, d.slot[Decoded::kSource + kSources - 1]);
  // aux bit 0: reads the carry; bit 1: writes the carry. The carry of a subtraction is that of
  // a + ~b + 1, the inverse of the borrow, because nvcc's 128-bit division reads it with addc.
  constexpr u32 kInverse = kOp == Carry::kSub ? ~0u : 0;
  auto* flag = reinterpret_cast<Cell32*>(f.at(d.slot[Decoded::kResult2]));
  const u32 carry = (d.aux & 1u) != 0 ? *flag ^ kInverse : 0;
  u32 carried = 0;
  using Sum = std::conditional_t<sizeof(T) == 8, unsigned __int128, u64>;
  alignas(32) std::remove_cv_t<CellOf<T>> fresh[kWarpLanes];
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const Sum in = (carry >> i) & 1u;
    Sum x = a[i];
    Sum y = b[i];
    if constexpr (kOp == Carry::kMadLo || kOp == Carry::kMadHi) {
      const T product = kOp == Carry::kMadLo ? mul_lo(static_cast<T>(x), static_cast<T>(y))
                                             : mul_hi(static_cast<T>(x), static_cast<T>(y));
      x = static_cast<std::make_unsigned_t<T>>(product);
      y = c[i];
    }
    const Sum sum = kOp == Carry::kSub ? x - y - in : x + y + in;
    fresh[i] = static_cast<std::make_unsigned_t<T>>(sum);
    carried |= static_cast<u32>((sum >> (8 * sizeof(T))) & 1u) << i;
  }
  blend(cells<T>(f, d.slot[0]), static_cast<CellOf<T>*>(fresh), f.mask);
  if ((d.aux & 2u) != 0) *flag = (*flag & ~f.mask) | ((carried ^ kInverse) & f.mask);
}

template <class T>
void carries(AluTable& t) {
  constexpr Kind k = Lane<T>::kKind;
  const char* type = name_of<T>();
  const u8 wide = sizeof(T) == 8 ? 2 : 1;
  const Signature two{1, 2, {k, k, k}};
  const Signature three{1, 3, {k, k, k, k}};
  t.add({&with_carry<T, Carry::kAdd>, two, Unit::kAlu, wide}, "add", "cc", type);
  t.add({&with_carry<T, Carry::kAdd>, two, Unit::kAlu, wide}, "addc", type);
  t.add({&with_carry<T, Carry::kAdd>, two, Unit::kAlu, wide}, "addc", "cc", type);
  t.add({&with_carry<T, Carry::kSub>, two, Unit::kAlu, wide}, "sub", "cc", type);
  t.add({&with_carry<T, Carry::kSub>, two, Unit::kAlu, wide}, "subc", type);
  t.add({&with_carry<T, Carry::kSub>, two, Unit::kAlu, wide}, "subc", "cc", type);
  for (const char* opcode : {"mad", "madc"}) {
    t.add({&with_carry<T, Carry::kMadLo>, three, Unit::kIntMul, wide}, opcode, "lo", "cc", type);
    t.add({&with_carry<T, Carry::kMadHi>, three, Unit::kIntMul, wide}, opcode, "hi", "cc", type);
  }
  t.add({&with_carry<T, Carry::kMadLo>, three, Unit::kIntMul, wide}, "madc", "lo", type);
  t.add({&with_carry<T, Carry::kMadHi>, three, Unit::kIntMul, wide}, "madc", "hi", type);
}

/// Costs are numbers of machine instructions in the usual expansion.
template <class T>
void common(AluTable& t) {
  const char* type = name_of<T>();
  constexpr bool wide = sizeof(T) == 8;
  map<add<T>>(t, Unit::kAlu, wide ? 2 : 1, "add", type);
  map<sub<T>>(t, Unit::kAlu, wide ? 2 : 1, "sub", type);
  map<mul_lo<T>>(t, Unit::kIntMul, wide ? 3 : 1, "mul", "lo", type);
  map<mul_hi<T>>(t, Unit::kIntMul, wide ? 8 : 1, "mul", "hi", type);
  map<mad_lo<T>>(t, Unit::kIntMul, wide ? 3 : 1, "mad", "lo", type);
  map<mad_hi<T>>(t, Unit::kIntMul, wide ? 8 : 1, "mad", "hi", type);
  map<sad<T>>(t, Unit::kAlu, wide ? 4 : 1, "sad", type);
  map<div<T>>(t, Unit::kAlu, wide ? 70 : 18, "div", type);
  map<rem<T>>(t, Unit::kAlu, wide ? 72 : 19, "rem", type);
  map<min_of<T>>(t, Unit::kAlu, wide ? 4 : 1, "min", type);
  map<max_of<T>>(t, Unit::kAlu, wide ? 4 : 1, "max", type);
  if constexpr (std::is_signed_v<T>) {
    map<abs_of<T>>(t, Unit::kAlu, wide ? 3 : 1, "abs", type);
    map<neg<T>>(t, Unit::kAlu, wide ? 2 : 1, "neg", type);
  }
}

template <class T>
void widening(AluTable& t) {
  map<mul_wide<T>>(t, Unit::kIntMul, 1, "mul", "wide", name_of<T>());
  map<mad_wide<T>>(t, Unit::kIntMul, 1, "mad", "wide", name_of<T>());
}

template <class T>
void pairs(AluTable& t, const char* type) {
  map<Halves<add<T>>::run>(t, Unit::kAlu, 1, "add", type);
  map<Halves<min_of<T>>::run>(t, Unit::kAlu, 1, "min", type);
  map<Halves<max_of<T>>::run>(t, Unit::kAlu, 1, "max", type);
}

template <class T>
void small_products(AluTable& t) {
  const char* type = name_of<T>();
  map<mul24_lo<T>>(t, Unit::kIntMul, 1, "mul24", "lo", type);
  map<mul24_hi<T>>(t, Unit::kIntMul, 2, "mul24", "hi", type);
  map<mad24_lo<T>>(t, Unit::kIntMul, 1, "mad24", "lo", type);
  map<mad24_hi<T>>(t, Unit::kIntMul, 2, "mad24", "hi", type);
}

template <class A, class B>
void dot_products(AluTable& t, const char* a, const char* b) {
  map<dp4a<A, B>>(t, Unit::kIntMul, 1, "dp4a", a, b);
  map<dp2a<A, B, 0>>(t, Unit::kIntMul, 1, "dp2a", "lo", a, b);
  map<dp2a<A, B, 2>>(t, Unit::kIntMul, 1, "dp2a", "hi", a, b);
}

}  // namespace

void add_integer(AluTable& t);
void add_integer(AluTable& t) {
  common<u16>(t);
  common<s16>(t);
  common<u32>(t);
  common<s32>(t);
  common<u64>(t);
  common<s64>(t);
  widening<u16>(t);
  widening<s16>(t);
  widening<u32>(t);
  widening<s32>(t);
  small_products<u32>(t);
  small_products<s32>(t);
  pairs<u16>(t, "u16x2");
  pairs<s16>(t, "s16x2");
  map<Halves<min_relu<s16>>::run>(t, Unit::kAlu, 1, "min", "relu", "s16x2");
  map<Halves<max_relu<s16>>::run>(t, Unit::kAlu, 1, "max", "relu", "s16x2");
  map<min_relu<s32>>(t, Unit::kAlu, 1, "min", "relu", "s32");
  map<max_relu<s32>>(t, Unit::kAlu, 1, "max", "relu", "s32");
  map<add_sat>(t, Unit::kAlu, 2, "add", "sat", "s32");
  map<sub_sat>(t, Unit::kAlu, 2, "sub", "sat", "s32");
  map<mad_hi_sat>(t, Unit::kIntMul, 3, "mad", "hi", "sat", "s32");
  dot_products<u8, u8>(t, "u32", "u32");
  dot_products<u8, s8>(t, "u32", "s32");
  dot_products<s8, u8>(t, "s32", "u32");
  dot_products<s8, s8>(t, "s32", "s32");
  carries<u32>(t);
  carries<s32>(t);
  carries<u64>(t);
  carries<s64>(t);
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
