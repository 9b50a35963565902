// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "modules/host/flush_stages.h"
#include "modules/plan/plan.h"
#include "platforms/made_blocks.h"

namespace tessera {

struct FlushPlanOptions {
  /// Whether slices keep copies of other partitions' lines (RemoteCaching::copies()).
  bool copies = false;
  /// For tests: copies of other nodes' lines are not flushed, which is wrong.
  bool keep_replicas = false;
};

/// The stages of a GPU's flush when a kernel ends, in order. Throws InputError for a block that
/// must be flushed and cannot.
FlushStages flush_stages_of(const PlatformPlan& plan, const MadeBlocks& blocks, std::uint32_t gpu,
                            const FlushPlanOptions& options);

/// The L1s of all GPUs.
std::vector<FlushIf*> l1s_of(const PlatformPlan& plan, const MadeBlocks& blocks);

}  // namespace tessera
