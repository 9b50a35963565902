// SPDX-License-Identifier: Apache-2.0
// What is flushed when a kernel ends.
#include "platforms/flush_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/error.h"
#include "modules/plan/block_kind.h"

namespace tessera {

namespace {

std::vector<FlushIf*> l1s_of_gpu(const PlatformPlan& plan, const MadeBlocks& blocks,
                                 std::optional<std::uint32_t> gpu) {
  std::vector<FlushIf*> all;
  for (PlannedBlockId i = 0; i < plan.blocks.size(); ++i) {
    const PlannedBlock& b = plan.blocks[i];
    if (kind_of(b).level != "l1" || (gpu && b.gpu != *gpu)) continue;
    all.push_back(blocks[i].find<FlushIf>());
  }
  return all;
}

class FlushPlan {
 public:
  FlushPlan(const PlatformPlan& plan, const MadeBlocks& blocks, std::uint32_t gpu,
            const FlushPlanOptions& options)
      : plan_(plan), blocks_(blocks), gpu_(gpu), options_(options) {}

  FlushStages stages() const;

 private:
  std::vector<FlushStage> alone() const;
  std::vector<FlushStage> beside_kernels() const;
  std::vector<FlushStage> coherent() const;
  std::vector<SliceFlushIf*> flushed(FlushAtKernelEnd at) const;
  std::vector<FlushIf*> l1s() const { return l1s_of_gpu(plan_, blocks_, gpu_); }

  const PlatformPlan& plan_;
  const MadeBlocks& blocks_;
  const std::uint32_t gpu_;
  const FlushPlanOptions options_;
};

FlushStages FlushPlan::stages() const {
  std::vector<FlushStage> coherent_stages = coherent();
  if (!coherent_stages.empty()) return {coherent_stages, coherent_stages};
  return {alone(), beside_kernels()};
}

/// The L1s come first. Caches of other GPUs' lines come before the slices, because their
/// write-backs end in the home slices.
std::vector<FlushStage> FlushPlan::alone() const {
  FlushStage l1_stage{"l1", l1s(), {}, {}, {}};
  FlushStage remote_caches{"remote_caches", {}, {}, {}, {}};
  // One stage, because the MDR engine's epoch and the migrator's moves end while the slices write
  // back.
  FlushStage memory_side{"memory_side", {}, {}, {}, {}};
  using At = FlushAtKernelEnd;
  const auto add = [&](FlushStage& to, At at, const char* needs) {
    for (SliceFlushIf* cache : flushed(at)) {
      if (cache == nullptr) {
        throw InputError("this implementation of the LLC slice cannot be flushed, as " +
                         std::string(needs) + " needs");
      }
      to.write_back.push_back(cache);
    }
  };
  if (!options_.keep_replicas) {
    add(remote_caches, At::kRemoteCache, "system.transfer");
    if (options_.copies) add(memory_side, At::kCopies, "system.remote_caching");
  }
  add(memory_side, At::kMemorySide, "migration.policy");
  if (!options_.keep_replicas) add(memory_side, At::kEpoch, "system.remote_caching");
  std::vector<FlushStage> stages{std::move(l1_stage)};
  for (FlushStage* stage : {&remote_caches, &memory_side}) {
    if (!stage->write_back.empty()) stages.push_back(std::move(*stage));
  }
  return stages;
}

/// The blocks of the GPU that are flushed so; null for one that cannot be flushed.
std::vector<SliceFlushIf*> FlushPlan::flushed(FlushAtKernelEnd at) const {
  std::vector<SliceFlushIf*> all;
  for (PlannedBlockId i = 0; i < plan_.blocks.size(); ++i) {
    const PlannedBlock& b = plan_.blocks[i];
    if (b.gpu == gpu_ && kind_of(b).flush == at) all.push_back(blocks_[i].find<SliceFlushIf>());
  }
  return all;
}

/// What a kernel's end needs while other kernels run, with accesses in flight: its bytes reach the
/// home slices, then all caches drop lines that can be older. From the memory side to the SM side,
/// because a fetch after a stage is over finds no older line below.
std::vector<FlushStage> FlushPlan::beside_kernels() const {
  std::vector<FlushStage> stages;
  if (!options_.keep_replicas) {
    const std::vector<SliceFlushIf*> remote = flushed(FlushAtKernelEnd::kRemoteCache);
    if (!remote.empty()) {
      stages.push_back({"remote_caches", {}, {}, remote, {}});
      stages.push_back({"remote_copies", {}, {}, {}, remote});
    }
    if (options_.copies) {
      const std::vector<SliceFlushIf*> slices = flushed(FlushAtKernelEnd::kCopies);
      if (!slices.empty()) stages.push_back({"copies", {}, {}, {}, slices});
    }
  }
  stages.push_back({"l1", l1s(), {}, {}, {}});
  return stages;
}

/// The final flush of UMH (section 4.2), level by level. HMDs count as GPU 0's. None unless the
/// platform has a coherent hierarchy.
std::vector<FlushStage> FlushPlan::coherent() const {
  std::vector<FlushStage> stages;
  const std::vector<const BlockKind*> kinds = kinds_from_memory();
  std::for_each(kinds.rbegin(), kinds.rend(), [&](const BlockKind* kind) {
    if (kind->flush != FlushAtKernelEnd::kCoherent) return;
    FlushStage stage{kind->level.empty() ? kind->name : kind->level, {}, {}, {}, {}};
    for (const BlockHandle* b : blocks_.of_kind(kind->name, gpu_)) {
      auto* const cache = b->find<SliceFlushIf>();
      if (cache == nullptr) {
        throw InputError("this implementation of a block of the coherent hierarchy (" + kind->name +
                         ") cannot be flushed");
      }
      stage.write_back.push_back(cache);
    }
    if (!stage.write_back.empty()) stages.push_back(std::move(stage));
  });
  return stages;
}

}  // namespace

FlushStages flush_stages_of(const PlatformPlan& plan, const MadeBlocks& blocks, std::uint32_t gpu,
                            const FlushPlanOptions& options) {
  return FlushPlan(plan, blocks, gpu, options).stages();
}

std::vector<FlushIf*> l1s_of(const PlatformPlan& plan, const MadeBlocks& blocks) {
  return l1s_of_gpu(plan, blocks, {});
}

}  // namespace tessera
