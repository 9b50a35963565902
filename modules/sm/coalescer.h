// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "modules/protocol/byte_mask.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// The lanes of one warp access that fall into one line.
struct LineAccess {
  std::uint64_t line = 0;  ///< virtual address / line size
  ByteMask mask;           ///< bytes of the line that the lanes touch
  std::uint32_t lanes = 0;
};

/// Lines of a warp access, in the order of their first lane.
struct CoalescedAccess {
  std::array<LineAccess, kWarpLanes> lines;
  unsigned count = 0;
};

/// Groups the active lanes by line. A lane's access never straddles lines (PTX requires natural
/// alignment).
void coalesce(const MemoryOp& op, unsigned line_bytes, CoalescedAccess& out);

/// 32-byte sectors that a mask touches.
unsigned sectors_touched(ByteMask mask);

/// Passes of a shared-memory access over `banks` banks of 4 bytes: the largest number of distinct
/// words in one bank. 8-byte accesses are processed by half warps, 16-byte accesses by quarter
/// warps.
unsigned shared_memory_passes(const MemoryOp& op, unsigned banks);

}  // namespace tessera
