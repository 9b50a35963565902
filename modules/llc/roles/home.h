// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/llc/slice_role.h"

namespace tessera {

/// "home": a slice in front of a DRAM channel that sees the lines of its own address range only, as
/// in a memory-side UBA (NUBA figure 1a) and in each GPU of a multi-GPU system.
///
/// All requests are looked up. Lines that only other nodes fetched stay if
/// SliceSite::keeps_remote_misses.
class HomeRole final : public SliceRole {
 public:
  using SliceRole::SliceRole;
};

}  // namespace tessera
