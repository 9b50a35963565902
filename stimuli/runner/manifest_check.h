// SPDX-License-Identifier: Apache-2.0
#pragma once

// Evaluates the formulas of a manifest before the run, so that errors are reported at once.

#include "stimuli/runner/manifest.h"

namespace tessera::kernels {

/// Evaluates every formula at every scale, formulas of loops in the first and the last pass. Skips
/// arrays without a count. Throws InputError.
void check_formulas(const Manifest& manifest);

/// The index of a referenced element. Throws InputError if it is not below `count`, the number of
/// elements of the array.
std::uint64_t index_of(const Manifest& manifest, const ElementRef& element, const Sizes& sizes,
                       std::uint64_t count);

/// The sizes with the number of a loop's pass, also under the name `counter` unless it is empty.
Sizes in_pass(Sizes sizes, const std::string& counter, std::int64_t pass);

}  // namespace tessera::kernels
