// SPDX-License-Identifier: Apache-2.0
// Matrix instructions (PTX ISA 9.7.14): addresses of fragments, transposition, multiply-add.
// matrix.h has the layout. All 32 lanes execute them together (Action::kTogether).

#include "stimuli/ptx/float_lanes.h"
#include "stimuli/ptx/half.h"
#include "stimuli/ptx/matrix.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

struct MatrixTag {};
using HalfMath = HalfBits<MatrixTag>;
using BfloatMath = BfloatBits<MatrixTag>;

constexpr unsigned kMostElements = 32 * 16;
constexpr unsigned kMostBytes = 1024;

/// The list of registers in the constant bank, for instructions with more registers than slots.
const Slot* slot_list(const Frame& f, const Decoded& d) {
  return reinterpret_cast<const Slot*>(f.at(d.slot[5]));
}

/// Reads the packed matrix from the registers.
void collect(const Frame& f, const Slot* list, unsigned bytes, std::byte* to) {
  const unsigned width = fragment_lane_bytes(bytes);
  for (unsigned r = 0; r < fragment_registers(bytes); ++r) {
    const auto* from = cells<u32>(f, list[r]);
    std::byte* at = to + 4 * r / width * (kWarpLanes * width) + 4 * r % width;
    for (unsigned i = 0; i < kWarpLanes; ++i) __builtin_memcpy(at + i * width, &from[i], 4);
  }
}
void distribute(const Frame& f, const Slot* list, unsigned bytes, const std::byte* from) {
  const unsigned width = fragment_lane_bytes(bytes);
  for (unsigned r = 0; r < fragment_registers(bytes); ++r) {
    auto* to = cells<u32>(f, list[r]);
    const std::byte* at = from + 4 * r / width * (kWarpLanes * width) + 4 * r % width;
    for (unsigned i = 0; i < kWarpLanes; ++i) __builtin_memcpy(&to[i], at + i * width, 4);
  }
}

void address(const Frame& f, const Decoded& d) {
  const FragmentAddress form = FragmentAddress::unpack(d.aux);
  const auto* stride = cells<u32>(f, d.slot[3]);
  alignas(32) u64 base[kWarpLanes];
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    // 32-bit addresses wrap at 32 bits.
    base[i] = form.wide_base != 0
                  ? cells<u64>(f, d.slot[2])[i] + static_cast<u64>(d.displacement)
                  : static_cast<u32>(cells<u32>(f, d.slot[2])[i] +
                                     static_cast<u32>(static_cast<u64>(d.displacement)));
  }
  for (unsigned access = 0; access < form.accesses; ++access) {
    auto* to = cells<u64>(f, d.slot[access]);
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      const u64 at = u64{access * kWarpLanes + i} * form.lane_bytes;
      const u64 line = at >> form.line_shift;
      const u64 within = at & ((u64{1} << form.line_shift) - 1);
      to[i] = base[i] + (line * stride[i] << form.element_shift) + within;
    }
  }
  const Slot* list = slot_list(f, d);
  for (unsigned r = 0; r < form.cleared; ++r) {
    auto* to = cells<u32>(f, list[r]);
    for (unsigned i = 0; i < kWarpLanes; ++i) to[i] = 0;
  }
}

void transpose(const Frame& f, const Decoded& d) {
  const FragmentTranspose form = FragmentTranspose::unpack(d.aux);
  const unsigned bytes = form.lines * form.positions * form.element_bytes;
  const Slot* list = slot_list(f, d);
  std::byte from[kMostBytes];
  std::byte to[kMostBytes];
  collect(f, list, bytes, from);
  for (unsigned line = 0; line < form.lines; ++line) {
    for (unsigned p = 0; p < form.positions; ++p) {
      __builtin_memcpy(to + (p * form.lines + line) * form.element_bytes,
                       from + (line * form.positions + p) * form.element_bytes, form.element_bytes);
    }
  }
  distribute(f, list + fragment_registers(bytes), bytes, to);
}

/// Reads the matrix as rows * columns values in row order.
void read_matrix(const Frame& f, const Slot* list, unsigned rows, unsigned columns, bool by_rows,
                 bool bfloat, f32* to) {
  u16 packed[kMostElements];
  collect(f, list, 2 * rows * columns, reinterpret_cast<std::byte*>(packed));
  for (unsigned r = 0; r < rows; ++r) {
    for (unsigned c = 0; c < columns; ++c) {
      const u16 bits = packed[by_rows ? r * columns + c : c * rows + r];
      to[r * columns + c] = bfloat ? BfloatMath::to_float(bits) : HalfMath::to_float(bits);
    }
  }
}

/// D = A * B + C. Each element starts with C's value and adds the exact products in ascending k,
/// rounded to f32 after each addition. An f16 result is rounded once more.
void multiply(const Frame& f, const Decoded& d) {
  constexpr unsigned kDepth = MatrixProduct::kDepth;
  const MatrixProduct form = MatrixProduct::unpack(d.aux);
  const unsigned rows = form.rows;
  const unsigned columns = form.columns;
  const unsigned count = rows * columns;
  const bool bfloat = form.bfloat != 0;
  const Slot* list = slot_list(f, d);
  f32 a[kMostElements];
  f32 b[kMostElements];
  f32 sum[kMostElements];
  read_matrix(f, list, rows, kDepth, form.a_by_rows != 0, bfloat, a);
  list += fragment_registers(2 * rows * kDepth);
  read_matrix(f, list, kDepth, columns, form.b_by_rows != 0, bfloat, b);
  list += fragment_registers(2 * kDepth * columns);
  if (form.c_single != 0) {
    collect(f, list, 4 * count, reinterpret_cast<std::byte*>(sum));
  } else {
    read_matrix(f, list, rows, columns, true, false, sum);
  }
  list += fragment_registers((form.c_single != 0 ? 4 : 2) * count);
  for (unsigned m = 0; m < rows; ++m) {
    f32* row = sum + m * columns;
    for (unsigned k = 0; k < kDepth; ++k) {
      const f32 left = a[m * kDepth + k];
      for (unsigned n = 0; n < columns; ++n) row[n] += left * b[k * columns + n];
    }
  }
  if (form.d_single != 0) {
    for (unsigned i = 0; i < count; ++i) sum[i] = settled(sum[i]);
    distribute(f, list, 4 * count, reinterpret_cast<const std::byte*>(sum));
  } else {
    u16 halves[kMostElements];
    for (unsigned i = 0; i < count; ++i) halves[i] = HalfMath::from_double(f64{sum[i]});
    distribute(f, list, 2 * count, reinterpret_cast<const std::byte*>(halves));
  }
}

/// D = A * B + C for 8-bit integers, in 32 bits that wrap or saturate at the end.
void multiply_integer(const Frame& f, const Decoded& d) {
  constexpr unsigned kDepth = MatrixProduct::kDepth;
  const MatrixProduct form = MatrixProduct::unpack(d.aux);
  const unsigned count = form.rows * form.columns;
  const Slot* list = slot_list(f, d);
  u8 a[kMostElements];
  u8 b[kMostElements];
  s32 sum[kMostElements];
  collect(f, list, form.rows * kDepth, reinterpret_cast<std::byte*>(a));
  list += fragment_registers(form.rows * kDepth);
  collect(f, list, kDepth * form.columns, reinterpret_cast<std::byte*>(b));
  list += fragment_registers(kDepth * form.columns);
  collect(f, list, 4 * count, reinterpret_cast<std::byte*>(sum));
  list += fragment_registers(4 * count);
  const auto value = [&](u8 v) { return form.is_signed != 0 ? s64{static_cast<s8>(v)} : s64{v}; };
  for (unsigned m = 0; m < form.rows; ++m) {
    for (unsigned n = 0; n < form.columns; ++n) {
      s64 total = sum[m * form.columns + n];
      for (unsigned k = 0; k < kDepth; ++k) {
        total += value(a[form.a_by_rows != 0 ? m * kDepth + k : k * form.rows + m]) *
                 value(b[form.b_by_rows != 0 ? k * form.columns + n : n * kDepth + k]);
      }
      if (form.saturates != 0) {
        total = total < s64{INT32_MIN} ? s64{INT32_MIN} : total;
        total = total > s64{INT32_MAX} ? s64{INT32_MAX} : total;
      }
      sum[m * form.columns + n] = static_cast<s32>(total);
    }
  }
  distribute(f, list, 4 * count, reinterpret_cast<const std::byte*>(sum));
}

}  // namespace

/// Names with a leading underscore are internal to the decoder.
void add_matrix(AluTable& t);
void add_matrix(AluTable& t) {
  t.add({&address, Signature{}, Unit::kIntMul, 2}, "_wmma_address");
  t.add({&transpose, Signature{}, Unit::kSfu, 2}, "_wmma_transpose");
  t.add({&multiply, Signature{}, Unit::kSfu, 1}, "_wmma_multiply");
  t.add({&multiply_integer, Signature{}, Unit::kSfu, 1}, "_wmma_multiply_integer");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
