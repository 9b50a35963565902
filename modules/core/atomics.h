// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/core/byte_mask.h"
#include "modules/core/memory_request.h"

namespace tessera {

/// The bytes of a line that the lanes of an atomic update.
ByteMask bytes_of(const AtomicOperands& operands);

/// Performs every lane's operation on a line's bytes, in ascending order, and notes the old values.
void perform_atomics(AtomicOperands& operands, unsigned char* line);

}  // namespace tessera
