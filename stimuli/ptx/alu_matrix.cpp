// SPDX-License-Identifier: Apache-2.0
// Matrix instructions (PTX ISA 9.7.14): addresses of fragments, transposition, multiply-add.
// matrix.h has the layout. All 32 lanes execute them together (Action::kTogether).

#include "stimuli/ptx/matrix_lanes.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

using HalfMath = HalfBits<MatrixTag>;

constexpr unsigned kMostElements = 32 * 16;
constexpr unsigned kMostBytes = 1024;
/// Sums of one product.
constexpr unsigned kMostSums = 256;

/// The list of registers in the constant bank, for instructions with more registers than slots.
const Slot* slot_list(const Frame& f, const Decoded& d) {
  return reinterpret_cast<const Slot*>(f.at(d.slot[5]));
}

/// Calls move(register's cells, packed bytes of that register of lane 0, bytes to the next lane's).
template <unsigned kWidth, class Move>
void for_registers(const Frame& f, const Slot* list, unsigned bytes, std::byte* packed, Move move) {
  using Cell = std::conditional_t<kWidth == 8, u64, u32>;
  const unsigned lane_bytes = fragment_lane_bytes(bytes);
  for (unsigned r = 0; r < fragment_registers(bytes, kWidth); ++r) {
    const unsigned at = kWidth * r;
    move(cells<Cell>(f, list[r]),
         packed + at / lane_bytes * (kWarpLanes * lane_bytes) + at % lane_bytes, lane_bytes);
  }
}
/// Reads the packed matrix from registers of kWidth bytes.
template <unsigned kWidth = 4>
void collect(const Frame& f, const Slot* list, unsigned bytes, void* to) {
  for_registers<kWidth>(f, list, bytes, static_cast<std::byte*>(to),
                        [](const auto* from, std::byte* at, unsigned step) {
                          for (unsigned i = 0; i < kWarpLanes; ++i) {
                            __builtin_memcpy(at + i * step, &from[i], kWidth);
                          }
                        });
}
template <unsigned kWidth = 4>
void distribute(const Frame& f, const Slot* list, unsigned bytes, void* from) {
  for_registers<kWidth>(f, list, bytes, static_cast<std::byte*>(from),
                        [](auto* to, const std::byte* at, unsigned step) {
                          for (unsigned i = 0; i < kWarpLanes; ++i) {
                            __builtin_memcpy(&to[i], at + i * step, kWidth);
                          }
                        });
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
      to[i] = base[i] + ((line * stride[i] << form.bit_shift) >> 3) + within;
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
  const bool wide = form.element_bytes == 8;
  wide ? collect<8>(f, list, bytes, from) : collect(f, list, bytes, from);
  for (unsigned line = 0; line < form.lines; ++line) {
    for (unsigned p = 0; p < form.positions; ++p) {
      __builtin_memcpy(to + (p * form.lines + line) * form.element_bytes,
                       from + (line * form.positions + p) * form.element_bytes, form.element_bytes);
    }
  }
  if (wide) {
    distribute<8>(f, list + fragment_registers(bytes, 8), bytes, to);
  } else {
    distribute(f, list + fragment_registers(bytes), bytes, to);
  }
}

const MatrixProduct& product_of(const Frame& f, const Decoded& d) {
  return *reinterpret_cast<const MatrixProduct*>(f.at(d.slot[4]));
}
/// Bytes of a fragment of A or B.
unsigned factor_bytes(MatrixType type, unsigned elements) {
  return elements * matrix_bits(type) / 8;
}

/// Reads the matrix as rows * columns values in row order, and moves `list` behind its registers.
template <class T, class Element>
void read_factor(const Frame& f, const Slot*& list, MatrixType type, unsigned rows,
                 unsigned columns, bool by_rows, T* to, Element element) {
  u32 packed[kMostBytes / 4];
  const unsigned bytes = factor_bytes(type, rows * columns);
  collect(f, list, bytes, packed);
  list += fragment_registers(bytes);
  const unsigned each = 32 / matrix_bits(type);
  for (unsigned r = 0; r < rows; ++r) {
    for (unsigned c = 0; c < columns; ++c) {
      const unsigned at = by_rows ? r * columns + c : c * rows + r;
      to[r * columns + c] = element(type, packed[at / each], at % each);
    }
  }
}
/// The same for both factors.
template <class T, class Element>
const Slot* read_factors(const Frame& f, const Decoded& d, T* a, T* b, Element element) {
  const MatrixProduct& form = product_of(f, d);
  const Slot* list = slot_list(f, d);
  read_factor(f, list, form.type, form.rows, form.depth, form.a_by_rows, a, element);
  read_factor(f, list, form.type, form.depth, form.columns, form.b_by_rows, b, element);
  return list;
}

/// D = A * B + C. Each element starts with C's value and adds the exact products in ascending k,
/// rounded to f32 after each addition. An f16 result is rounded once more.
void multiply(const Frame& f, const Decoded& d) {
  const MatrixProduct& form = product_of(f, d);
  const unsigned columns = form.columns;
  const unsigned count = form.rows * columns;
  f32 a[kMostElements];
  f32 b[kMostElements];
  f32 sum[kMostSums];
  const Slot* list = read_factors(f, d, a, b, float_element);
  if (form.c_half) {
    read_factor(f, list, MatrixType::kF16, form.rows, columns, true, sum, float_element);
  } else {
    collect(f, list, 4 * count, sum);
    list += fragment_registers(4 * count);
  }
  for (unsigned m = 0; m < form.rows; ++m) {
    f32* row = sum + m * columns;
    for (unsigned k = 0; k < form.depth; ++k) {
      const f32 left = a[m * form.depth + k];
      for (unsigned n = 0; n < columns; ++n) row[n] += left * b[k * columns + n];
    }
  }
  if (!form.d_half) {
    for (unsigned i = 0; i < count; ++i) sum[i] = settled(sum[i]);
    distribute(f, list, 4 * count, sum);
  } else {
    u16 halves[kMostSums];
    for (unsigned i = 0; i < count; ++i) halves[i] = HalfMath::from_double(f64{sum[i]});
    distribute(f, list, 2 * count, halves);
  }
}

/// Adds the products of integers to C and writes D.
void finish(const Frame& f, const Slot* list, const MatrixProduct& form, const s64* products) {
  const unsigned bytes = 4u * form.rows * form.columns;
  s32 sum[kMostSums];
  collect(f, list, bytes, sum);
  for (unsigned i = 0; i < bytes / 4; ++i) {
    sum[i] = finish_integer(sum[i] + products[i], form.saturates);
  }
  distribute(f, list + fragment_registers(bytes), bytes, sum);
}

void multiply_integer(const Frame& f, const Decoded& d) {
  const MatrixProduct& form = product_of(f, d);
  s32 a[kMostElements];
  s32 b[kMostElements];
  s64 products[kMostSums] = {};
  const Slot* list = read_factors(f, d, a, b, integer_element);
  for (unsigned m = 0; m < form.rows; ++m) {
    for (unsigned k = 0; k < form.depth; ++k) {
      for (unsigned n = 0; n < form.columns; ++n) {
        products[m * form.columns + n] += s64{a[m * form.depth + k]} * b[k * form.columns + n];
      }
    }
  }
  finish(f, list, form, products);
}

/// Counts of the bits of rows of A combined with columns of B, which are contiguous.
void multiply_bits(const Frame& f, const Decoded& d) {
  const MatrixProduct& form = product_of(f, d);
  const Slot* list = slot_list(f, d);
  const unsigned words = form.depth / 32u;
  u32 a[kMostBytes / 4];
  u32 b[kMostBytes / 4];
  s64 products[kMostSums] = {};
  collect(f, list, factor_bytes(form.type, form.rows * form.depth), a);
  list += fragment_registers(factor_bytes(form.type, form.rows * form.depth));
  collect(f, list, factor_bytes(form.type, form.depth * form.columns), b);
  list += fragment_registers(factor_bytes(form.type, form.depth * form.columns));
  for (unsigned m = 0; m < form.rows; ++m) {
    for (unsigned n = 0; n < form.columns; ++n) {
      for (unsigned w = 0; w < words; ++w) {
        const u32 x = a[m * words + w];
        const u32 y = b[n * words + w];
        products[m * form.columns + n] += __builtin_popcount(form.exclusive ? x ^ y : x & y);
      }
    }
  }
  finish(f, list, form, products);
}

/// Each element starts with C's value and adds the products in ascending k, each with one rounding.
void multiply_double(const Frame& f, const Decoded& d) {
  const MatrixProduct& form = product_of(f, d);
  const Slot* list = slot_list(f, d);
  f64 a[kMostBytes / 8];
  f64 b[kMostBytes / 8];
  f64 sum[kMostBytes / 8];
  const auto read = [&](unsigned elements, f64* to) {
    collect<8>(f, list, 8 * elements, to);
    list += fragment_registers(8 * elements, 8);
  };
  read(form.rows * form.depth, a);
  read(form.depth * form.columns, b);
  read(form.rows * form.columns, sum);
  for (unsigned m = 0; m < form.rows; ++m) {
    for (unsigned n = 0; n < form.columns; ++n) {
      f64& to = sum[m * form.columns + n];
      for (unsigned k = 0; k < form.depth; ++k) {
        to = fused(a[form.a_by_rows ? m * form.depth + k : k * form.rows + m],
                   b[form.b_by_rows ? k * form.columns + n : n * form.depth + k], to);
      }
      to = settled(to);
    }
  }
  distribute<8>(f, list, 8u * form.rows * form.columns, sum);
}

}  // namespace

/// Names with a leading underscore are internal to the decoder.
void add_matrix(AluTable& t);
void add_matrix(AluTable& t) {
  t.add({&address, Signature{}, Unit::kIntMul, 2}, "_wmma_address");
  t.add({&transpose, Signature{}, Unit::kSfu, 2}, "_wmma_transpose");
  t.add({&multiply, Signature{}, Unit::kSfu, 1}, "_wmma_multiply");
  t.add({&multiply_integer, Signature{}, Unit::kSfu, 1}, "_wmma_multiply_integer");
  t.add({&multiply_bits, Signature{}, Unit::kSfu, 1}, "_wmma_multiply_bits");
  t.add({&multiply_double, Signature{}, Unit::kSfu, 1}, "_wmma_multiply_double");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
