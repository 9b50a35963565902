// SPDX-License-Identifier: Apache-2.0
// Video instructions (PTX ISA 9.7.17): on one part of each operand, or on all bytes or half-words.

#include "stimuli/ptx/lanes.h"
#include "stimuli/ptx/video.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

using Wide = __int128;
using Operation = VideoForm::Operation;

/// The part as a number.
s64 extract(u64 v, VideoForm::Part part, bool is_signed) {
  const u64 bare = v >> part.position & ((u64{1} << part.width) - 1);
  const bool negative = is_signed && (bare >> (part.width - 1) & 1u) != 0;
  return static_cast<s64>(bare) - (negative ? s64{1} << part.width : 0);
}

template <class T>
T clamp_to(T v, unsigned bits, bool is_signed) {
  const T highest = (T{1} << (is_signed ? bits - 1 : bits)) - 1;
  const T lowest = is_signed ? -highest - 1 : T{0};
  return v < lowest ? lowest : v > highest ? highest : v;
}

bool holds(VideoForm::Compare compare, s64 a, s64 b) {
  switch (compare) {
    case VideoForm::Compare::kEq:
      return a == b;
    case VideoForm::Compare::kNe:
      return a != b;
    case VideoForm::Compare::kLt:
      return a < b;
    case VideoForm::Compare::kLe:
      return a <= b;
    case VideoForm::Compare::kGt:
      return a > b;
    case VideoForm::Compare::kGe:
      return a >= b;
  }
  return false;
}

/// A shift by up to 32 bits.
Wide shift(const VideoForm& form, s64 a, s64 b) {
  const u64 n = form.wraps ? static_cast<u64>(b) & 31u : static_cast<u64>(b < 32 ? b : 32);
  return form.operation == Operation::kShiftLeft ? Wide{a} * (Wide{1} << n) : Wide{a} >> n;
}

/// The operation on two parts, exactly.
Wide combine(const VideoForm& form, s64 a, s64 b) {
  switch (form.operation) {
    case Operation::kAdd:
    case Operation::kMultiplyAdd:
      return a + b;
    case Operation::kSubtract:
      return a - b;
    case Operation::kAbsoluteDifference:
      return a < b ? b - a : a - b;
    case Operation::kMinimum:
      return b < a ? b : a;
    case Operation::kMaximum:
      return a < b ? b : a;
    case Operation::kAverage:
      return (a + b >= 0 ? a + b + 1 : a + b) >> 1;
    case Operation::kShiftLeft:
    case Operation::kShiftRight:
      return shift(form, a, b);
    case Operation::kCompare:
      return holds(form.compare, a, b) ? 1 : 0;
  }
  return 0;
}

/// vmad: the product, or its complement, plus c, scaled. The manual's sequence of steps.
u32 multiply_add(const VideoForm& form, s64 a, s64 b, u32 c) {
  const bool is_signed = form.a_signed || form.b_signed || form.negates_product || form.negates_c;
  Wide sum = Wide{a} * b;
  u32 addend = c;
  Wide one = form.plus_one ? 1 : 0;
  if (form.negates_product) {
    sum = -sum - 1;
    one = 1;
  } else if (form.negates_c) {
    addend = ~c;
    one = 1;
  }
  sum += (is_signed ? Wide{static_cast<s32>(addend)} : Wide{addend}) + one;
  sum >>= form.scale;
  return static_cast<u32>(form.saturates ? clamp_to(sum, 32, is_signed) : sum);
}

/// A scalar instruction: the second operation or the merge with c follows the saturation.
u32 scalar(const VideoForm& form, u32 a, u32 b, u32 c) {
  const s64 x = extract(a, form.a[0], form.a_signed);
  const s64 y = extract(b, form.b[0], form.b_signed);
  if (form.operation == Operation::kMultiplyAdd) return multiply_add(form, x, y, c);
  Wide t = combine(form, x, y);
  if (form.saturates) t = clamp_to(t, form.merge.width, form.d_signed);
  const Wide third = form.d_signed ? Wide{static_cast<s32>(c)} : Wide{c};
  switch (form.second) {
    case VideoForm::Second::kNone:
      break;
    case VideoForm::Second::kAdd:
      t += third;
      break;
    case VideoForm::Second::kMinimum:
      t = third < t ? third : t;
      break;
    case VideoForm::Second::kMaximum:
      t = t < third ? third : t;
      break;
  }
  const auto bits = static_cast<u32>(t);
  if (form.merge.width == 32) return bits;
  const u32 field = ((1u << form.merge.width) - 1) << form.merge.position;
  return (bits << form.merge.position & field) | (c & ~field);
}

/// With .add, the results of the parts are added to c; otherwise they are packed.
u32 simd(const VideoForm& form, u32 a, u32 b, u32 c) {
  const unsigned bits = 32 / form.parts;
  const u32 ones = (1u << bits) - 1;
  const u64 both = u64{b} << 32 | a;
  u32 sum = c;
  u32 packed = c;
  for (unsigned i = 0; i < form.parts; ++i) {
    if ((form.mask >> i & 1u) == 0) continue;
    auto t = static_cast<s64>(combine(form, extract(both, form.a[i], form.a_signed),
                                      extract(both, form.b[i], form.b_signed)));
    if (form.saturates) t = clamp_to(t, bits, form.d_signed);
    sum += static_cast<u32>(t);
    packed = (packed & ~(ones << (bits * i))) | (static_cast<u32>(t) & ones) << (bits * i);
  }
  return form.second == VideoForm::Second::kAdd ? sum : packed;
}

void video(const Frame& f, const Decoded& d) {
  const auto& form = *reinterpret_cast<const VideoForm*>(f.at(d.slot[5]));
  const auto* a = cells<u32>(f, d.slot[2]);
  const auto* b = cells<u32>(f, d.slot[3]);
  const auto* c = cells<u32>(f, d.slot[4]);
  write_lanes(f, cells<u32>(f, d.slot[0]), [&](Cell32* out) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      out[i] = form.parts == 1 ? scalar(form, a[i], b[i], c[i]) : simd(form, a[i], b[i], c[i]);
    }
  });
}

}  // namespace

/// Names with a leading underscore are internal to the decoder.
void add_video(AluTable& t);
void add_video(AluTable& t) {
  constexpr Kind k = Kind::kI32;
  // The cost (ours): a sequence of four ALU operations.
  t.add({&video, Signature{1, 3, {k, k, k, k}}, Unit::kAlu, 4}, "_video");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
