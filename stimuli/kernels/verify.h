// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compares device memory with what it must hold.

#include "stimuli/kernels/part.h"
#include "stimuli/workload.h"

namespace tessera::kernels {

/// Adds the comparison of one array to `into`. NaN never passes.
void compare(Device& device, const ArraySpec& array, std::uint64_t count,
             const Expectation& expectation, Verification& into);

/// Passed when something was compared and nothing was wrong.
void conclude(Verification& verification);

}  // namespace tessera::kernels
