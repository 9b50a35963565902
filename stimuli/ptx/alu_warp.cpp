// SPDX-License-Identifier: Apache-2.0
// Instructions across the lanes of a warp (PTX ISA 9.7.9 shfl, 9.7.13 vote, match, activemask,
// redux), special registers that change at run time, packing, and fixed-address parameter and local
// accesses.

#include "stimuli/ptx/lanes.h"
#include "stimuli/ptx/shuffle.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

/// Result 2 is true if the source lane is in range. The value of an inactive source lane is 0,
/// because PTX does not define it (Warp issues a warning).
template <Shuffle kMode>
void shfl(const Frame& f, const Decoded& d) {
  const auto* a = cells<u32>(f, d.slot[2]);
  const auto* b = cells<u32>(f, d.slot[3]);
  const auto* c = cells<u32>(f, d.slot[4]);
  u32 in_range = 0;
  alignas(32) Cell32 fresh[kWarpLanes];
  for (u32 lane = 0; lane < kWarpLanes; ++lane) {
    const ShuffleSource from = shuffle_source(kMode, lane, b[lane], c[lane]);
    fresh[lane] = (f.mask >> from.lane & 1u) != 0 ? a[from.lane] : 0;
    in_range |= static_cast<u32>(from.in_range) << lane;
  }
  blend(cells<u32>(f, d.slot[0]), static_cast<Cell32*>(fresh), f.mask);
  put_predicate(f, d.slot[1], in_range);
}

enum class Vote { kAll, kAny, kUniform };

template <Vote kVote>
void vote(const Frame& f, const Decoded& d) {
  const u32 yes = (predicate(f, d.slot[2]) ^ d.flip) & f.mask;
  bool result = false;
  switch (kVote) {
    case Vote::kAll:
      result = yes == f.mask;
      break;
    case Vote::kAny:
      result = yes != 0;
      break;
    case Vote::kUniform:
      result = yes == f.mask || yes == 0;
      break;
  }
  put_predicate(f, d.slot[0], result ? ~0u : 0);
}

void broadcast(const Frame& f, Slot s, u32 value) {
  write_lanes(f, cells<u32>(f, s), [&](Cell32* out) {
    for (unsigned i = 0; i < kWarpLanes; ++i) out[i] = value;
  });
}
void broadcast64(const Frame& f, Slot s, u64 value) {
  write_lanes(f, cells<u64>(f, s), [&](Cell64* out) {
    for (unsigned i = 0; i < kWarpLanes; ++i) out[i] = value;
  });
}
void ballot(const Frame& f, const Decoded& d) {
  broadcast(f, d.slot[0], (predicate(f, d.slot[2]) ^ d.flip) & f.mask);
}
/// The lowest lane is elected.
void elect(const Frame& f, const Decoded& d) {
  const auto leader = static_cast<u32>(__builtin_ctz(f.mask));
  broadcast(f, d.slot[0], leader);
  put_predicate(f, d.slot[1], 1u << leader);
}
void activemask(const Frame& f, const Decoded& d) { broadcast(f, d.slot[0], f.mask); }

template <class T>
u32 equal_lanes(const Frame& f, const CellOf<T>* a, unsigned lane) {
  u32 same = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) same |= static_cast<u32>(a[i] == a[lane]) << i;
  return same & f.mask;
}
template <class T>
void match_any(const Frame& f, const Decoded& d) {
  const auto* a = cells<T>(f, d.slot[2]);
  alignas(32) Cell32 fresh[kWarpLanes];
  for (unsigned i = 0; i < kWarpLanes; ++i) fresh[i] = equal_lanes<T>(f, a, i);
  blend(cells<u32>(f, d.slot[0]), static_cast<Cell32*>(fresh), f.mask);
}
template <class T>
void match_all(const Frame& f, const Decoded& d) {
  const auto* a = cells<T>(f, d.slot[2]);
  const auto first = static_cast<unsigned>(__builtin_ctz(f.mask));
  const bool all = equal_lanes<T>(f, a, first) == f.mask;
  broadcast(f, d.slot[0], all ? f.mask : 0);
  put_predicate(f, d.slot[1], all ? ~0u : 0);
}

enum class Reduce { kAdd, kMin, kMax, kAnd, kOr, kXor };

template <class T, Reduce kReduce>
void redux(const Frame& f, const Decoded& d) {
  const auto* a = cells<u32>(f, d.slot[2]);
  T result = static_cast<T>(a[__builtin_ctz(f.mask)]);
  for (u32 rest = f.mask & (f.mask - 1); rest != 0; rest &= rest - 1) {
    const T v = static_cast<T>(a[__builtin_ctz(rest)]);
    switch (kReduce) {
      case Reduce::kAdd:
        result = static_cast<T>(static_cast<u32>(result) + static_cast<u32>(v));
        break;
      case Reduce::kMin:
        result = v < result ? v : result;
        break;
      case Reduce::kMax:
        result = v > result ? v : result;
        break;
      case Reduce::kAnd:
        result = static_cast<T>(result & v);
        break;
      case Reduce::kOr:
        result = static_cast<T>(result | v);
        break;
      case Reduce::kXor:
        result = static_cast<T>(result ^ v);
        break;
    }
  }
  broadcast(f, d.slot[0], static_cast<u32>(result));
}

/// Minimum or maximum; +0 is greater than -0. Without .NaN, a NaN is the result only if every value
/// is a NaN.
template <bool kMax, bool kAbs, bool kNan>
void redux_float(const Frame& f, const Decoded& d) {
  const auto* a = cells<u32>(f, d.slot[2]);
  constexpr u32 kNotNumber = 0x7fffffff;
  bool has_nan = false;
  bool has_number = false;
  s32 best = 0;
  for (u32 rest = f.mask; rest != 0; rest &= rest - 1) {
    const u32 v = kAbs ? a[__builtin_ctz(rest)] & 0x7fffffffu : a[__builtin_ctz(rest)];
    if ((v & 0x7fffffffu) > 0x7f800000u) {
      has_nan = true;
      continue;
    }
    // The order of the values as integers: a negative value is below -0.
    const auto ordered = static_cast<s32>((v >> 31) != 0 ? v ^ 0x7fffffffu : v);
    if (!has_number || (kMax ? ordered > best : ordered < best)) best = ordered;
    has_number = true;
  }
  const auto bits = static_cast<u32>(best);
  const u32 value = (bits >> 31) != 0 ? bits ^ 0x7fffffffu : bits;
  broadcast(f, d.slot[0], !has_number || (kNan && has_nan) ? kNotNumber : value);
}

enum class Special { kClock, kClockHigh, kClock64, kTime, kSm, kSmCount, kWarp };

/// %globaltimer counts cycles as nanoseconds, because the clock frequency is unknown here.
template <Special kSpecial>
void special(const Frame& f, const Decoded& d) {
  const IssueContext& c = *f.context;
  switch (kSpecial) {
    case Special::kClock:
      broadcast(f, d.slot[0], static_cast<u32>(c.cycle));
      break;
    case Special::kClockHigh:
      broadcast(f, d.slot[0], static_cast<u32>(c.cycle >> 32));
      break;
    case Special::kClock64:
    case Special::kTime:
      broadcast64(f, d.slot[0], c.cycle);
      break;
    case Special::kSm:
      broadcast(f, d.slot[0], c.sm);
      break;
    case Special::kSmCount:
      broadcast(f, d.slot[0], c.sm_count);
      break;
    case Special::kWarp:
      broadcast(f, d.slot[0], c.warp_slot);
      break;
  }
}

/// Packs N parts of type P into one W (sources from slot 2), or unpacks them (destinations 0, 1, 3,
/// 4).
template <class W, class P, unsigned kParts>
void pack(const Frame& f, const Decoded& d) {
  write_lanes(f, cells<W>(f, d.slot[0]), [&](CellOf<W>* out) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      u64 value = 0;
      for (unsigned k = 0; k < kParts; ++k) {
        const u64 part = static_cast<P>(cells<P>(f, d.slot[2 + k])[i]);
        value |= part << (8 * sizeof(P) * k);
      }
      out[i] = static_cast<W>(value);
    }
  });
}
template <class W, class P, unsigned kParts>
void unpack(const Frame& f, const Decoded& d) {
  alignas(32) std::remove_cv_t<CellOf<W>> whole[kWarpLanes];
  const auto* from = cells<W>(f, d.slot[2]);
  for (unsigned i = 0; i < kWarpLanes; ++i) whole[i] = from[i];
  static constexpr unsigned kTo[] = {0, 1, 3, 4};
  for (unsigned k = 0; k < kParts; ++k) {
    write_lanes(f, cells<P>(f, d.slot[kTo[k]]), [&](CellOf<P>* out) {
      for (unsigned i = 0; i < kWarpLanes; ++i) {
        out[i] = static_cast<P>(whole[i] >> (8 * sizeof(P) * k));
      }
    });
  }
}

/// Copies 128 bits: sources in slots 2 and 3, results in slots 0 and 1.
void move128(const Frame& f, const Decoded& d) {
  alignas(32) Cell64 half[2][kWarpLanes];
  for (unsigned k = 0; k < 2; ++k) {
    const auto* from = cells<u64>(f, d.slot[2 + k]);
    for (unsigned i = 0; i < kWarpLanes; ++i) half[k][i] = from[i];
  }
  for (unsigned k = 0; k < 2; ++k) {
    blend(cells<u64>(f, d.slot[k]), static_cast<Cell64*>(half[k]), f.mask);
  }
}

u64 load_element(const std::byte* from, const MemoryForm& m) {
  u64 value = 0;
  __builtin_memcpy(&value, from, m.element_bytes);
  if (m.is_signed) {
    const unsigned shift = 64 - 8u * m.element_bytes;
    value = static_cast<u64>(static_cast<s64>(value << shift) >> shift);
  }
  return value;
}
/// ld.param of a kernel parameter: the same value in every lane. Slot 5 is the parameter.
void load_parameter(const Frame& f, const Decoded& d) {
  const std::byte* from = f.at(d.slot[5]);
  for (unsigned k = 0; k < d.memory.elements; ++k, from += d.memory.element_bytes) {
    const u64 value = load_element(from, d.memory);
    if (d.memory.wide_register)
      broadcast64(f, d.slot[k], value);
    else
      broadcast(f, d.slot[k], static_cast<u32>(value));
  }
}
/// Parameters of device functions, and .local variables at a fixed offset, per lane.
void load_fixed(const Frame& f, const Decoded& d) {
  for (unsigned k = 0; k < d.memory.elements; ++k) {
    const std::byte* from = f.at(d.slot[5]) + k * d.memory.element_bytes;
    for (u32 rest = f.mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(rest));
      const u64 value = load_element(from + std::size_t{i} * f.local_stride, d.memory);
      if (d.memory.wide_register)
        cells<u64>(f, d.slot[k])[i] = value;
      else
        cells<u32>(f, d.slot[k])[i] = static_cast<u32>(value);
    }
  }
}
void store_fixed(const Frame& f, const Decoded& d) {
  for (unsigned k = 0; k < d.memory.elements; ++k) {
    std::byte* to = f.at(d.slot[5]) + k * d.memory.element_bytes;
    for (u32 rest = f.mask; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(rest));
      const u64 value =
          d.memory.wide_register ? cells<u64>(f, d.slot[k])[i] : cells<u32>(f, d.slot[k])[i];
      __builtin_memcpy(to + std::size_t{i} * f.local_stride, &value, d.memory.element_bytes);
    }
  }
}

/// mapa: an address of the only CTA of the cluster; the CTA of another rank has no address.
template <class T>
T map_address(T a, u32 rank) {
  return rank == 0 ? a : ~T{0};
}
template <class T>
u32 rank_of(T) {
  return 0;
}

void nothing(const Frame&, const Decoded&) {}

void votes(AluTable& t) {
  constexpr Kind p = Kind::kPred;
  constexpr Kind k = Kind::kI32;
  for (const char* sync : {"", "sync"}) {
    const u8 sources = *sync != 0 ? 2 : 1;
    const Signature to_predicate{1, sources, {p, p, k}};
    t.add({&vote<Vote::kAll>, to_predicate, Unit::kAlu, 1}, "vote", sync, "all", "pred");
    t.add({&vote<Vote::kAny>, to_predicate, Unit::kAlu, 1}, "vote", sync, "any", "pred");
    t.add({&vote<Vote::kUniform>, to_predicate, Unit::kAlu, 1}, "vote", sync, "uni", "pred");
    t.add({&ballot, Signature{1, sources, {k, p, k}}, Unit::kAlu, 1}, "vote", sync, "ballot",
          "b32");
    const auto shuffle = Signature{1, static_cast<u8>(2 + sources), {k, k, k, k, k}};
    t.add({&shfl<Shuffle::kUp>, shuffle, Unit::kSfu, 1}, "shfl", sync, "up", "b32");
    t.add({&shfl<Shuffle::kDown>, shuffle, Unit::kSfu, 1}, "shfl", sync, "down", "b32");
    t.add({&shfl<Shuffle::kButterfly>, shuffle, Unit::kSfu, 1}, "shfl", sync, "bfly", "b32");
    t.add({&shfl<Shuffle::kIndex>, shuffle, Unit::kSfu, 1}, "shfl", sync, "idx", "b32");
  }
  t.add({&match_any<u32>, Signature{1, 2, {k, k, k}}, Unit::kSfu, 4}, "match", "any", "sync",
        "b32");
  t.add({&match_any<u64>, Signature{1, 2, {k, Kind::kI64, k}}, Unit::kSfu, 8}, "match", "any",
        "sync", "b64");
  t.add({&match_all<u32>, Signature{1, 2, {k, k, k}}, Unit::kSfu, 2}, "match", "all", "sync",
        "b32");
  t.add({&match_all<u64>, Signature{1, 2, {k, Kind::kI64, k}}, Unit::kSfu, 4}, "match", "all",
        "sync", "b64");
  t.add({&elect, Signature{1, 1, {k, k}}, Unit::kAlu, 1}, "elect", "sync");
  t.add({&activemask, Signature{1, 0, {k}}, Unit::kAlu, 1}, "activemask", "b32");
}

void reductions(AluTable& t) {
  constexpr Kind k = Kind::kI32;
  const Signature s{1, 2, {k, k, k}};
  const auto add = [&](Handler run, const char* op, const char* type) {
    t.add({run, s, Unit::kSfu, 2}, "redux", "sync", op, type);
  };
  add(&redux<u32, Reduce::kAdd>, "add", "u32");
  add(&redux<s32, Reduce::kAdd>, "add", "s32");
  add(&redux<u32, Reduce::kMin>, "min", "u32");
  add(&redux<s32, Reduce::kMin>, "min", "s32");
  add(&redux<u32, Reduce::kMax>, "max", "u32");
  add(&redux<s32, Reduce::kMax>, "max", "s32");
  add(&redux<u32, Reduce::kAnd>, "and", "b32");
  add(&redux<u32, Reduce::kOr>, "or", "b32");
  add(&redux<u32, Reduce::kXor>, "xor", "b32");
  const Signature floats{1, 2, {Kind::kF32, Kind::kF32, k}};
  const auto add_float = [&](Handler run, const char* op, const char* how) {
    t.add({run, floats, Unit::kSfu, 2}, "redux", "sync", op, how, "f32");
  };
  add_float(&redux_float<false, false, false>, "min", "");
  add_float(&redux_float<false, true, false>, "min", "abs");
  add_float(&redux_float<false, false, true>, "min", "NaN");
  add_float(&redux_float<false, true, true>, "min", "abs.NaN");
  add_float(&redux_float<true, false, false>, "max", "");
  add_float(&redux_float<true, true, false>, "max", "abs");
  add_float(&redux_float<true, false, true>, "max", "NaN");
  add_float(&redux_float<true, true, true>, "max", "abs.NaN");
}

}  // namespace

/// Names with a leading underscore are internal to the decoder.
void add_warp(AluTable& t);
void add_warp(AluTable& t) {
  votes(t);
  reductions(t);
  const Signature to32{1, 0, {Kind::kI32}};
  const Signature to64{1, 0, {Kind::kI64}};
  t.add({&special<Special::kClock>, to32, Unit::kAlu, 1}, "_%clock");
  t.add({&special<Special::kClockHigh>, to32, Unit::kAlu, 1}, "_%clock_hi");
  t.add({&special<Special::kClock64>, to64, Unit::kAlu, 2}, "_%clock64");
  t.add({&special<Special::kTime>, to64, Unit::kAlu, 2}, "_%globaltimer");
  t.add({&special<Special::kClock>, to32, Unit::kAlu, 1}, "_%globaltimer_lo");
  t.add({&special<Special::kClockHigh>, to32, Unit::kAlu, 1}, "_%globaltimer_hi");
  t.add({&special<Special::kSm>, to32, Unit::kAlu, 1}, "_%smid");
  t.add({&special<Special::kSmCount>, to32, Unit::kAlu, 1}, "_%nsmid");
  t.add({&special<Special::kWarp>, to32, Unit::kAlu, 1}, "_%warpid");
  constexpr Kind h = Kind::kI16;
  constexpr Kind w = Kind::kI32;
  constexpr Kind l = Kind::kI64;
  t.add({&pack<u32, u16, 2>, Signature{1, 2, {w, h, h}}, Unit::kAlu, 1}, "_pack.b32.2");
  t.add({&pack<u64, u32, 2>, Signature{1, 2, {l, w, w}}, Unit::kAlu, 1}, "_pack.b64.2");
  t.add({&pack<u64, u16, 4>, Signature{1, 4, {l, h, h, h, h}}, Unit::kAlu, 2}, "_pack.b64.4");
  t.add({&unpack<u32, u16, 2>, Signature{2, 1, {h, h, w}}, Unit::kAlu, 1}, "_unpack.b32.2");
  t.add({&unpack<u64, u32, 2>, Signature{2, 1, {w, w, l}}, Unit::kAlu, 1}, "_unpack.b64.2");
  t.add({&unpack<u64, u16, 4>, Signature{4, 1, {h, h, h, h, l}}, Unit::kAlu, 2}, "_unpack.b64.4");
  for (const char* space : {"", "shared"}) {
    map<map_address<u32>>(t, Unit::kAlu, 1, "mapa", space, "u32");
    map<map_address<u64>>(t, Unit::kAlu, 1, "mapa", space, "u64");
    map<rank_of<u32>>(t, Unit::kAlu, 1, "getctarank", space, "u32");
    map<rank_of<u64>>(t, Unit::kAlu, 1, "getctarank", space, "u64");
  }
  constexpr Kind b = Kind::kI8;
  t.add({&pack<u16, u8, 2>, Signature{1, 2, {h, b, b}}, Unit::kAlu, 1}, "_pack.b16.2");
  t.add({&pack<u32, u8, 4>, Signature{1, 4, {w, b, b, b, b}}, Unit::kAlu, 2}, "_pack.b32.4");
  t.add({&unpack<u16, u8, 2>, Signature{2, 1, {b, b, h}}, Unit::kAlu, 1}, "_unpack.b16.2");
  t.add({&unpack<u32, u8, 4>, Signature{4, 1, {b, b, b, b, w}}, Unit::kAlu, 2}, "_unpack.b32.4");
  t.add({&move128, Signature{2, 2, {l, l, l, l}}, Unit::kAlu, 4}, "_move128");
  t.add({&load_parameter, Signature{}, Unit::kAlu, 1}, "_load_parameter");
  t.add({&load_fixed, Signature{}, Unit::kAlu, 1}, "_load_fixed");
  t.add({&store_fixed, Signature{}, Unit::kAlu, 1}, "_store_fixed");
  t.add({&nothing, Signature{}, Unit::kAlu, 1}, "_nothing");
  t.add({&nothing, Signature{0, 1, {w}}, Unit::kAlu, 1}, "bar", "warp", "sync");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
