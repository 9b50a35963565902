// SPDX-License-Identifier: Apache-2.0
#include "stimuli/atomic_op.h"

#include <cstring>

#include "stimuli/ptx/half.h"

namespace tessera {

namespace {

template <class T>
T as(std::uint64_t bits) {
  T v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

template <class T>
std::uint64_t bits_of(T v) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof v);
  return bits;
}

/// Sums with canonical NaNs, so that the result does not depend on the host.
std::uint64_t add_f32(std::uint64_t a, std::uint64_t b) {
  const float sum = as<float>(a) + as<float>(b);
  return sum != sum ? 0x7fffffffu : bits_of(sum);
}
std::uint64_t add_f64(std::uint64_t a, std::uint64_t b) {
  const double sum = as<double>(a) + as<double>(b);
  return sum != sum ? 0xfff8000000000000u : bits_of(sum);
}
std::uint64_t add_f16(std::uint64_t a, std::uint64_t b) {
  using Half = ptx::HalfBits<struct AtomicTag>;
  const double sum = static_cast<double>(Half::to_float(static_cast<std::uint16_t>(a))) +
                     static_cast<double>(Half::to_float(static_cast<std::uint16_t>(b)));
  return Half::from_double(sum);
}

std::uint64_t add(AtomicType type, std::uint64_t a, std::uint64_t b) {
  switch (type) {
    case AtomicType::kF32:
      return add_f32(a, b);
    case AtomicType::kF64:
      return add_f64(a, b);
    case AtomicType::kF16:
      return add_f16(a, b);
    case AtomicType::kF16x2:
      return add_f16(a >> 16, b >> 16) << 16 | add_f16(a, b);
    default:
      return a + b;
  }
}

bool less(AtomicType type, std::uint64_t a, std::uint64_t b) {
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

}  // namespace

std::uint64_t apply_atomic(AtomicOp op, AtomicType type, std::uint64_t old, std::uint64_t operand,
                           std::uint64_t compare) {
  const std::uint64_t keep = ~std::uint64_t{0} >> (64 - 8 * atomic_bytes(type));
  const std::uint64_t a = old & keep;
  const std::uint64_t b = operand & keep;
  std::uint64_t result = b;
  switch (op) {
    case AtomicOp::kAdd:
      result = add(type, a, b);
      break;
    case AtomicOp::kMin:
      result = less(type, b, a) ? b : a;
      break;
    case AtomicOp::kMax:
      result = less(type, a, b) ? b : a;
      break;
    // Wrapping counters: 0 after b, b before 0 (and whatever is above b).
    case AtomicOp::kInc:
      result = a >= b ? 0 : a + 1;
      break;
    case AtomicOp::kDec:
      result = a == 0 || a > b ? b : a - 1;
      break;
    case AtomicOp::kAnd:
      result = a & b;
      break;
    case AtomicOp::kOr:
      result = a | b;
      break;
    case AtomicOp::kXor:
      result = a ^ b;
      break;
    case AtomicOp::kExchange:
      break;
    case AtomicOp::kCompareAndSwap:
      result = a == (compare & keep) ? b : a;
      break;
  }
  return result & keep;
}

}  // namespace tessera
