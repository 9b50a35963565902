// SPDX-License-Identifier: Apache-2.0
#include "modules/protocol/atomics.h"

#include <algorithm>
#include <array>
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

unsigned atomic_cycles(const AtomicOperands& operands, unsigned lanes, unsigned block_bytes) {
  if (lanes == 1) return operands.count;
  struct Block {
    unsigned lanes = 0;
    unsigned same_address = 0;  ///< lanes of the address that most lanes share
  };
  std::array<unsigned, kMaxLineBytes> at_address{};
  std::array<Block, kMaxLineBytes> blocks{};
  for (unsigned i = 0; i < operands.count; ++i) {
    const unsigned offset = operands.lanes[i].offset;
    Block& block = blocks[offset / block_bytes];
    ++block.lanes;
    block.same_address = std::max(block.same_address, ++at_address[offset]);
  }
  unsigned cycles = 0;
  for (const Block& block : blocks) {
    cycles += std::max(block.same_address, (block.lanes + lanes - 1) / lanes);
  }
  return cycles;
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
