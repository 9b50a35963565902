// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>

#include "policies/launch_planner.h"
#include "policies/node_binding.h"

namespace tessera {

/// Bytes of a CTA in one iteration of its outermost loop; 0 if unknown. The locality table does not
/// have them if an iteration has loops of its own. The CTAs of a grid divide a stride.
inline std::uint64_t datablock_of(const LaunchView& launch, const ArrayLocality& l) {
  if (l.datablock_bytes != 0) return l.datablock_bytes;
  return l.stride_bytes / std::max<std::uint64_t>(1, launch.grid.count());
}

/// Plans the pages of arrays. The first launch that uses an array decides, so that later launches
/// do not list its pages again.
class ArrayPlacement {
 public:
  explicit ArrayPlacement(const PolicyContext& context)
      : page_bytes_(context.memory.page_bytes), nodes_(context.tree) {}

  /// Adds the pages of an array to the plan, unless an earlier call has. `node_of(page, pages)`:
  /// the node of the array's page `page`, from 0 on. `memories`: LaunchView::memories.
  template <class NodeOf>
  void place(const LaunchArray& array, std::uint32_t memories, LaunchPlan& plan, NodeOf node_of) {
    if (!placed_.insert(array.address).second) return;
    const std::uint64_t first = array.address / page_bytes_;
    const std::uint64_t pages = (array.bytes + page_bytes_ - 1) / page_bytes_;
    for (std::uint64_t page = 0; page < pages; ++page) {
      plan.pages.push_back({first + page, nodes_.memory(node_of(page, pages), page, memories)});
    }
  }

 private:
  const std::uint64_t page_bytes_;
  const NumaNodes nodes_;
  std::set<std::uint64_t> placed_;  ///< addresses of arrays
};

}  // namespace tessera
