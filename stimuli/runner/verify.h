// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compares device memory with the expected contents.

#include "stimuli/runner/part.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

/// Adds the comparison of one array with `count` elements at `begin` to `into`. NaN passes only if
/// the expectation permits it; an infinity passes if the same infinity is expected.
void compare(Device& device, const ArraySpec& array, Address begin, std::uint64_t count,
             const Expectation& expectation, Verification& into);

/// Sets the result: passed if there was at least one comparison and no error.
void conclude(Verification& verification);

}  // namespace tessera::kernels
