// SPDX-License-Identifier: Apache-2.0
#pragma once

// Atomic operations on memory, as SMs ask for them and LLC slices perform them.

#include <cstdint>

namespace tessera {

enum class AtomicOp : std::uint8_t {
  kAdd,
  kMin,
  kMax,
  kInc,
  kDec,
  kAnd,
  kOr,
  kXor,
  kExchange,
  kCompareAndSwap
};

enum class AtomicType : std::uint8_t {
  kU32,
  kS32,
  kB32,
  kF32,
  kU64,
  kS64,
  kB64,
  kF64,
  kF16x2,
  kB16,
  kF16
};

/// Bytes of one operand.
constexpr unsigned atomic_bytes(AtomicType t) {
  const bool wide = t == AtomicType::kU64 || t == AtomicType::kS64 || t == AtomicType::kB64 ||
                    t == AtomicType::kF64;
  return wide ? 8 : t == AtomicType::kB16 || t == AtomicType::kF16 ? 2 : 4;
}

/// The value that `op` leaves in memory; operands are the low bytes of the 64-bit words.
std::uint64_t apply_atomic(AtomicOp op, AtomicType type, std::uint64_t old, std::uint64_t operand,
                           std::uint64_t compare);

}  // namespace tessera
