// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields and data movement (PTX ISA 9.7.1, 9.7.8, 9.7.9).

#include "stimuli/ptx/lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

template <class T>
T and_of(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T or_of(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
T xor_of(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
T not_of(T a) {
  return static_cast<T>(~a);
}
template <class T>
T cnot(T a) {
  return a == 0 ? T{1} : T{0};
}
template <class T>
T move(T a) {
  return a;
}

/// Shift amounts above the width are clamped to it.
template <class T>
T shl(T a, u32 n) {
  constexpr u32 width = 8 * sizeof(T);
  using U = std::conditional_t<sizeof(T) == 8, u64, u32>;
  const U shifted = static_cast<U>(a) << (n & (8 * sizeof(U) - 1));
  return n < width ? static_cast<T>(shifted) : T{0};
}
template <class T>
T shr(T a, u32 n) {
  constexpr u32 width = 8 * sizeof(T);
  const u32 within = n < width ? n : width - 1;
  const T shifted = static_cast<T>(a >> within);
  return n < width || std::is_signed_v<T> ? shifted : T{0};
}

/// Operand of funnel shifts: low 32 bits of {b,a} >> n, high 32 bits of {b,a} << n.
inline u64 pair(u32 a, u32 b) { return (u64{b} << 32) | a; }
inline u32 clamp32(u32 n) { return n < 32 ? n : 32; }
inline u32 shf_l_clamp(u32 a, u32 b, u32 n) {
  return static_cast<u32>((pair(a, b) << clamp32(n)) >> 32);
}
inline u32 shf_l_wrap(u32 a, u32 b, u32 n) {
  return static_cast<u32>((pair(a, b) << (n & 31)) >> 32);
}
inline u32 shf_r_clamp(u32 a, u32 b, u32 n) { return static_cast<u32>(pair(a, b) >> clamp32(n)); }
inline u32 shf_r_wrap(u32 a, u32 b, u32 n) { return static_cast<u32>(pair(a, b) >> (n & 31)); }

template <class T>
u32 popc(T a) {
  return static_cast<u32>(__builtin_popcountll(a));
}
template <class T>
u32 clz(T a) {
  constexpr u32 width = 8 * sizeof(T);
  return a == 0 ? width : static_cast<u32>(__builtin_clzll(a)) - (64 - width);
}
/// Position of the highest bit that differs from the sign; all ones if there is none.
template <class T>
u32 bfind(T a) {
  using U = std::make_unsigned_t<T>;
  const U bits = a < 0 ? static_cast<U>(~a) : static_cast<U>(a);
  return bits == 0 ? ~0u : 63u - static_cast<u32>(__builtin_clzll(bits));
}
template <class T>
u32 bfind_shift(T a) {
  const u32 position = bfind(a);
  return position == ~0u ? ~0u : 8 * sizeof(T) - 1 - position;
}
template <class T>
T brev(T a) {
  T r = 0;
  for (unsigned i = 0; i < 8 * sizeof(T); ++i) {
    r = static_cast<T>((r << 1) | (a & 1u));
    a = static_cast<T>(a >> 1);
  }
  return r;
}
/// Bit-field extract. The sign bit is the field's top bit, or the value's top bit if the field
/// exceeds the value.
template <class T>
T bfe(T a, u32 position, u32 length) {
  using U = std::make_unsigned_t<T>;
  constexpr u32 width = 8 * sizeof(T);
  const u32 pos = position & 0xff;
  const u32 len = length & 0xff;
  if (len == 0) return 0;
  const u64 bits = static_cast<U>(a);
  const u32 top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
  const bool sign = std::is_signed_v<T> && ((bits >> top) & 1u) != 0;
  const u64 field = pos < width ? bits >> pos : 0;
  const u32 kept = pos < width ? (len < width - pos ? len : width - pos) : 0;
  const u64 keep = kept >= 64 ? ~u64{0} : (u64{1} << kept) - 1;
  return static_cast<T>(static_cast<U>((field & keep) | (sign ? ~keep : 0)));
}
template <class T>
T bfi(T a, T b, u32 position, u32 length) {
  constexpr u32 width = 8 * sizeof(T);
  const u32 pos = position & 0xff;
  const u32 len = length & 0xff;
  if (len == 0 || pos >= width) return b;
  const u64 ones = len >= 64 ? ~u64{0} : (u64{1} << len) - 1;
  const u64 field = ones << pos;
  return static_cast<T>((static_cast<u64>(b) & ~field) | ((static_cast<u64>(a) << pos) & field));
}
template <class T, bool kWrap>
T szext(T a, u32 n) {
  const u32 bits = kWrap ? n & 31 : n;
  if (bits >= 32) return a;
  if (bits == 0) return 0;
  return static_cast<T>(static_cast<T>(static_cast<u32>(a) << (32 - bits)) >> (32 - bits));
}
template <bool kWrap>
u32 bmsk(u32 a, u32 b) {
  const u32 pos = kWrap ? a & 31 : a;
  const u32 len = kWrap ? b & 31 : b;
  if (pos >= 32) return 0;
  const u32 ones = len >= 32 ? ~0u : (1u << len) - 1;
  return ones << pos;
}

/// Byte permute: selector nibbles select bytes of {b,a}; bit 3 replicates the byte's sign.
inline u32 pick(u64 bytes, u32 selector, unsigned i) {
  const u32 nibble = (selector >> (4 * i)) & 0xf;
  const u32 byte = static_cast<u32>(bytes >> (8 * (nibble & 7))) & 0xff;
  const u32 value = (nibble & 8) != 0 ? ((byte & 0x80) != 0 ? 0xffu : 0u) : byte;
  return value << (8 * i);
}
inline u32 prmt(u32 a, u32 b, u32 c) {
  const u64 bytes = pair(a, b);
  return pick(bytes, c, 0) | pick(bytes, c, 1) | pick(bytes, c, 2) | pick(bytes, c, 3);
}
/// The special modes select by the low two bits of c.
inline u32 prmt_f4e(u32 a, u32 b, u32 c) {
  static constexpr u32 selectors[] = {0x3210, 0x4321, 0x5432, 0x6543};
  return prmt(a, b, selectors[c & 3]);
}
inline u32 prmt_b4e(u32 a, u32 b, u32 c) {
  static constexpr u32 selectors[] = {0x5670, 0x6701, 0x7012, 0x0123};
  return prmt(a, b, selectors[c & 3]);
}
inline u32 prmt_rc8(u32 a, u32 b, u32 c) { return prmt(a, b, (c & 3) * 0x1111); }
inline u32 prmt_ecl(u32 a, u32 b, u32 c) {
  static constexpr u32 selectors[] = {0x3210, 0x3211, 0x3222, 0x3333};
  return prmt(a, b, selectors[c & 3]);
}
inline u32 prmt_ecr(u32 a, u32 b, u32 c) {
  static constexpr u32 selectors[] = {0x0000, 0x1110, 0x2210, 0x3210};
  return prmt(a, b, selectors[c & 3]);
}
inline u32 prmt_rc16(u32 a, u32 b, u32 c) { return prmt(a, b, (c & 1) != 0 ? 0x3232 : 0x1010); }

/// Three-input logic by truth table (aux).
void logic3(const Frame& f, const Decoded& d, Cell32* out) {
  const auto* a = cells<u32>(f, d.slot[2]);
  const auto* b = cells<u32>(f, d.slot[3]);
  const auto* c = cells<u32>(f, d.slot[4]);
  u32 on[8];
  for (unsigned k = 0; k < 8; ++k) on[k] = (d.aux >> k & 1u) != 0 ? ~0u : 0u;
#pragma GCC ivdep
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const u32 x = a[i];
    const u32 y = b[i];
    const u32 z = c[i];
    const u32 with_x = (y & ((z & on[7]) | (~z & on[6]))) | (~y & ((z & on[5]) | (~z & on[4])));
    const u32 without = (y & ((z & on[3]) | (~z & on[2]))) | (~y & ((z & on[1]) | (~z & on[0])));
    out[i] = (x & with_x) | (~x & without);
  }
}
void lop3(const Frame& f, const Decoded& d) {
  write_lanes(f, cells<u32>(f, d.slot[0]), [&](Cell32* out) { logic3(f, d, out); });
}
/// The same, and result 2: whether the result is not 0, combined with the predicate in slot 5.
template <bool kOr>
void lop3_test(const Frame& f, const Decoded& d) {
  alignas(32) Cell32 fresh[kWarpLanes];
  logic3(f, d, fresh);
  u32 some = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) some |= static_cast<u32>(fresh[i] != 0) << i;
  const u32 q = predicate(f, d.slot[5]) ^ d.flip;
  blend(cells<u32>(f, d.slot[0]), static_cast<Cell32*>(fresh), f.mask);
  put_predicate(f, d.slot[1], kOr ? some | q : some & q);
}

template <class T>
void logic(AluTable& t) {
  const char* type = bits_name<T>();
  constexpr unsigned cost = sizeof(T) == 8 ? 2 : 1;
  map<and_of<T>>(t, Unit::kAlu, cost, "and", type);
  map<or_of<T>>(t, Unit::kAlu, cost, "or", type);
  map<xor_of<T>>(t, Unit::kAlu, cost, "xor", type);
  map<not_of<T>>(t, Unit::kAlu, cost, "not", type);
  map<cnot<T>>(t, Unit::kAlu, cost, "cnot", type);
  map<shl<T>>(t, Unit::kAlu, cost, "shl", type);
  map<shr<T>>(t, Unit::kAlu, cost, "shr", type);
  map<shr<T>>(t, Unit::kAlu, cost, "shr", name_of<T>());
  map<shr<std::make_signed_t<T>>>(t, Unit::kAlu, cost, "shr", name_of<std::make_signed_t<T>>());
  map<move<T>>(t, Unit::kAlu, cost, "mov", type);
  map<move<T>>(t, Unit::kAlu, cost, "mov", name_of<T>());
  map<move<T>>(t, Unit::kAlu, cost, "mov", name_of<std::make_signed_t<T>>());
}

template <class T>
void fields(AluTable& t) {
  using S = std::make_signed_t<T>;
  const char* type = bits_name<T>();
  constexpr unsigned cost = sizeof(T) == 8 ? 3 : 1;
  map<popc<T>>(t, Unit::kIntMul, cost, "popc", type);
  map<clz<T>>(t, Unit::kIntMul, cost, "clz", type);
  map<brev<T>>(t, Unit::kIntMul, cost, "brev", type);
  map<bfind<T>>(t, Unit::kIntMul, cost, "bfind", name_of<T>());
  map<bfind<S>>(t, Unit::kIntMul, cost, "bfind", name_of<S>());
  map<bfind_shift<T>>(t, Unit::kIntMul, cost, "bfind", "shiftamt", name_of<T>());
  map<bfind_shift<S>>(t, Unit::kIntMul, cost, "bfind", "shiftamt", name_of<S>());
  map<bfe<T>>(t, Unit::kAlu, 2 * cost, "bfe", name_of<T>());
  map<bfe<S>>(t, Unit::kAlu, 2 * cost, "bfe", name_of<S>());
  map<bfi<T>>(t, Unit::kAlu, 2 * cost, "bfi", type);
}

}  // namespace

void add_bits(AluTable& t);
void add_bits(AluTable& t) {
  logic<u16>(t);
  logic<u32>(t);
  logic<u64>(t);
  fields<u32>(t);
  fields<u64>(t);
  constexpr Kind k = Kind::kI32;
  t.add({&Map<move<u32>>::run, Signature{1, 1, {Kind::kF32, Kind::kF32}}, Unit::kAlu, 1}, "mov",
        "f32");
  t.add({&Map<move<u64>>::run, Signature{1, 1, {Kind::kF64, Kind::kF64}}, Unit::kAlu, 2}, "mov",
        "f64");
  for (const char* type : {"f16", "bf16"}) {
    t.add({&Map<move<u16>>::run, Signature{1, 1, {Kind::kF16, Kind::kF16}}, Unit::kAlu, 1}, "mov",
          type);
  }
  for (const char* type : {"f16x2", "bf16x2"}) {
    t.add({&Map<move<u32>>::run, Signature{1, 1, {k, k}}, Unit::kAlu, 1}, "mov", type);
  }
  map<shf_l_clamp>(t, Unit::kAlu, 1, "shf", "l", "clamp", "b32");
  map<shf_l_wrap>(t, Unit::kAlu, 1, "shf", "l", "wrap", "b32");
  map<shf_r_clamp>(t, Unit::kAlu, 1, "shf", "r", "clamp", "b32");
  map<shf_r_wrap>(t, Unit::kAlu, 1, "shf", "r", "wrap", "b32");
  map<prmt>(t, Unit::kAlu, 1, "prmt", "b32");
  map<prmt_f4e>(t, Unit::kAlu, 1, "prmt", "b32", "f4e");
  map<prmt_b4e>(t, Unit::kAlu, 1, "prmt", "b32", "b4e");
  map<prmt_rc8>(t, Unit::kAlu, 1, "prmt", "b32", "rc8");
  map<prmt_ecl>(t, Unit::kAlu, 1, "prmt", "b32", "ecl");
  map<prmt_ecr>(t, Unit::kAlu, 1, "prmt", "b32", "ecr");
  map<prmt_rc16>(t, Unit::kAlu, 1, "prmt", "b32", "rc16");
  t.add({&lop3, Signature{1, 3, {k, k, k, k}}, Unit::kAlu, 1}, "lop3", "b32");
  const Signature tested{1, 4, {k, k, k, k, Kind::kPred}};
  t.add({&lop3_test<true>, tested, Unit::kAlu, 1}, "lop3", "or", "b32");
  t.add({&lop3_test<false>, tested, Unit::kAlu, 1}, "lop3", "and", "b32");
  map<szext<u32, false>>(t, Unit::kAlu, 1, "szext", "clamp", "u32");
  map<szext<s32, false>>(t, Unit::kAlu, 1, "szext", "clamp", "s32");
  map<szext<u32, true>>(t, Unit::kAlu, 1, "szext", "wrap", "u32");
  map<szext<s32, true>>(t, Unit::kAlu, 1, "szext", "wrap", "s32");
  map<bmsk<false>>(t, Unit::kAlu, 1, "bmsk", "clamp", "b32");
  map<bmsk<true>>(t, Unit::kAlu, 1, "bmsk", "wrap", "b32");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
