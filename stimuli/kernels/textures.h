// SPDX-License-Identifier: Apache-2.0
#pragma once

// Textures and surfaces of a manifest as a device has them.

#include <cstdint>

#include "stimuli/kernels/manifest.h"
#include "stimuli/texture.h"

namespace tessera::kernels {

/// Throws InputError unless the sizes are in range and the array, of `count` elements, has exactly
/// as many as the texels need.
void check_texture(const Manifest& manifest, const TextureSpec& texture, const Sizes& sizes,
                   std::int64_t count);

/// The checked texture whose texels begin at `base`.
TextureDescriptor descriptor_of(const Manifest& manifest, const TextureSpec& texture,
                                const Sizes& sizes, Address base);

}  // namespace tessera::kernels
