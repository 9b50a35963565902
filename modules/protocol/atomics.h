// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/protocol/byte_mask.h"
#include "modules/protocol/memory_request.h"

namespace tessera {

/// The bytes of a line that the lanes of an atomic update.
ByteMask bytes_of(const AtomicOperands& operands);

/// Cycles that an atomic unit takes for these operands. In a cycle it performs up to `lanes` lanes
/// (1 or more) whose elements are in one aligned block of `block_bytes` bytes (a power of two) and
/// have different addresses. Lanes with the same address are performed one after the other.
unsigned atomic_cycles(const AtomicOperands& operands, unsigned lanes, unsigned block_bytes);

/// Performs every lane's operation on a line's bytes, in ascending order, and notes the old values.
void perform_atomics(AtomicOperands& operands, unsigned char* line);

}  // namespace tessera
