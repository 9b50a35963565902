// SPDX-License-Identifier: Apache-2.0
// What is flushed when a kernel ends.
#include <utility>

#include "common/error.h"
#include "platforms/gpu.h"

namespace tessera {

/// Flush stages of a GPU at a kernel's end, in order. The L1s come first. Caches of other GPUs'
/// lines come before the slices, because their write-backs end in the home slices.
FlushStages Gpu::flush_stages(std::uint32_t gpu) {
  // The caches of a coherent hierarchy are flushed with accesses in flight.
  if (plan_.has(BlockKind::kHmd)) {
    return {coherent_flush_stages(gpu), coherent_flush_stages(gpu)};
  }
  FlushStage l1s{"l1", {}, {}, {}, {}};
  for (const BlockHandle* l1 : made(BlockKind::kL1, gpu)) l1s.drop.push_back(l1->flush);
  FlushStage remote_caches{"remote_caches", {}, {}, {}, {}};
  // One stage, because the MDR engine's epoch and the migrator's moves end while the slices write
  // back.
  FlushStage memory_side{"memory_side", {}, {}, {}, {}};
  const auto add = [](FlushStage& to, const std::vector<BlockHandle*>& from, const char* needs) {
    for (const BlockHandle* cache : from) {
      if (cache->slice_flush == nullptr) {
        throw InputError("this implementation of the LLC slice cannot be flushed, as " +
                         std::string(needs) + " needs");
      }
      to.write_back.push_back(cache->slice_flush);
    }
  };
  if (!options_.keep_replicas) {
    // Lines are valid for one kernel (DualOpt section 4.4).
    add(remote_caches, made(BlockKind::kRemoteCache, gpu), "system.transfer");
    // Copies of other partitions' lines are valid for one kernel as well (NUBA section 5.3).
    if (caching_.front()->copies()) {
      add(memory_side, made(BlockKind::kLlc, gpu), "system.remote_caching");
    }
  }
  add(memory_side, made(BlockKind::kPageMigrator, gpu), "migration.policy");
  if (!options_.keep_replicas) {
    add(memory_side, made(BlockKind::kMdr, gpu), "system.remote_caching");
  }
  std::vector<FlushStage> stages{std::move(l1s)};
  for (FlushStage* stage : {&remote_caches, &memory_side}) {
    if (!stage->write_back.empty()) stages.push_back(std::move(*stage));
  }
  return {std::move(stages), stages_beside_kernels(gpu)};
}

/// What a kernel's end needs while other kernels run, with accesses in flight: its bytes reach the
/// home slices, then all caches drop lines that can be older. From the memory side to the SM side,
/// because a fetch after a stage is over finds no older line below.
std::vector<FlushStage> Gpu::stages_beside_kernels(std::uint32_t gpu) {
  std::vector<FlushStage> stages;
  const auto flushes = [](const std::vector<BlockHandle*>& caches) {
    std::vector<SliceFlushIf*> all;
    for (const BlockHandle* cache : caches) all.push_back(cache->slice_flush);
    return all;
  };
  if (!options_.keep_replicas) {
    const std::vector<SliceFlushIf*> remote = flushes(made(BlockKind::kRemoteCache, gpu));
    if (!remote.empty()) {
      stages.push_back({"remote_caches", {}, {}, remote, {}});
      stages.push_back({"remote_copies", {}, {}, {}, remote});
    }
    if (caching_.front()->copies()) {
      const std::vector<SliceFlushIf*> slices = flushes(made(BlockKind::kLlc, gpu));
      if (!slices.empty()) stages.push_back({"copies", {}, {}, {}, slices});
    }
  }
  FlushStage l1s{"l1", {}, {}, {}, {}};
  for (const BlockHandle* l1 : made(BlockKind::kL1, gpu)) l1s.drop.push_back(l1->flush);
  stages.push_back(std::move(l1s));
  return stages;
}

/// The final flush of UMH (section 4.2), level by level. HMDs count as GPU 0's.
std::vector<FlushStage> Gpu::coherent_flush_stages(std::uint32_t gpu) {
  std::vector<FlushStage> stages;
  const std::pair<const char*, BlockKind> levels[] = {{"l1", BlockKind::kL1},
                                                      {"l2", BlockKind::kCoherentCache},
                                                      {"smd", BlockKind::kSmd},
                                                      {"hmd", BlockKind::kHmd}};
  for (const auto& [name, kind] : levels) {
    FlushStage stage{name, {}, {}, {}, {}};
    for (const BlockHandle* b : made(kind, gpu)) {
      if (b->slice_flush == nullptr) {
        throw InputError("this implementation of a block of the coherent hierarchy (" +
                         std::string(name_of(kind)) + ") cannot be flushed");
      }
      stage.write_back.push_back(b->slice_flush);
    }
    if (!stage.write_back.empty()) stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace tessera
