// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messages between the PageMigrator and its part in each GPU (GpuMigrator).

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/ids.h"

namespace tessera {

/// Accesses to a page during an interval.
struct PageCount {
  bool read_only = true;
  std::vector<std::uint32_t> accesses;  ///< by the home of the SM
};
using PageCounts = std::unordered_map<std::uint64_t, PageCount>;  ///< by physical page

/// A command of the PageMigrator to a GPU's part.
struct MigrationOrder {
  enum class Kind : std::uint8_t {
    kCount,      ///< an access begins an interval again
    kCollect,    ///< report the accesses that were counted, and count from 0
    kStop,       ///< stop the SMs of these homes, and report when they have drained
    kShootDown,  ///< invalidate translations and lines, and report it
    kResume,     ///< invalidate the L1 TLBs of these homes' SMs and resume the SMs
    kKernelEnd,  ///< pages that were only read so far can be written from now on
  };
  Kind kind = Kind::kCount;
  std::vector<ChannelId> homes;  ///< kStop, kShootDown, kResume

  // kShootDown.
  /// All TLBs and L1s become empty, and `homes` and `virtual_pages` do not matter. Otherwise the L2
  /// TLBs and L1s of `homes` (GPUs); other L2 TLBs lose the translations of `virtual_pages`.
  bool everything = false;
  std::vector<std::uint64_t> virtual_pages;
  std::vector<std::uint64_t> left;  ///< addresses of frames that pages have left
};

/// A message of a GPU's part to the PageMigrator.
struct MigrationReport {
  enum class Kind : std::uint8_t {
    kAccess,    ///< an access that begins an interval, unless its page stays
    kCounts,    ///< of kCollect
    kDrained,   ///< of kStop
    kShotDown,  ///< of kShootDown: no slice holds a line of the frames
  };
  Kind kind = Kind::kAccess;
  std::uint64_t address = 0;  ///< kAccess: physical
  PageCounts counts;          ///< kCounts
};

}  // namespace tessera
