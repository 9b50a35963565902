// SPDX-License-Identifier: Apache-2.0
// mma.sync and movmatrix (PTX ISA 9.7.14.5, 9.7.14.5.17). mma.h has the layout. All 32 lanes
// execute them together (Action::kTogether).

#include "stimuli/ptx/matrix_lanes.h"
#include "stimuli/ptx/mma.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

using HalfMath = HalfBits<MatrixTag>;
using Type = MatrixType;

constexpr unsigned kColumns = MmaForm::kColumns;
constexpr unsigned kMostRows = 16;

const MmaForm& form_of(const Frame& f, const Decoded& d) {
  return *reinterpret_cast<const MmaForm*>(f.at(d.slot[4]));
}
/// The registers of A, B, C and D.
const Slot* slots_of(const Frame& f, const Decoded& d) {
  return reinterpret_cast<const Slot*>(f.at(d.slot[5]));
}

/// Reads A (rows * depth, by rows) or B (depth * 8, by rows) through `element`(type, register
/// bits, index).
template <class T, class Element>
void read_a(const Frame& f, const Slot* list, const MmaForm& form, T* to, Element element) {
  const unsigned each = mma_per_register(form.a);
  const unsigned halves = form.rows / 8u;
  for (unsigned r = 0; r < mma_registers(form.a, form.rows * form.depth); ++r) {
    const auto* from = cells<u32>(f, list[r]);
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      const unsigned row = lane / 4 + 8 * (r % halves);
      const unsigned k = lane % 4 * each + r / halves * 4 * each;
      for (unsigned e = 0; e < each; ++e) {
        to[row * form.depth + k + e] = element(form.a, from[lane], e);
      }
    }
  }
}
template <class T, class Element>
void read_b(const Frame& f, const Slot* list, const MmaForm& form, T* to, Element element) {
  const unsigned each = mma_per_register(form.b);
  for (unsigned r = 0; r < mma_registers(form.b, form.depth * kColumns); ++r) {
    const auto* from = cells<u32>(f, list[r]);
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      const unsigned k = lane % 4 * each + r * 4 * each;
      for (unsigned e = 0; e < each; ++e) {
        to[(k + e) * kColumns + lane / 4] = element(form.b, from[lane], e);
      }
    }
  }
}

/// Calls body(register, lane, element of a pair, index of the element in C or D by rows) for all
/// elements; a pair is two registers, or the halves of one.
template <class Body>
void for_accumulators(const MmaForm& form, bool half, Body body) {
  for (unsigned h = 0; h < form.rows / 8u; ++h) {
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      const unsigned at = (lane / 4 + 8 * h) * kColumns + lane % 4 * 2;
      for (unsigned e = 0; e < 2; ++e) body(half ? h : 2 * h + e, lane, e, at + e);
    }
  }
}

void read_c(const Frame& f, const Slot* list, const MmaForm& form, f32* to) {
  for_accumulators(form, form.c_half, [&](unsigned r, unsigned lane, unsigned e, unsigned at) {
    to[at] = form.c_half ? float_element(Type::kF16, cells<u32>(f, list[r])[lane], e)
                         : cells<f32>(f, list[r])[lane];
  });
}
void write_d(const Frame& f, const Slot* list, const MmaForm& form, const f32* from) {
  for_accumulators(form, form.d_half, [&](unsigned r, unsigned lane, unsigned e, unsigned at) {
    if (!form.d_half) {
      cells<f32>(f, list[r])[lane] = settled(from[at]);
      return;
    }
    u32& cell = cells<u32>(f, list[r])[lane];
    const u32 half = HalfMath::from_double(f64{from[at]});
    cell = e == 0 ? half : (cell & 0xffffu) | half << 16;
  });
}

/// D = A * B + C. Each element begins with C's value and adds the products in ascending k, rounded
/// to f32 after each addition. An f16 result is rounded once more.
void accumulate(unsigned rows, unsigned depth, const f32* a, const f32* b, f32* sum) {
  for (unsigned m = 0; m < rows; ++m) {
    f32* row = sum + m * kColumns;
    for (unsigned k = 0; k < depth; ++k) {
      const f32 left = a[m * depth + k];
      for (unsigned n = 0; n < kColumns; ++n) row[n] += left * b[k * kColumns + n];
    }
  }
}

void multiply(const Frame& f, const Decoded& d) {
  const MmaForm& form = form_of(f, d);
  const Slot* list = slots_of(f, d);
  f32 a[kMostRows * MmaForm::kMostDepth];
  f32 b[MmaForm::kMostDepth * kColumns];
  f32 sum[kMostRows * kColumns];
  read_a(f, list, form, a, float_element);
  list += mma_registers(form.a, form.rows * form.depth);
  read_b(f, list, form, b, float_element);
  list += mma_registers(form.b, form.depth * kColumns);
  read_c(f, list, form, sum);
  list += form.rows / (form.c_half ? 8u : 4u);
  accumulate(form.rows, form.depth, a, b, sum);
  write_d(f, list, form, sum);
}

/// D = A * B + C for integers.
void write_integers(const Frame& f, const Slot* list, const MmaForm& form, const s32* products) {
  const Slot* to = list + form.rows / 4u;
  for_accumulators(form, false, [&](unsigned r, unsigned lane, unsigned, unsigned at) {
    const auto c = static_cast<s32>(cells<u32>(f, list[r])[lane]);
    cells<u32>(f, to[r])[lane] =
        static_cast<u32>(finish_integer(s64{c} + products[at], form.saturates));
  });
}

void multiply_integer(const Frame& f, const Decoded& d) {
  const MmaForm& form = form_of(f, d);
  const Slot* list = slots_of(f, d);
  s32 a[kMostRows * MmaForm::kMostDepth];
  s32 b[MmaForm::kMostDepth * kColumns];
  s32 products[kMostRows * kColumns] = {};
  read_a(f, list, form, a, integer_element);
  list += mma_registers(form.a, form.rows * form.depth);
  read_b(f, list, form, b, integer_element);
  list += mma_registers(form.b, form.depth * kColumns);
  for (unsigned m = 0; m < form.rows; ++m) {
    for (unsigned k = 0; k < form.depth; ++k) {
      for (unsigned n = 0; n < kColumns; ++n) {
        products[m * kColumns + n] += a[m * form.depth + k] * b[k * kColumns + n];
      }
    }
  }
  write_integers(f, list, form, products);
}

/// Counts of the bits of rows of A combined with columns of B.
void multiply_bits(const Frame& f, const Decoded& d) {
  const MmaForm& form = form_of(f, d);
  const Slot* list = slots_of(f, d);
  const unsigned words = form.depth / 32u;
  const unsigned halves = form.rows / 8u;
  const Slot* b = list + words / 4 * halves;
  s32 products[kMostRows * kColumns] = {};
  // Word w of a row or column is in register w / 4 of lane w % 4 of the group.
  for (unsigned m = 0; m < form.rows; ++m) {
    for (unsigned n = 0; n < kColumns; ++n) {
      for (unsigned w = 0; w < words; ++w) {
        const u32 x = cells<u32>(f, list[w / 4 * halves + m / 8])[m % 8 * 4 + w % 4];
        const u32 y = cells<u32>(f, b[w / 4])[n * 4 + w % 4];
        products[m * kColumns + n] += __builtin_popcount(form.exclusive ? x ^ y : x & y);
      }
    }
  }
  write_integers(f, b + words / 4, form, products);
}

/// Each element begins with C's value and adds the products in ascending k, each with one rounding.
void multiply_double(const Frame& f, const Decoded& d) {
  const MmaForm& form = form_of(f, d);
  const Slot* list = slots_of(f, d);
  const unsigned halves = form.rows / 8u;
  const unsigned blocks = form.depth / 4u;
  const Slot* b = list + blocks * halves;
  const Slot* c = b + blocks;
  f64 sum[kMostRows * kColumns];
  for_accumulators(form, false, [&](unsigned r, unsigned lane, unsigned, unsigned at) {
    sum[at] = cells<f64>(f, c[r])[lane];
  });
  for (unsigned m = 0; m < form.rows; ++m) {
    for (unsigned k = 0; k < form.depth; ++k) {
      const f64 left = cells<f64>(f, list[k / 4 * halves + m / 8])[m % 8 * 4 + k % 4];
      for (unsigned n = 0; n < kColumns; ++n) {
        f64& to = sum[m * kColumns + n];
        to = fused(left, cells<f64>(f, b[k / 4])[n * 4 + k % 4], to);
      }
    }
  }
  const Slot* to = c + form.rows / 4u;
  for_accumulators(form, false, [&](unsigned r, unsigned lane, unsigned, unsigned at) {
    cells<f64>(f, to[r])[lane] = settled(sum[at]);
  });
}

/// m8n8k4 of .f16 (PTX ISA 9.7.14.5.1): product q belongs to lanes 4 q to 4 q + 3 and 4 q + 16 to
/// 4 q + 19.
class Quads {
 public:
  Quads(const Frame& f, const Decoded& d) : f_(f), form_(form_of(f, d)), list_(slots_of(f, d)) {}

  void run() {
    for (unsigned q = 0; q < 4; ++q) {
      f32 a[8 * 4];
      f32 b[4 * kColumns];
      for (unsigned i = 0; i < 8; ++i) {
        for (unsigned k = 0; k < 4; ++k) {
          a[i * 4 + k] = factor(q, list_, i, k, form_.a_by_rows);
          b[k * kColumns + i] = factor(q, list_ + 2, i, k, !form_.b_by_rows);
        }
      }
      f32* sum = sums_ + q * 64;
      for_sums(
          q, form_.c_half,
          [&](Slot slot, unsigned lane, unsigned half, unsigned at) {
            sum[at] = form_.c_half ? float_element(Type::kF16, cells<u32>(f_, slot)[lane], half)
                                   : cells<f32>(f_, slot)[lane];
          },
          list_ + 4);
      accumulate(8, 4, a, b, sum);
    }
    const Slot* d = list_ + 4 + (form_.c_half ? 4 : 8);
    for (unsigned q = 0; q < 4; ++q) {
      const f32* sum = sums_ + q * 64;
      for_sums(
          q, form_.d_half,
          [&](Slot slot, unsigned lane, unsigned half, unsigned at) {
            if (!form_.d_half) {
              cells<f32>(f_, slot)[lane] = settled(sum[at]);
              return;
            }
            u32& cell = cells<u32>(f_, slot)[lane];
            const u32 bits = HalfMath::from_double(f64{sum[at]});
            cell = half == 0 ? bits : (cell & 0xffffu) | bits << 16;
          },
          d);
    }
  }

 private:
  /// Element k of row i of A or of column i of B. `along`: a lane has a row (column), otherwise one
  /// k of four rows (columns).
  f32 factor(unsigned q, const Slot* list, unsigned i, unsigned k, bool along) const {
    const unsigned lane = 4 * q + (i / 4) * 16 + (along ? i % 4 : k);
    const unsigned e = along ? k : i % 4;
    return float_element(Type::kF16, cells<u32>(f_, list[e / 2])[lane], e % 2);
  }
  /// Calls body(slot, lane, half, index by rows) for the elements of C or D.
  template <class Body>
  void for_sums(unsigned q, bool half, Body body, const Slot* list) const {
    for (unsigned part = 0; part < 8; ++part) {
      const unsigned lane = 4 * q + part / 4 * 16 + part % 4;
      for (unsigned i = 0; i < 8; ++i) {
        const unsigned row = half ? part : part / 4 * 4 + (lane & 1) + (i & 2);
        const unsigned column = half ? i : (i & 4) + (lane & 2) + (i & 1);
        body(list[half ? i / 2 : i], lane, i % 2, row * kColumns + column);
      }
    }
  }

  const Frame& f_;
  const MmaForm& form_;
  const Slot* list_;
  f32 sums_[4 * 64];
};
void multiply_quads(const Frame& f, const Decoded& d) { Quads(f, d).run(); }

/// movmatrix: lane i has elements 2 * (i % 4) and the next of row i / 4 of an 8 by 8 matrix.
void transpose(const Frame& f, const Decoded& d) {
  const auto* a = cells<u32>(f, d.slot[2]);
  alignas(32) Cell32 fresh[kWarpLanes];
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const unsigned column = i / 4;  // of the source
    const auto element = [&](unsigned row) {
      return a[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffffu;
    };
    fresh[i] = element(i % 4 * 2) | element(i % 4 * 2 + 1) << 16;
  }
  blend(cells<u32>(f, d.slot[0]), static_cast<Cell32*>(fresh), f.mask);
}

}  // namespace

/// Names with a leading underscore are internal to the decoder.
void add_mma(AluTable& t);
void add_mma(AluTable& t) {
  t.add({&multiply, Signature{}, Unit::kSfu, 1}, "_mma");
  t.add({&multiply_integer, Signature{}, Unit::kSfu, 1}, "_mma_integer");
  t.add({&multiply_bits, Signature{}, Unit::kSfu, 1}, "_mma_bits");
  t.add({&multiply_double, Signature{}, Unit::kSfu, 1}, "_mma_double");
  t.add({&multiply_quads, Signature{}, Unit::kSfu, 1}, "_mma_quads");
  t.add({&transpose, Signature{1, 1, {Kind::kI32, Kind::kI32}}, Unit::kSfu, 2}, "_movmatrix");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
