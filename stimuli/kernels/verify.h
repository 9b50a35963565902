// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compares device memory with what it must hold.

#include "stimuli/kernels/part.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

/// Adds the comparison of one array, whose `count` elements begin at `begin`, to `into`. NaN passes
/// only where the expectation says so; an infinity passes where the same is expected.
void compare(Device& device, const ArraySpec& array, Address begin, std::uint64_t count,
             const Expectation& expectation, Verification& into);

/// Passed when something was compared and nothing was wrong.
void conclude(Verification& verification);

}  // namespace tessera::kernels
