// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <utility>

#include "common/ids.h"
#include "modules/kernel/stats.h"

namespace tessera {

/// What a level of the memory system has done for a launch. docs/guide/kernel-statistics.md defines
/// the counts, and compares them with those of profilers. Never straddles two host cache lines.
struct alignas(32) LevelCounts {
  Counter hits = 0;
  Counter merged = 0;  ///< with an outstanding fetch of the line
  Counter misses = 0;  ///< accesses that fetch from the next level
  Counter bytes = 0;   ///< delivered to, or accepted from, the level above

  LevelCounts& operator+=(const LevelCounts& other) {
    hits += other.hits;
    merged += other.merged;
    misses += other.misses;
    bytes += other.bytes;
    return *this;
  }
  bool none() const { return hits + merged + misses + bytes == 0; }
};

/// The counts of one block, by launch. On the heap, because a run uses few of them, and a block's
/// own memory stays small.
class LaunchCounts {
 public:
  LaunchCounts() : counts_(std::make_unique<std::array<LevelCounts, LaunchSlot::kCount>>()) {}

  LevelCounts& operator[](LaunchSlot launch) { return (*counts_)[launch.value]; }
  const LevelCounts& operator[](LaunchSlot launch) const { return (*counts_)[launch.value]; }
  /// The counts of a launch, which are 0 afterwards.
  LevelCounts take(LaunchSlot launch) { return std::exchange((*counts_)[launch.value], {}); }
  void clear() { counts_->fill({}); }

 private:
  std::unique_ptr<std::array<LevelCounts, LaunchSlot::kCount>> counts_;
};

}  // namespace tessera
