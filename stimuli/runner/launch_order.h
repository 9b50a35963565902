// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stimuli/runner/manifest.h"

namespace tessera::kernels {

/// Checks that each launch of the manifest waits for launches that exist, and that come before it:
/// in the text, or in an earlier pass of a loop around both. Throws InputError.
void check_launch_order(const Manifest& manifest);

}  // namespace tessera::kernels
