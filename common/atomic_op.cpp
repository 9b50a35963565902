// SPDX-License-Identifier: Apache-2.0
#include "common/atomic_op.h"

#include <cstring>

#include "common/half.h"
#include "common/small_float.h"

namespace tessera {

namespace {

struct AtomicTag {};
using Half = HalfBits<AtomicTag>;
using Bfloat = BfloatBits<AtomicTag>;

template <class T>
T as(AtomicWord bits) {
  T v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

template <class T>
AtomicWord bits_of(T v) {
  AtomicWord bits = 0;
  std::memcpy(&bits, &v, sizeof v);
  return bits;
}

/// Sums with canonical NaNs, so that the result does not depend on the host.
AtomicWord add_f32(AtomicWord a, AtomicWord b) {
  const float sum = as<float>(a) + as<float>(b);
  return sum != sum ? 0x7fffffffu : bits_of(sum);
}
AtomicWord add_f64(AtomicWord a, AtomicWord b) {
  const double sum = as<double>(a) + as<double>(b);
  return sum != sum ? 0xfff8000000000000u : bits_of(sum);
}

/// A half or a bfloat16 as a double, exactly.
double small_value(AtomicType type, AtomicWord v) {
  const auto bits = static_cast<std::uint16_t>(v);
  return type == AtomicType::kF16 ? Half::to_float(bits) : Bfloat::to_float(bits);
}
/// Rounded once: the sum of two halves is exact in double precision, that of two bfloat16 is
/// rounded to odd.
AtomicWord add_small(AtomicType type, AtomicWord a, AtomicWord b) {
  const double sum = sum_to_odd<AtomicTag>(small_value(type, a), small_value(type, b));
  return type == AtomicType::kF16 ? Half::from_double(sum) : Bf16<AtomicTag>::from_double(sum);
}

AtomicWord add(AtomicType type, AtomicWord a, AtomicWord b) {
  switch (type) {
    case AtomicType::kF32:
      return add_f32(a, b);
    case AtomicType::kF64:
      return add_f64(a, b);
    case AtomicType::kF16:
    case AtomicType::kBf16:
      return add_small(type, a, b);
    default:
      return a + b;
  }
}

bool less(AtomicType type, AtomicWord a, AtomicWord b) {
  switch (type) {
    case AtomicType::kS32:
      return as<std::int32_t>(a) < as<std::int32_t>(b);
    case AtomicType::kS64:
      return as<std::int64_t>(a) < as<std::int64_t>(b);
    case AtomicType::kF32:
      return as<float>(a) < as<float>(b);
    case AtomicType::kF64:
      return as<double>(a) < as<double>(b);
    default:
      return a < b;
  }
}

/// The minimum or maximum of halves or bfloat16. As for the instructions min and max, a number
/// takes precedence over a NaN, and -0 is less than +0.
AtomicWord small_extreme(AtomicType type, bool maximum, AtomicWord a, AtomicWord b) {
  constexpr AtomicWord kNan = 0x7fff;
  const double x = small_value(type, a);
  const double y = small_value(type, b);
  if (x != x) return y != y ? kNan : b;
  if (y != y) return a;
  if (x == y) return maximum ? a & b : a | b;
  return (maximum ? x > y : x < y) ? a : b;
}

AtomicWord extreme(AtomicType type, bool maximum, AtomicWord a, AtomicWord b) {
  if (type == AtomicType::kF16 || type == AtomicType::kBf16) {
    return small_extreme(type, maximum, a, b);
  }
  return (maximum ? less(type, a, b) : less(type, b, a)) ? b : a;
}

/// The operation on one element.
AtomicWord apply_element(AtomicOp op, AtomicType type, AtomicWord a, AtomicWord b,
                         AtomicWord compare) {
  switch (op) {
    case AtomicOp::kAdd:
      return add(type, a, b);
    case AtomicOp::kMin:
      return extreme(type, false, a, b);
    case AtomicOp::kMax:
      return extreme(type, true, a, b);
    // Wrapping counters: 0 after b, b before 0 (and whatever is above b).
    case AtomicOp::kInc:
      return a >= b ? 0 : a + 1;
    case AtomicOp::kDec:
      return a == 0 || a > b ? b : a - 1;
    case AtomicOp::kAnd:
      return a & b;
    case AtomicOp::kOr:
      return a | b;
    case AtomicOp::kXor:
      return a ^ b;
    case AtomicOp::kExchange:
      return b;
    case AtomicOp::kCompareAndSwap:
      return a == compare ? b : a;
  }
  return b;
}

}  // namespace

AtomicWord apply_atomic(AtomicOp op, AtomicType type, AtomicWord old, AtomicWord operand,
                        AtomicWord compare) {
  const AtomicElements e = atomic_elements(type);
  const unsigned bits = 8 * e.bytes;
  const AtomicWord keep = ~AtomicWord{0} >> (128 - bits);
  AtomicWord result = 0;
  for (unsigned i = 0; i < e.count; ++i) {
    const unsigned at = i * bits;
    const AtomicWord value =
        apply_element(op, e.type, old >> at & keep, operand >> at & keep, compare >> at & keep);
    result |= (value & keep) << at;
  }
  return result;
}

}  // namespace tessera
