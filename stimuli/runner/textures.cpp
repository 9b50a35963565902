// SPDX-License-Identifier: Apache-2.0
#include "stimuli/runner/textures.h"

namespace tessera::kernels {
namespace {

/// Above all limits of a GPU (CUDA C++ Programming Guide, "Technical Specifications").
constexpr std::int64_t kMostTexels = std::int64_t{1} << 27;

TexelType texel_type(Element e) {
  switch (e) {
    case Element::kI8:
    case Element::kI16:
    case Element::kI32:
      return TexelType::kSigned;
    case Element::kF32:
      return TexelType::kFloat;
    default:
      return TexelType::kUnsigned;
  }
}

std::int64_t extent(const Manifest& m, const std::optional<Formula>& f, const Sizes& sizes) {
  if (!f) return 1;
  const std::int64_t v = m.value(*f, sizes);
  if (v < 1 || v > kMostTexels) {
    m.fail(f->pointer, "expected 1 to 2^27 texels, found " + std::to_string(v));
  }
  return v;
}

}  // namespace

void check_texture(const Manifest& m, const TextureSpec& t, const Sizes& sizes,
                   std::int64_t count) {
  std::int64_t elements = t.channels;
  for (const std::int64_t factor : {extent(m, t.width, sizes), extent(m, t.height, sizes),
                                    extent(m, t.depth, sizes), extent(m, t.layers, sizes)}) {
    if (__builtin_mul_overflow(elements, factor, &elements)) {
      m.fail(t.pointer, "the texels overflow");
    }
  }
  if (elements != count) {
    m.fail(t.pointer, "\"" + t.name + "\" needs " + std::to_string(elements) +
                          " elements (width * height * depth * layers * channels), but \"" +
                          t.array + "\" has " + std::to_string(count));
  }
}

TextureDescriptor descriptor_of(const Manifest& m, const TextureSpec& t, const Sizes& sizes,
                                Address base) {
  const Element type = m.array(t.array)->type;
  TextureDescriptor d;
  d.name = t.name;
  d.is_surface = t.is_surface;
  d.base = base;
  d.dimensions = t.depth ? 3 : t.height ? 2 : 1;
  d.width = static_cast<std::uint32_t>(extent(m, t.width, sizes));
  d.height = static_cast<std::uint32_t>(extent(m, t.height, sizes));
  d.depth = static_cast<std::uint32_t>(extent(m, t.depth, sizes));
  d.layers = t.layers ? static_cast<std::uint32_t>(extent(m, t.layers, sizes)) : 0;
  d.channels = t.channels;
  d.channel_bytes = element_bytes(type);
  d.type = texel_type(type);
  d.row_bytes = std::uint64_t{d.width} * d.texel_bytes();
  d.slice_bytes = d.row_bytes * d.height;
  d.layer_bytes = d.slice_bytes;
  d.addressing = t.addressing;
  d.filter = t.filter;
  d.normalized_coordinates = t.normalized_coordinates;
  d.normalized_read = t.normalized_read;
  d.linear_memory = t.linear_memory;
  d.border = t.border;
  return d;
}

}  // namespace tessera::kernels
