// SPDX-License-Identifier: Apache-2.0
// SIMD video instructions (PTX ISA 9.7.17): bytes or half-words of 32-bit registers.

#include "stimuli/ptx/lanes.h"
#include "stimuli/ptx/video.h"

namespace tessera::ptx::TESSERA_PTX_SIMD {
namespace {

s64 part(u32 v, unsigned bits, unsigned i, bool is_signed) {
  const u32 mask = (1u << bits) - 1;
  const u32 bare = v >> (bits * i) & mask;
  const bool negative = is_signed && (bare >> (bits - 1) & 1u) != 0;
  return s64{bare} - (negative ? s64{1} << bits : 0);
}

s64 combine(VideoForm::Operation operation, s64 a, s64 b) {
  switch (operation) {
    case VideoForm::Operation::kAdd:
      return a + b;
    case VideoForm::Operation::kSubtract:
      return a - b;
    case VideoForm::Operation::kAbsoluteDifference:
      return a < b ? b - a : a - b;
    case VideoForm::Operation::kMinimum:
      return b < a ? b : a;
    case VideoForm::Operation::kMaximum:
      return a < b ? b : a;
  }
  return 0;
}

/// With .add, the results of the parts are added to c; otherwise they are packed.
u32 video(const VideoForm& form, u32 a, u32 b, u32 c) {
  const unsigned bits = 32 / form.parts;
  u32 sum = c;
  u32 packed = 0;
  for (unsigned i = 0; i < form.parts; ++i) {
    s64 t =
        combine(form.operation, part(a, bits, i, form.a_signed), part(b, bits, i, form.b_signed));
    if (form.saturates) {
      const s64 highest = (s64{1} << (form.d_signed ? bits - 1 : bits)) - 1;
      const s64 lowest = form.d_signed ? -highest - 1 : 0;
      t = t < lowest ? lowest : t > highest ? highest : t;
    }
    sum += static_cast<u32>(t);
    packed |= (static_cast<u32>(t) & ((1u << bits) - 1)) << (bits * i);
  }
  return form.accumulates ? sum : packed;
}

void video_lanes(const Frame& f, const Decoded& d) {
  const VideoForm form = VideoForm::unpack(d.aux);
  const auto* a = cells<u32>(f, d.slot[2]);
  const auto* b = cells<u32>(f, d.slot[3]);
  const auto* c = cells<u32>(f, d.slot[4]);
  write_lanes(f, cells<u32>(f, d.slot[0]), [&](Cell32* out) {
    for (unsigned i = 0; i < kWarpLanes; ++i) out[i] = video(form, a[i], b[i], c[i]);
  });
}

}  // namespace

/// Names with a leading underscore are internal to the decoder.
void add_video(AluTable& t);
void add_video(AluTable& t) {
  constexpr Kind k = Kind::kI32;
  // The cost (ours): a sequence of four ALU operations.
  t.add({&video_lanes, Signature{1, 3, {k, k, k, k}}, Unit::kAlu, 4}, "_video");
}

}  // namespace tessera::ptx::TESSERA_PTX_SIMD
