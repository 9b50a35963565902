// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "modules/umh/coherent_cache.h"
#include "modules/umh/hmd.h"

namespace tessera::umh::test {

/// The caches of one device, level by level from the processors down (L1, L2, SMD or LLC), and the
/// HMDs below.
struct FlushStages {
  std::vector<std::vector<CoherentCache*>> levels;
  std::vector<Hmd*> hmds;
};

/// Final flush of a device (UMH section 4.2). A level starts after the previous level has
/// completed. The last stage waits for the transactions that are pending in the HMDs. When `done`
/// is called, stores of the device that had completed before the call are in host memory, and no
/// other device has a copy with older bytes.
void flush_device(const FlushStages& stages, std::function<void()> done);

}  // namespace tessera::umh::test
