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

/// The types with "x" are vectors: the operation is applied to each element. A lane of a vector
/// atomic (PTX ISA 9.7.13.5, .v2 to .v8) is one operand of a vector type.
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
  kF16,
  kBf16,
  kBf16x2,
  kB128,
  kF32x2,
  kF32x4,
  kF16x4,
  kF16x8,
  kBf16x4,
  kBf16x8
};

/// An operand of at most 16 bytes, in the low bytes.
__extension__ using AtomicWord = unsigned __int128;

/// The elements of a type.
struct AtomicElements {
  AtomicType type;     ///< a type of one element
  unsigned bytes = 4;  ///< of an element
  unsigned count = 1;
};
constexpr AtomicElements atomic_elements(AtomicType t) {
  switch (t) {
    case AtomicType::kU32:
    case AtomicType::kS32:
    case AtomicType::kB32:
    case AtomicType::kF32:
      return {t, 4, 1};
    case AtomicType::kU64:
    case AtomicType::kS64:
    case AtomicType::kB64:
    case AtomicType::kF64:
      return {t, 8, 1};
    case AtomicType::kB16:
    case AtomicType::kF16:
    case AtomicType::kBf16:
      return {t, 2, 1};
    case AtomicType::kB128:
      return {t, 16, 1};
    case AtomicType::kF32x2:
      return {AtomicType::kF32, 4, 2};
    case AtomicType::kF32x4:
      return {AtomicType::kF32, 4, 4};
    case AtomicType::kF16x2:
      return {AtomicType::kF16, 2, 2};
    case AtomicType::kF16x4:
      return {AtomicType::kF16, 2, 4};
    case AtomicType::kF16x8:
      return {AtomicType::kF16, 2, 8};
    case AtomicType::kBf16x2:
      return {AtomicType::kBf16, 2, 2};
    case AtomicType::kBf16x4:
      return {AtomicType::kBf16, 2, 4};
    case AtomicType::kBf16x8:
      return {AtomicType::kBf16, 2, 8};
  }
  return {t, 4, 1};
}

/// Bytes of one operand: 2 to 16.
constexpr unsigned atomic_bytes(AtomicType t) {
  const AtomicElements e = atomic_elements(t);
  return e.bytes * e.count;
}

/// The value that `op` leaves in memory. The result and the operands are the low bytes of the
/// words.
AtomicWord apply_atomic(AtomicOp op, AtomicType type, AtomicWord old, AtomicWord operand,
                        AtomicWord compare);

}  // namespace tessera
