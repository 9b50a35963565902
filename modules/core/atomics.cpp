// SPDX-License-Identifier: Apache-2.0
#include "modules/core/atomics.h"

#include <cstring>

namespace tessera {

ByteMask bytes_of(const AtomicOperands& operands) {
  const unsigned bytes = atomic_bytes(operands.type);
  ByteMask updated;
  for (unsigned i = 0; i < operands.count; ++i) {
    updated |= ByteMask::range(operands.lanes[i].offset, bytes);
  }
  return updated;
}

void perform_atomics(AtomicOperands& operands, unsigned char* line) {
  const unsigned bytes = atomic_bytes(operands.type);
  for (unsigned i = 0; i < operands.count; ++i) {
    AtomicOperands::Lane& lane = operands.lanes[i];
    unsigned char* const at = line + lane.offset;
    AtomicWord old = 0;
    std::memcpy(&old, at, bytes);
    lane.old = old;
    const AtomicWord result =
        apply_atomic(operands.op, operands.type, old, lane.operand, lane.compare);
    std::memcpy(at, &result, bytes);
  }
}

}  // namespace tessera
