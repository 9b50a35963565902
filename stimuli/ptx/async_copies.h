// SPDX-License-Identifier: Apache-2.0
#pragma once

// The asynchronous copies of a warp that have not ended.

#include <array>
#include <cstdint>
#include <vector>

#include "stimuli/warp_program.h"

namespace tessera::ptx {

/// A copy in flight: one access to global memory.
struct AsyncCopy {
  std::uint32_t number = 0;  ///< MemoryOp::copy
  std::uint32_t lanes = 0;   ///< that have executed it
  bool bulk = false;
  bool store = false;  ///< from shared to global memory
  /// Group of each lane.
  std::array<std::uint32_t, kWarpLanes> group{};
  /// Destination in shared memory and bytes of each element of the access. The rest of
  /// `element_bytes` becomes zeros.
  std::array<std::uint32_t, kWarpLanes> to{};
  std::array<std::uint8_t, kWarpLanes> bytes{};
  std::uint32_t elements = 0;  ///< mask
  std::uint8_t element_bytes = 16;
  /// Bulk copies: bytes that the mbarrier at `barrier` in shared memory counts at the end; 0: none.
  std::uint32_t barrier_bytes = 0;
  std::uint32_t barrier = 0;
};

/// An arrival at an mbarrier that follows a lane's earlier copies.
struct CopyArrival {
  unsigned lane = 0;
  std::uint32_t barrier = 0;
  std::uint32_t last = 0;  ///< number of its last copy before
};

struct AsyncCopies {
  std::vector<AsyncCopy> outstanding;
  std::vector<CopyArrival> arrivals;
  /// The group of each lane that its next copies join: ordinary, bulk.
  std::array<std::array<std::uint32_t, kWarpLanes>, 2> group{};
  std::uint32_t next_number = 1;
  /// A bulk copy that has issued some of its pieces: bytes of its first lane in Warp::unserved_.
  std::uint32_t bulk_done = 0;

  /// Whether no copy of these lanes is outstanding that is in one of the lane's groups but the last
  /// `allowed`, or (`all`) in any or none.
  bool ended(std::uint32_t lanes, bool bulk, std::uint32_t allowed, bool all,
             bool reads_only) const {
    for (const AsyncCopy& c : outstanding) {
      if (c.bulk != bulk || (c.bulk && !c.store) || (c.lanes & lanes) == 0) continue;
      // The source of a store has been read at its issue.
      if (reads_only) continue;
      if (all) return false;
      for (std::uint32_t left = c.lanes & lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        if (c.group[lane] + allowed < group[bulk ? 1 : 0][lane]) return false;
      }
    }
    return true;
  }
};

}  // namespace tessera::ptx
