// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "modules/llc/slice_role.h"

namespace tessera {

/// "home": a slice in front of a DRAM channel that serves only the lines of its own address range,
/// as in a memory-side UBA (NUBA figure 1a) and in each GPU of a multi-GPU system.
///
/// All requests are looked up. Lines that only other nodes have fetched are kept if
/// SliceSite::keeps_remote_misses is true.
class HomeRole final : public SliceRole {
 public:
  using SliceRole::SliceRole;
};

}  // namespace tessera
