// SPDX-License-Identifier: Apache-2.0
#pragma once

// Device descriptors of a manifest's textures and surfaces.

#include <cstdint>

#include "stimuli/runner/manifest.h"
#include "stimuli/texture.h"

namespace tessera::kernels {

/// Throws InputError unless the sizes are in range and `count`, the array's number of elements,
/// matches the texels.
void check_texture(const Manifest& manifest, const TextureSpec& texture, const Sizes& sizes,
                   std::int64_t count);

/// The descriptor of a checked texture with its texels at `base`.
TextureDescriptor descriptor_of(const Manifest& manifest, const TextureSpec& texture,
                                const Sizes& sizes, Address base);

}  // namespace tessera::kernels
