// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks arguments of a launch against the parameters of its kernel.

#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/ptx/module.h"
#include "stimuli/runner/manifest.h"

namespace tessera::kernels {

/// C's layout of a value.
struct Layout {
  std::uint64_t bytes = 0;
  std::uint64_t align = 1;
  std::vector<std::uint64_t> offsets;  ///< offsets of a structure's members
};

Layout layout_of(const Manifest& manifest, const ArgumentSpec& argument);
Layout layout_of(const Manifest& manifest, const StructSpec& structure);

/// Throws InputError unless the launch has an argument of the right size and kind for every
/// parameter of its kernel: integers and addresses for .u and .s types, f32 and f64 for .f types,
/// anything for .b types.
void check_arguments(const Manifest& manifest, const LaunchSpec& launch,
                     const ptx::Function& kernel);

}  // namespace tessera::kernels
