// SPDX-License-Identifier: Apache-2.0
#pragma once

// Textures with random texels for the tests of texture and surface instructions, and the kernels
// that sample them: one thread, one fetch.

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/stimuli/ptx/kernel_runner.h"

namespace tessera::test {

/// A kernel of (out, in, tex) whose thread has its 16 bytes of input as {%r4 to %r7}, the last
/// three also as %f1 to %f3, and writes %r8 to %r11 (or %f8 to %f11) to its 16 bytes of output.
/// %rd3 is the handle.
inline std::string fetch_text(const std::string& body, bool floats = true,
                              const std::string& module_scope = {}) {
  return ".version 7.0\n.target sm_75\n.address_size 64\n" + module_scope +
         "\n.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 tex)\n{\n"
         ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<33>;\n.reg .b64 %rd<17>;\n"
         ".reg .f32 %f<33>;\n"
         "ld.param.u64 %rd0, [out];\nld.param.u64 %rd2, [in];\nld.param.u64 %rd3, [tex];\n"
         "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"
         "mad.lo.s32 %r0, %r1, %r2, %r0;\nmul.wide.u32 %rd15, %r0, 16;\n"
         "add.u64 %rd2, %rd2, %rd15;\nadd.u64 %rd1, %rd0, %rd15;\n"
         "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd2];\n"
         "mov.b32 %f1, %r5;\nmov.b32 %f2, %r6;\nmov.b32 %f3, %r7;\n" +
         body +
         (floats ? "st.global.v4.f32 [%rd1], {%f8, %f9, %f10, %f11};\n"
                 : "st.global.v4.u32 [%rd1], {%r8, %r9, %r10, %r11};\n") +
         "ret;\n}\n";
}

/// "1d" to "3d", "a1d", "a2d", and the coordinate tuple that goes with it.
inline std::string geometry_of(const TextureDescriptor& t) {
  return (t.layers != 0 ? "a" : "") + std::to_string(t.dimensions) + "d";
}
inline std::string tuple_of(const TextureDescriptor& t, bool integers) {
  const std::string r = integers ? "%r" : "%f";
  const unsigned first = integers ? 5 : 1;
  std::string text = t.layers != 0 ? "{%r4, " : "{";
  for (unsigned a = 0; a < t.dimensions; ++a) {
    text += (a != 0 ? ", " : "") + r + std::to_string(first + a);
  }
  const bool pads = t.dimensions == 3 || (t.layers != 0 && t.dimensions == 2);
  return text + (pads ? ", " + r + std::to_string(first) : "") + "}";
}

/// Fills in pitches (with space behind each row, slice and layer) and the base, and the texels'
/// bytes with random ones; floats become small multiples of 1/16.
inline void place_texture(KernelRunner& k, TextureDescriptor& t, std::mt19937& random) {
  t.name = "image";
  t.row_bytes = std::uint64_t{t.width + 3} * t.texel_bytes();
  t.slice_bytes = t.row_bytes * (t.dimensions > 1 ? t.height + 1 : 1);
  t.layer_bytes = t.slice_bytes * (t.dimensions > 2 ? t.depth : 1);
  const std::uint64_t bytes = t.layer_bytes * std::max(1u, t.layers);
  t.base = k.allocations.allocate("image", bytes).begin;
  for (std::uint64_t at = 0; at + t.channel_bytes <= bytes; at += t.channel_bytes) {
    std::uint32_t v = random();
    if (t.type == TexelType::kFloat && t.channel_bytes == 4) {
      const float f = static_cast<float>(static_cast<int>(v % 4096) - 2048) / 16;
      std::memcpy(&v, &f, 4);
    } else if (t.type == TexelType::kFloat) {
      v = (v & 0x83ffu) | ((10 + v % 9) << 10);  // a finite half of 2^-5 to 2^4
    }
    std::memcpy(k.memory.at(t.base + at), &v, t.channel_bytes);
  }
}

/// The bits of a texel's channel; the indices are within the texture.
inline std::uint32_t raw_channel(const KernelRunner& k, const TextureDescriptor& t, long x, long y,
                                 long z, long layer, unsigned channel) {
  std::uint32_t v = 0;
  const auto at =
      static_cast<std::uint64_t>(layer) * t.layer_bytes +
      static_cast<std::uint64_t>(z) * t.slice_bytes + static_cast<std::uint64_t>(y) * t.row_bytes +
      static_cast<std::uint64_t>(x) * t.texel_bytes() + std::uint64_t{channel} * t.channel_bytes;
  std::memcpy(&v, k.memory.at(t.base + at), t.channel_bytes);
  return v;
}

inline std::uint32_t float_bits(float f) {
  std::uint32_t v;
  std::memcpy(&v, &f, sizeof v);
  return v;
}

/// The message of the error that the launch ends with.
template <class Run>
std::string error_of(const Run& run) {
  try {
    run();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "ran";
}

}  // namespace tessera::test
