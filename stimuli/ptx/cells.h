// SPDX-License-Identifier: Apache-2.0
#pragma once

// The types of a lane's cell, for the handler files (alu_*.cpp) only. All definitions are in an
// unnamed namespace, because those files are compiled for two instruction sets.

#include <cstdint>
#include <type_traits>

#include "stimuli/ptx/alu_table.h"
#include "stimuli/ptx/exec.h"

#ifndef TESSERA_PTX_SIMD
#define TESSERA_PTX_SIMD portable
#endif

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;

/// A half-precision value, as its bits.
struct Half {
  u16 bits = 0;
};
/// Two half-precision values in a 32-bit register.
struct Half2 {
  u32 bits = 0;
};
struct Bfloat {
  u16 bits = 0;
};

/// The handler files are compiled with -fno-strict-aliasing, so that a cell can be read as f32 and
/// as u32.
using Cell32 = u32;
using Cell64 = u64;

/// Representation of a type in a lane's cell.
template <class T>
struct Lane {
  using Cell = std::conditional_t<sizeof(T) == 8, Cell64, Cell32>;
  static T get(Cell c) { return static_cast<T>(c); }
  static Cell put(T v) { return static_cast<Cell>(static_cast<std::make_unsigned_t<T>>(v)); }
  static constexpr Kind kKind = sizeof(T) == 1   ? Kind::kI8
                                : sizeof(T) == 2 ? Kind::kI16
                                : sizeof(T) == 4 ? Kind::kI32
                                                 : Kind::kI64;
};
template <>
struct Lane<f32> {
  using Cell = f32;
  static f32 get(f32 c) { return c; }
  static f32 put(f32 v) { return v; }
  static constexpr Kind kKind = Kind::kF32;
};
template <>
struct Lane<f64> {
  using Cell = f64;
  static f64 get(f64 c) { return c; }
  static f64 put(f64 v) { return v; }
  static constexpr Kind kKind = Kind::kF64;
};
template <>
struct Lane<Half> {
  using Cell = Cell32;
  static Half get(u32 c) { return Half{static_cast<u16>(c)}; }
  static u32 put(Half v) { return v.bits; }
  static constexpr Kind kKind = Kind::kF16;
};
template <>
struct Lane<Half2> {
  using Cell = Cell32;
  static Half2 get(u32 c) { return Half2{c}; }
  static u32 put(Half2 v) { return v.bits; }
  static constexpr Kind kKind = Kind::kI32;
};
template <>
struct Lane<Bfloat> {
  using Cell = Cell32;
  static Bfloat get(u32 c) { return Bfloat{static_cast<u16>(c)}; }
  static u32 put(Bfloat v) { return v.bits; }
  static constexpr Kind kKind = Kind::kF16;
};

template <class T>
using CellOf = typename Lane<T>::Cell;

template <class T>
CellOf<T>* cells(const Frame& f, Slot s) {
  return reinterpret_cast<CellOf<T>*>(f.at(s));
}

inline Cell32& predicate(const Frame& f, Slot s) { return *reinterpret_cast<Cell32*>(f.at(s)); }

template <class T>
constexpr const char* name_of() {
  if constexpr (std::is_same_v<T, f32>)
    return "f32";
  else if constexpr (std::is_same_v<T, f64>)
    return "f64";
  else if constexpr (std::is_same_v<T, u8>)
    return "u8";
  else if constexpr (std::is_same_v<T, s8>)
    return "s8";
  else if constexpr (std::is_same_v<T, u16>)
    return "u16";
  else if constexpr (std::is_same_v<T, s16>)
    return "s16";
  else if constexpr (std::is_same_v<T, u32>)
    return "u32";
  else if constexpr (std::is_same_v<T, s32>)
    return "s32";
  else if constexpr (std::is_same_v<T, u64>)
    return "u64";
  else if constexpr (std::is_same_v<T, Half>)
    return "f16";
  else if constexpr (std::is_same_v<T, Bfloat>)
    return "bf16";
  else
    return "s64";
}

/// Name of the untyped type of the same width.
template <class T>
constexpr const char* bits_name() {
  return sizeof(T) == 1 ? "b8" : sizeof(T) == 2 ? "b16" : sizeof(T) == 4 ? "b32" : "b64";
}

}  // namespace
}  // namespace tessera::ptx::TESSERA_PTX_SIMD
