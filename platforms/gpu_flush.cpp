// SPDX-License-Identifier: Apache-2.0
// What is flushed when a kernel ends.
#include <algorithm>
#include <utility>

#include "common/error.h"
#include "platforms/gpu.h"

namespace tessera {

/// Flush stages of a GPU at a kernel's end, in order. The L1s come first. Caches of other GPUs'
/// lines come before the slices, because their write-backs end in the home slices.
FlushStages Gpu::flush_stages(std::uint32_t gpu) {
  std::vector<FlushStage> coherent = coherent_flush_stages(gpu);
  if (!coherent.empty()) return {coherent, coherent};
  FlushStage l1_stage{"l1", l1s(gpu), {}, {}, {}};
  FlushStage remote_caches{"remote_caches", {}, {}, {}, {}};
  // One stage, because the MDR engine's epoch and the migrator's moves end while the slices write
  // back.
  FlushStage memory_side{"memory_side", {}, {}, {}, {}};
  using At = FlushAtKernelEnd;
  const auto add = [&](FlushStage& to, At at, const char* needs) {
    for (SliceFlushIf* cache : flushed(at, gpu)) {
      if (cache == nullptr) {
        throw InputError("this implementation of the LLC slice cannot be flushed, as " +
                         std::string(needs) + " needs");
      }
      to.write_back.push_back(cache);
    }
  };
  if (!options_.keep_replicas) {
    add(remote_caches, At::kRemoteCache, "system.transfer");
    if (caching_.front()->copies()) add(memory_side, At::kCopies, "system.remote_caching");
  }
  add(memory_side, At::kMemorySide, "migration.policy");
  if (!options_.keep_replicas) add(memory_side, At::kEpoch, "system.remote_caching");
  std::vector<FlushStage> stages{std::move(l1_stage)};
  for (FlushStage* stage : {&remote_caches, &memory_side}) {
    if (!stage->write_back.empty()) stages.push_back(std::move(*stage));
  }
  return {std::move(stages), stages_beside_kernels(gpu)};
}

/// The blocks of a GPU that are flushed so; null for one that cannot be flushed.
std::vector<SliceFlushIf*> Gpu::flushed(FlushAtKernelEnd at, std::uint32_t gpu) const {
  std::vector<SliceFlushIf*> all;
  for (std::size_t i = 0; i < made_.size(); ++i) {
    const PlannedBlock& b = plan_.blocks[i];
    if (b.gpu == gpu && kind_of(b).flush == at) all.push_back(made_[i].find<SliceFlushIf>());
  }
  return all;
}

/// What a kernel's end needs while other kernels run, with accesses in flight: its bytes reach the
/// home slices, then all caches drop lines that can be older. From the memory side to the SM side,
/// because a fetch after a stage is over finds no older line below.
std::vector<FlushStage> Gpu::stages_beside_kernels(std::uint32_t gpu) {
  std::vector<FlushStage> stages;
  if (!options_.keep_replicas) {
    const std::vector<SliceFlushIf*> remote = flushed(FlushAtKernelEnd::kRemoteCache, gpu);
    if (!remote.empty()) {
      stages.push_back({"remote_caches", {}, {}, remote, {}});
      stages.push_back({"remote_copies", {}, {}, {}, remote});
    }
    if (caching_.front()->copies()) {
      const std::vector<SliceFlushIf*> slices = flushed(FlushAtKernelEnd::kCopies, gpu);
      if (!slices.empty()) stages.push_back({"copies", {}, {}, {}, slices});
    }
  }
  stages.push_back({"l1", l1s(gpu), {}, {}, {}});
  return stages;
}

/// The final flush of UMH (section 4.2), level by level. HMDs count as GPU 0's. None unless the
/// platform has a coherent hierarchy.
std::vector<FlushStage> Gpu::coherent_flush_stages(std::uint32_t gpu) {
  std::vector<FlushStage> stages;
  const std::vector<const BlockKind*> kinds = kinds_from_memory();
  std::for_each(kinds.rbegin(), kinds.rend(), [&](const BlockKind* kind) {
    if (kind->flush != FlushAtKernelEnd::kCoherent) return;
    FlushStage stage{kind->level.empty() ? kind->name : kind->level, {}, {}, {}, {}};
    for (const BlockHandle* b : made(kind->name, gpu)) {
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

}  // namespace tessera
