// SPDX-License-Identifier: Apache-2.0
#pragma once

// Evaluates what a manifest says before anything runs, so that a mistake shows at once.

#include "stimuli/kernels/manifest.h"

namespace tessera::kernels {

/// Evaluates every formula at every scale, those of loops in the first and the last pass. Arrays
/// without a count are left out. Throws InputError.
void check_formulas(const Manifest& manifest);

/// The element that a reference names; throws InputError unless the array, of `count` elements, has
/// it.
std::uint64_t index_of(const Manifest& manifest, const ElementRef& element, const Sizes& sizes,
                       std::uint64_t count);

/// The sizes with the pass of a loop that is also known by the name `counter` (empty: it is not).
Sizes in_pass(Sizes sizes, const std::string& counter, std::int64_t pass);

}  // namespace tessera::kernels
