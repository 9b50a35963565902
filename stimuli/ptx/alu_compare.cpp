// SPDX-License-Identifier: Apache-2.0
// Comparison, selection and predicate logic (PTX ISA 9.7.4).

#include "common/half.h"
#include "stimuli/ptx/float_lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

struct CompareTag {};

/// Converts an operand for comparison: halves to singles.
template <bool kFtz, class T>
auto comparable(T v) {
  if constexpr (std::is_same_v<T, Half>) {
    const bool tiny = kFtz && (v.bits & 0x7c00u) == 0;
    return HalfBits<CompareTag>::to_float(tiny ? u16{0} : v.bits);
  } else if constexpr (std::is_same_v<T, Bfloat>) {
    return BfloatBits<CompareTag>::to_float(v.bits);
  } else if constexpr (std::is_floating_point_v<T>) {
    return in<kFtz>(v);
  } else {
    return v;
  }
}

enum class Compare { kEq, kNe, kLt, kLe, kGt, kGe, kEqu, kNeu, kLtu, kLeu, kGtu, kGeu, kNum, kNan };

template <Compare kCompare, class T>
bool holds(T a, T b) {
  switch (kCompare) {
    case Compare::kEq:
      return a == b;
    // Ordered: false with a NaN (for integers, plain inequality).
    case Compare::kNe:
      return a < b || a > b;
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    case Compare::kGe:
      return a >= b;
    // Unordered: true with a NaN.
    case Compare::kEqu:
      return !(a < b || a > b);
    case Compare::kNeu:
      return !(a == b);
    case Compare::kLtu:
      return !(a >= b);
    case Compare::kLeu:
      return !(a > b);
    case Compare::kGtu:
      return !(a <= b);
    case Compare::kGeu:
      return !(a < b);
    case Compare::kNum:
      return a == a && b == b;
    case Compare::kNan:
      return !(a == a && b == b);
  }
  return false;
}

/// Operands of 16 bits as singles; one copy for all comparisons.
template <class T, bool kFtz, class Cell>
[[gnu::noinline]] void widen(const Cell* from, unsigned shift, f32* to) {
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    to[i] = comparable<kFtz>(T{static_cast<u16>(from[i] >> shift)});
  }
}

template <Compare kCompare>
[[gnu::noinline]] u32 compare_singles(const f32* a, const f32* b) {
  u32 result = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    result |= static_cast<u32>(holds<kCompare>(a[i], b[i])) << i;
  }
  return result;
}

template <class T, Compare kCompare, bool kFtz, class Cell>
u32 compare_widened(const Cell* a, const Cell* b, unsigned shift) {
  f32 x[kWarpLanes];
  f32 y[kWarpLanes];
  widen<T, kFtz>(a, shift, x);
  widen<T, kFtz>(b, shift, y);
  return compare_singles<kCompare>(x, y);
}

template <Compare kCompare, class T, bool kFtz>
u32 compare_lanes(const Frame& f, const Decoded& d) {
  const auto* a = cells<T>(f, d.slot[2]);
  const auto* b = cells<T>(f, d.slot[3]);
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
    return compare_widened<T, kCompare, kFtz>(a, b, 0);
  } else {
    u32 result = 0;
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      const auto x = comparable<kFtz>(Lane<T>::get(a[i]));
      const auto y = comparable<kFtz>(Lane<T>::get(b[i]));
      result |= static_cast<u32>(holds<kCompare>(x, y)) << i;
    }
    return result;
  }
}

/// The same for `set`, which is rare: one copy for all types of its result.
template <Compare kCompare, class T, bool kFtz>
[[gnu::noinline]] u32 compare_for_set(const Frame& f, const Decoded& d) {
  return compare_lanes<kCompare, T, kFtz>(f, d);
}

/// aux: 0 none, 1 and, 2 or, 3 xor with the predicate in slot 4 (flip negates it).
u32 combine(const Frame& f, const Decoded& d, u32 value) {
  if (d.aux == 0) return value;
  const u32 c = predicate(f, d.slot[4]) ^ d.flip;
  return d.aux == 1 ? value & c : d.aux == 2 ? value | c : value ^ c;
}

template <Compare kCompare, class T, bool kFtz>
void setp(const Frame& f, const Decoded& d) {
  const u32 value = compare_lanes<kCompare, T, kFtz>(f, d);
  // The second destination combines the complement; both are computed before either is written.
  const u32 p = combine(f, d, value);
  const u32 q = combine(f, d, ~value);
  put_predicate(f, d.slot[1], q);
  put_predicate(f, d.slot[0], p);
}

/// Writes `truth` or 0 to each lane.
[[gnu::noinline]] void put_truth(const Frame& f, const Decoded& d, u32 value, u32 truth) {
  write_lanes(f, cells<u32>(f, d.slot[0]), [&](Cell32* out) {
    for (unsigned i = 0; i < kWarpLanes; ++i) out[i] = (value >> i & 1u) != 0 ? truth : 0;
  });
}

template <Compare kCompare, class T, bool kFtz, u32 kTrue>
void set(const Frame& f, const Decoded& d) {
  put_truth(f, d, combine(f, d, compare_for_set<kCompare, T, kFtz>(f, d)), kTrue);
}

template <Compare kCompare, class T, bool kFtz>
void comparison(AluTable& t, const char* name) {
  constexpr Kind k = Lane<T>::kKind;
  constexpr Unit unit = std::is_same_v<T, f64> ? Unit::kFp64 : Unit::kAlu;
  constexpr u8 cost = sizeof(T) == 8 && !std::is_same_v<T, f64> ? 2 : 1;
  const char* ftz = kFtz ? "ftz" : "";
  t.add({&setp<kCompare, T, kFtz>, Signature{1, 2, {Kind::kPred, k, k}}, unit, cost}, "setp", name,
        ftz, name_of<T>());
  const Signature to_int{1, 2, {Kind::kI32, k, k}};
  for (const char* type : {"u32", "s32", "b32"}) {
    t.add({&set<kCompare, T, kFtz, ~0u>, to_int, unit, cost}, "set", name, ftz, type, name_of<T>());
  }
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
    const Signature to_short{1, 2, {Kind::kI16, k, k}};
    for (const char* type : {"u16", "s16"}) {
      t.add({&set<kCompare, T, kFtz, 0xffffu>, to_short, unit, cost}, "set", name, ftz, type,
            name_of<T>());
    }
  }
  const Signature to_half{1, 2, {Kind::kF16, k, k}};
  constexpr bool bfloat = std::is_same_v<T, Bfloat>;
  t.add({&set < kCompare, T, kFtz, bfloat ? 0x3f80u : 0x3c00u >, to_half, unit, cost}, "set", name,
        ftz, bfloat ? "bf16" : "f16", name_of<T>());
  if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, Half>) {
    t.add({&set<kCompare, T, kFtz, 0x3f80u>, to_half, unit, cost}, "set", name, ftz, "bf16",
          name_of<T>());
  }
  const Signature to_float{1, 2, {Kind::kF32, k, k}};
  t.add({&set<kCompare, T, kFtz, 0x3f800000u>, to_float, unit, cost}, "set", name, ftz, "f32",
        name_of<T>());
}

/// Compares one half of each lane's pair.
template <class T, Compare kCompare, bool kFtz>
u32 compare_halves(const Frame& f, const Decoded& d, unsigned half) {
  return compare_widened<T, kCompare, kFtz>(cells<Half2>(f, d.slot[2]), cells<Half2>(f, d.slot[3]),
                                            16 * half);
}

/// The first destination is the result of the low halves, the second that of the high halves.
template <class T, Compare kCompare, bool kFtz>
void setp_pair(const Frame& f, const Decoded& d) {
  const u32 p = combine(f, d, compare_halves<T, kCompare, kFtz>(f, d, 0));
  const u32 q = combine(f, d, compare_halves<T, kCompare, kFtz>(f, d, 1));
  put_predicate(f, d.slot[1], q);
  put_predicate(f, d.slot[0], p);
}

/// Writes `truth` or 0 to each half of each lane.
[[gnu::noinline]] void put_pair_truth(const Frame& f, const Decoded& d, u32 low, u32 high,
                                      u32 truth) {
  write_lanes(f, cells<u32>(f, d.slot[0]), [&](Cell32* out) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      out[i] = ((low >> i & 1u) != 0 ? truth : 0) | ((high >> i & 1u) != 0 ? truth << 16 : 0);
    }
  });
}

template <class T, Compare kCompare, bool kFtz, u32 kTrue>
void set_pair(const Frame& f, const Decoded& d) {
  const u32 low = combine(f, d, compare_halves<T, kCompare, kFtz>(f, d, 0));
  const u32 high = combine(f, d, compare_halves<T, kCompare, kFtz>(f, d, 1));
  put_pair_truth(f, d, low, high, kTrue);
}

template <class T, Compare kCompare, bool kFtz>
void pair_comparison(AluTable& t, const char* name) {
  constexpr Kind k = Kind::kI32;
  constexpr bool bfloat = std::is_same_v<T, Bfloat>;
  const char* ftz = kFtz ? "ftz" : "";
  const char* type = bfloat ? "bf16x2" : "f16x2";
  t.add({&setp_pair<T, kCompare, kFtz>, Signature{1, 2, {Kind::kPred, k, k}}, Unit::kAlu, 1},
        "setp", name, ftz, type);
  const Signature to_word{1, 2, {k, k, k}};
  constexpr u32 kOne = bfloat ? 0x3f80 : 0x3c00;
  t.add({&set_pair<T, kCompare, kFtz, kOne>, to_word, Unit::kAlu, 1}, "set", name, ftz, type, type);
  for (const char* to : {"u32", "s32"}) {
    t.add({&set_pair<T, kCompare, kFtz, 0xffffu>, to_word, Unit::kAlu, 1}, "set", name, ftz, to,
          type);
  }
}

template <class T, bool kFtz>
void pairs(AluTable& t) {
  pair_comparison<T, Compare::kEq, kFtz>(t, "eq");
  pair_comparison<T, Compare::kNe, kFtz>(t, "ne");
  pair_comparison<T, Compare::kLt, kFtz>(t, "lt");
  pair_comparison<T, Compare::kLe, kFtz>(t, "le");
  pair_comparison<T, Compare::kGt, kFtz>(t, "gt");
  pair_comparison<T, Compare::kGe, kFtz>(t, "ge");
  pair_comparison<T, Compare::kEqu, kFtz>(t, "equ");
  pair_comparison<T, Compare::kNeu, kFtz>(t, "neu");
  pair_comparison<T, Compare::kLtu, kFtz>(t, "ltu");
  pair_comparison<T, Compare::kLeu, kFtz>(t, "leu");
  pair_comparison<T, Compare::kGtu, kFtz>(t, "gtu");
  pair_comparison<T, Compare::kGeu, kFtz>(t, "geu");
  pair_comparison<T, Compare::kNum, kFtz>(t, "num");
  pair_comparison<T, Compare::kNan, kFtz>(t, "nan");
}

template <class T, bool kFtz>
void ordered(AluTable& t) {
  comparison<Compare::kEq, T, kFtz>(t, "eq");
  comparison<Compare::kNe, T, kFtz>(t, "ne");
  comparison<Compare::kLt, T, kFtz>(t, "lt");
  comparison<Compare::kLe, T, kFtz>(t, "le");
  comparison<Compare::kGt, T, kFtz>(t, "gt");
  comparison<Compare::kGe, T, kFtz>(t, "ge");
}

template <class T, bool kFtz>
void unordered(AluTable& t) {
  comparison<Compare::kEqu, T, kFtz>(t, "equ");
  comparison<Compare::kNeu, T, kFtz>(t, "neu");
  comparison<Compare::kLtu, T, kFtz>(t, "ltu");
  comparison<Compare::kLeu, T, kFtz>(t, "leu");
  comparison<Compare::kGtu, T, kFtz>(t, "gtu");
  comparison<Compare::kGeu, T, kFtz>(t, "geu");
  comparison<Compare::kNum, T, kFtz>(t, "num");
  comparison<Compare::kNan, T, kFtz>(t, "nan");
}

template <class T>
void unsigned_names(AluTable& t) {
  comparison<Compare::kLt, T, false>(t, "lo");
  comparison<Compare::kLe, T, false>(t, "ls");
  comparison<Compare::kGt, T, false>(t, "hi");
  comparison<Compare::kGe, T, false>(t, "hs");
}

template <class T>
void bit_names(AluTable& t) {
  constexpr Kind k = Lane<T>::kKind;
  const Signature signature{1, 2, {Kind::kPred, k, k}};
  const Signature to_int{1, 2, {Kind::kI32, k, k}};
  constexpr u8 cost = sizeof(T) == 8 ? 2 : 1;
  const char* type = bits_name<T>();
  t.add({&setp<Compare::kEq, T, false>, signature, Unit::kAlu, cost}, "setp", "eq", type);
  t.add({&setp<Compare::kNe, T, false>, signature, Unit::kAlu, cost}, "setp", "ne", type);
  for (const char* to : {"u32", "s32"}) {
    t.add({&set<Compare::kEq, T, false, ~0u>, to_int, Unit::kAlu, cost}, "set", "eq", to, type);
    t.add({&set<Compare::kNe, T, false, ~0u>, to_int, Unit::kAlu, cost}, "set", "ne", to, type);
  }
  const Signature to_float{1, 2, {Kind::kF32, k, k}};
  t.add({&set<Compare::kEq, T, false, 0x3f800000u>, to_float, Unit::kAlu, cost}, "set", "eq", "f32",
        type);
  t.add({&set<Compare::kNe, T, false, 0x3f800000u>, to_float, Unit::kAlu, cost}, "set", "ne", "f32",
        type);
}

template <class T>
void selp(const Frame& f, const Decoded& d) {
  const auto* a = cells<T>(f, d.slot[2]);
  const auto* b = cells<T>(f, d.slot[3]);
  const u32 p = predicate(f, d.slot[4]) ^ d.flip;
  write_lanes(f, cells<T>(f, d.slot[0]), [&](CellOf<T>* out) {
#pragma GCC ivdep
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      const CellOf<T> x = a[i];
      const CellOf<T> y = b[i];
      out[i] = (p & (1u << i)) != 0 ? x : y;
    }
  });
}
template <class T, class C>
T slct(T a, T b, C c) {
  return c >= 0 ? a : b;
}
template <class T>
T slct_ftz(T a, T b, f32 c) {
  return flush(c) >= 0 ? a : b;
}

template <class T>
void selections(AluTable& t, const char* type, Kind kind) {
  constexpr unsigned cost = sizeof(T) == 8 ? 2 : 1;
  const Signature by_predicate{1, 3, {kind, kind, kind, Kind::kPred}};
  t.add({&selp<T>, by_predicate, Unit::kAlu, cost}, "selp", type);
  if constexpr (sizeof(T) >= 2) {
    const Signature by_int{1, 3, {kind, kind, kind, Kind::kI32}};
    const Signature by_float{1, 3, {kind, kind, kind, Kind::kF32}};
    t.add({&Map<slct<T, s32>>::run, by_int, Unit::kAlu, cost}, "slct", type, "s32");
    t.add({&Map<slct<T, f32>>::run, by_float, Unit::kAlu, cost}, "slct", type, "f32");
    t.add({&Map<slct_ftz<T>>::run, by_float, Unit::kAlu, cost}, "slct", "ftz", type, "f32");
  }
}

enum class Logic { kAnd, kOr, kXor, kNot, kMove };

/// Predicate logic; flip negates the first source.
template <Logic kLogic>
void predicate_logic(const Frame& f, const Decoded& d) {
  const u32 a = predicate(f, d.slot[2]) ^ d.flip;
  u32 value = 0;
  switch (kLogic) {
    case Logic::kAnd:
      value = a & predicate(f, d.slot[3]);
      break;
    case Logic::kOr:
      value = a | predicate(f, d.slot[3]);
      break;
    case Logic::kXor:
      value = a ^ predicate(f, d.slot[3]);
      break;
    case Logic::kNot:
      value = ~a;
      break;
    case Logic::kMove:
      value = a;
      break;
  }
  put_predicate(f, d.slot[0], value);
}

}  // namespace

void add_compare(AluTable& t);
void add_compare(AluTable& t) {
  ordered<u16, false>(t);
  ordered<s16, false>(t);
  ordered<u32, false>(t);
  ordered<s32, false>(t);
  ordered<u64, false>(t);
  ordered<s64, false>(t);
  ordered<f32, false>(t);
  ordered<f32, true>(t);
  ordered<f64, false>(t);
  unordered<f32, false>(t);
  unordered<f32, true>(t);
  unordered<f64, false>(t);
  ordered<Half, false>(t);
  ordered<Half, true>(t);
  ordered<Bfloat, false>(t);
  unordered<Bfloat, false>(t);
  unordered<Half, false>(t);
  unordered<Half, true>(t);
  pairs<Half, false>(t);
  pairs<Half, true>(t);
  pairs<Bfloat, false>(t);
  unsigned_names<u16>(t);
  unsigned_names<u32>(t);
  unsigned_names<u64>(t);
  bit_names<u16>(t);
  bit_names<u32>(t);
  bit_names<u64>(t);
  for (const char* type : {"b16", "u16", "s16"}) selections<u16>(t, type, Kind::kI16);
  for (const char* type : {"b32", "u32", "s32"}) selections<u32>(t, type, Kind::kI32);
  for (const char* type : {"b64", "u64", "s64"}) selections<u64>(t, type, Kind::kI64);
  selections<u32>(t, "f32", Kind::kF32);
  selections<u64>(t, "f64", Kind::kF64);
  constexpr Kind p = Kind::kPred;
  const Signature two{1, 2, {p, p, p}};
  const Signature one{1, 1, {p, p}};
  t.add({&predicate_logic<Logic::kAnd>, two, Unit::kAlu, 1}, "and", "pred");
  t.add({&predicate_logic<Logic::kOr>, two, Unit::kAlu, 1}, "or", "pred");
  t.add({&predicate_logic<Logic::kXor>, two, Unit::kAlu, 1}, "xor", "pred");
  t.add({&predicate_logic<Logic::kNot>, one, Unit::kAlu, 1}, "not", "pred");
  t.add({&predicate_logic<Logic::kMove>, one, Unit::kAlu, 1}, "mov", "pred");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
