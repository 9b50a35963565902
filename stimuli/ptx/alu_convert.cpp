// SPDX-License-Identifier: Apache-2.0
// Conversions (PTX ISA 9.7.9, cvt) and address-space conversions (cvta, isspacep).

#include <limits>

#include "stimuli/ptx/float_lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

template <class D, class S>
D int_to_int(S v) {
  return static_cast<D>(v);
}
template <class D, class S>
D int_to_int_sat(S v) {
  constexpr D low = std::numeric_limits<D>::min();
  constexpr D high = std::numeric_limits<D>::max();
  if constexpr (std::is_signed_v<S>) {
    if (v < 0) {
      if constexpr (!std::is_signed_v<D>)
        return 0;
      else
        return static_cast<s64>(v) < static_cast<s64>(low) ? low : static_cast<D>(v);
    }
  }
  return static_cast<u64>(v) > static_cast<u64>(high) ? high : static_cast<D>(v);
}
template <class D, class S>
D int_to_float(S v) {
  return static_cast<D>(v);
}
template <class D, class S>
D int_to_float_sat(S v) {
  return clamp01(static_cast<D>(v));
}

template <class D, class S, bool kFtz, bool kSat>
D float_to_float(S v) {
  // A conversion from double flushes its result, one from single its source.
  if constexpr (std::is_same_v<S, f32>)
    return out<kFtz, kSat>(static_cast<D>(in<kFtz>(v)));
  else
    return out<kFtz, kSat>(static_cast<D>(v));
}
template <class T, Round kRound, bool kFtz, bool kSat>
T round_float(T v) {
  return out<kFtz, kSat>(integral<kRound>(in<kFtz>(v)));
}

template <class D, class S>
void int_pair(AluTable& t) {
  constexpr unsigned cost = sizeof(D) == 8 || sizeof(S) == 8 ? 2 : 1;
  map<int_to_int<D, S>>(t, Unit::kAlu, cost, "cvt", name_of<D>(), name_of<S>());
  map<int_to_int_sat<D, S>>(t, Unit::kAlu, 2 * cost, "cvt", "sat", name_of<D>(), name_of<S>());
}

template <class D, class S>
void to_int(AluTable& t) {
  constexpr unsigned cost = sizeof(D) == 8 || sizeof(S) == 8 ? 2 : 1;
  const char* d = name_of<D>();
  const char* s = name_of<S>();
  const auto add = [&](const char* round, auto plain, auto flushed) {
    const Signature signature{1, 1, {Lane<D>::kKind, Lane<S>::kKind}};
    for (const char* sat : {"", "sat"}) {
      t.add({plain, signature, Unit::kSfu, cost}, "cvt", round, sat, d, s);
      if constexpr (sizeof(S) == 4) {
        t.add({flushed, signature, Unit::kSfu, cost}, "cvt", round, *sat != 0 ? "ftz.sat" : "ftz",
              d, s);
      }
    }
  };
  add("rni", &Map<float_to_int<D, S, Round::kNearest, false>>::run,
      &Map<float_to_int<D, S, Round::kNearest, true>>::run);
  add("rzi", &Map<float_to_int<D, S, Round::kZero, false>>::run,
      &Map<float_to_int<D, S, Round::kZero, true>>::run);
  add("rmi", &Map<float_to_int<D, S, Round::kDown, false>>::run,
      &Map<float_to_int<D, S, Round::kDown, true>>::run);
  add("rpi", &Map<float_to_int<D, S, Round::kUp, false>>::run,
      &Map<float_to_int<D, S, Round::kUp, true>>::run);
}

template <class T>
void with_int(AluTable& t) {
  const char* type = name_of<T>();
  constexpr unsigned cost = sizeof(T) == 8 ? 2 : 1;
  int_pair<u8, T>(t);
  int_pair<s8, T>(t);
  int_pair<u16, T>(t);
  int_pair<s16, T>(t);
  int_pair<u32, T>(t);
  int_pair<s32, T>(t);
  int_pair<u64, T>(t);
  int_pair<s64, T>(t);
  map<int_to_float<f32, T>>(t, Unit::kSfu, cost, "cvt", "rn", "f32", type);
  map<int_to_float<f64, T>>(t, Unit::kSfu, cost, "cvt", "rn", "f64", type);
  map<int_to_float_sat<f32, T>>(t, Unit::kSfu, cost, "cvt", "rn", "sat", "f32", type);
  map<int_to_float_sat<f64, T>>(t, Unit::kSfu, cost, "cvt", "rn", "sat", "f64", type);
  to_int<T, f32>(t);
  to_int<T, f64>(t);
}

template <class T, Round kRound>
void rounding(AluTable& t, const char* name) {
  const char* type = name_of<T>();
  constexpr Unit unit = sizeof(T) == 8 ? Unit::kFp64 : Unit::kAlu;
  map<round_float<T, kRound, false, false>>(t, unit, 1, "cvt", name, type, type);
  map<round_float<T, kRound, false, true>>(t, unit, 1, "cvt", name, "sat", type, type);
  if constexpr (sizeof(T) == 4) {
    map<round_float<T, kRound, true, false>>(t, unit, 1, "cvt", name, "ftz", type, type);
    map<round_float<T, kRound, true, true>>(t, unit, 1, "cvt", name, "ftz.sat", type, type);
  }
}

void floats(AluTable& t) {
  map<float_to_float<f64, f32, false, false>>(t, Unit::kFp64, 1, "cvt", "f64", "f32");
  map<float_to_float<f64, f32, true, false>>(t, Unit::kFp64, 1, "cvt", "ftz", "f64", "f32");
  map<float_to_float<f64, f32, false, true>>(t, Unit::kFp64, 1, "cvt", "sat", "f64", "f32");
  map<float_to_float<f32, f64, false, false>>(t, Unit::kFp64, 1, "cvt", "rn", "f32", "f64");
  map<float_to_float<f32, f64, true, false>>(t, Unit::kFp64, 1, "cvt", "rn", "ftz", "f32", "f64");
  map<float_to_float<f32, f64, false, true>>(t, Unit::kFp64, 1, "cvt", "rn", "sat", "f32", "f64");
  map<float_to_float<f32, f32, false, false>>(t, Unit::kAlu, 1, "cvt", "f32", "f32");
  map<float_to_float<f32, f32, true, false>>(t, Unit::kAlu, 1, "cvt", "ftz", "f32", "f32");
  map<float_to_float<f32, f32, false, true>>(t, Unit::kAlu, 1, "cvt", "sat", "f32", "f32");
  map<float_to_float<f32, f32, true, true>>(t, Unit::kAlu, 1, "cvt", "ftz", "sat", "f32", "f32");
  map<float_to_float<f64, f64, false, false>>(t, Unit::kFp64, 1, "cvt", "f64", "f64");
  map<float_to_float<f64, f64, false, true>>(t, Unit::kFp64, 1, "cvt", "sat", "f64", "f64");
  rounding<f32, Round::kNearest>(t, "rni");
  rounding<f32, Round::kZero>(t, "rzi");
  rounding<f32, Round::kDown>(t, "rmi");
  rounding<f32, Round::kUp>(t, "rpi");
  rounding<f64, Round::kNearest>(t, "rni");
  rounding<f64, Round::kZero>(t, "rzi");
  rounding<f64, Round::kDown>(t, "rmi");
  rounding<f64, Round::kUp>(t, "rpi");
}

/// Conversions whose registers are wider than their types run `inner` on a narrow copy.
void narrow_source(const Frame& f, const Decoded& d) {
  const auto* wide = cells<u64>(f, d.slot[Decoded::kSource]);
  alignas(32) Cell32 narrow[kWarpLanes];
  for (unsigned i = 0; i < kWarpLanes; ++i) narrow[i] = static_cast<u32>(wide[i]);
  Frame frame = f;
  frame.bank[static_cast<std::size_t>(BankId::kLocal)] = reinterpret_cast<std::byte*>(narrow);
  Decoded inner = d;
  inner.slot[Decoded::kSource] = Slot{BankId::kLocal, 0};
  inner.run = d.inner;
  d.inner(frame, inner);
}
/// Extends the result to the register's width. aux: bits of the type, + 256 if signed, + 1024 if
/// the register has 64 bits.
void extend_result(const Frame& f, const Decoded& d) {
  alignas(32) Cell32 narrow[kWarpLanes] = {};
  Frame frame = f;
  frame.bank[static_cast<std::size_t>(BankId::kParam)] = reinterpret_cast<std::byte*>(narrow);
  Decoded inner = d;
  inner.slot[0] = Slot{BankId::kParam, 0};
  d.inner(frame, inner);
  const u32 shift = 32 - (d.aux & 255u);
  const auto extended = [&](u32 v) -> s64 {
    if ((d.aux & 256u) != 0) return static_cast<s32>(v << shift) >> shift;
    return static_cast<s64>((v << shift) >> shift);
  };
  if ((d.aux & 1024u) != 0) {
    write_lanes(f, cells<u64>(f, d.slot[0]), [&](Cell64* to) {
      for (unsigned i = 0; i < kWarpLanes; ++i) to[i] = static_cast<u64>(extended(narrow[i]));
    });
  } else {
    write_lanes(f, cells<u32>(f, d.slot[0]), [&](Cell32* to) {
      for (unsigned i = 0; i < kWarpLanes; ++i) {
        to[i] = static_cast<u32>(static_cast<u64>(extended(narrow[i])));
      }
    });
  }
}

template <u64 kOffset>
u64 plus(u64 a) {
  return a + kOffset;
}

template <u64 kLow, u64 kHigh>
void within(const Frame& f, const Decoded& d) {
  const auto* a = cells<u64>(f, d.slot[Decoded::kSource]);
  u32 result = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    result |= static_cast<u32>(a[i] >= kLow && a[i] < kHigh) << i;
  }
  put_predicate(f, d.slot[0], result);
}

/// Lanes whose address is in a constant variable. Slot 5: a list of pairs of slots, the address of
/// each variable and its size; aux: the number of variables.
u32 in_constants(const Frame& f, const Decoded& d) {
  const auto* a = cells<u64>(f, d.slot[Decoded::kSource]);
  const auto* list = reinterpret_cast<const Slot*>(f.at(d.slot[5]));
  u32 result = 0;
  for (unsigned v = 0; v < d.aux; ++v) {
    const auto* begin = cells<u64>(f, list[2 * v]);
    const auto* bytes = cells<u64>(f, list[2 * v + 1]);
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      result |= static_cast<u32>(a[i] - begin[i] < bytes[i]) << i;
    }
  }
  return result;
}
void is_constant(const Frame& f, const Decoded& d) {
  put_predicate(f, d.slot[0], in_constants(f, d));
}
/// Global memory contains the window of kernel parameters, and no constant variable.
void is_global(const Frame& f, const Decoded& d) {
  const auto* a = cells<u64>(f, d.slot[Decoded::kSource]);
  u32 result = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const bool parameter = a[i] >= kParamWindow && a[i] < kParamWindowEnd;
    result |= static_cast<u32>(parameter || a[i] >= kLocalWindowEnd) << i;
  }
  put_predicate(f, d.slot[0], result & ~in_constants(f, d));
}

void address_spaces(AluTable& t) {
  for (const char* space : {"global", "const"}) {
    map<plus<0>>(t, Unit::kAlu, 1, "cvta", space, "u64");
    map<plus<0>>(t, Unit::kAlu, 1, "cvta", "to", space, "u64");
  }
  map<plus<kSharedWindow>>(t, Unit::kAlu, 1, "cvta", "shared", "u64");
  map<plus<~kSharedWindow + 1>>(t, Unit::kAlu, 1, "cvta", "to", "shared", "u64");
  map<plus<kParamWindow>>(t, Unit::kAlu, 1, "cvta", "param", "u64");
  map<plus<~kParamWindow + 1>>(t, Unit::kAlu, 1, "cvta", "to", "param", "u64");
  map<plus<kLocalWindow>>(t, Unit::kAlu, 1, "cvta", "local", "u64");
  map<plus<~kLocalWindow + 1>>(t, Unit::kAlu, 1, "cvta", "to", "local", "u64");
  const Signature signature{1, 1, {Kind::kPred, Kind::kI64}};
  t.add({&within<kSharedWindow, kSharedWindowEnd>, signature, Unit::kAlu, 2}, "isspacep", "shared");
  t.add({&within<kParamWindow, kParamWindowEnd>, signature, Unit::kAlu, 2}, "isspacep", "param");
  t.add({&within<kLocalWindow, kLocalWindowEnd>, signature, Unit::kAlu, 2}, "isspacep", "local");
  t.add({&is_global, signature, Unit::kAlu, 2}, "isspacep", "global");
  t.add({&is_constant, signature, Unit::kAlu, 2}, "isspacep", "const");
}

}  // namespace

void add_convert(AluTable& t);
void add_convert(AluTable& t) {
  with_int<u8>(t);
  with_int<s8>(t);
  with_int<u16>(t);
  with_int<s16>(t);
  with_int<u32>(t);
  with_int<s32>(t);
  with_int<u64>(t);
  with_int<s64>(t);
  floats(t);
  address_spaces(t);
  const Signature wrapper{1, 1, {Kind::kI32, Kind::kI64}};
  t.add({&narrow_source, wrapper, Unit::kAlu, 1}, "_narrow_source");
  t.add({&extend_result, wrapper, Unit::kAlu, 1}, "_extend_result");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
