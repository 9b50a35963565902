// SPDX-License-Identifier: Apache-2.0
#include "modules/sm/warp_access.h"

namespace tessera {

WarpAccessTable::WarpAccessTable(std::uint32_t entries) : accesses_(entries) {
  for (std::size_t i = accesses_.size(); i-- > 0;) {
    accesses_[i].index = static_cast<std::uint32_t>(i);
    free_.push_back(&accesses_[i]);
  }
}

WarpAccess& WarpAccessTable::allocate(const MemoryOp& memory, const CoalescedAccess& lines) {
  WarpAccess& a = *free_.back();
  free_.pop_back();
  const bool lanes_matter = !memory.values_done || memory.kind == AccessKind::kAtomic;
  if (lines.count > 1 || lanes_matter) add_details(a, memory, lines, lanes_matter);
  return a;
}

void WarpAccessTable::add_details(WarpAccess& a, const MemoryOp& memory,
                                  const CoalescedAccess& lines, bool lanes_matter) {
  if (free_details_.empty()) {
    all_details_.push_back(std::make_unique<WarpAccessDetails>());
    free_details_.push_back(all_details_.back().get());
  }
  a.details = free_details_.back();
  free_details_.pop_back();
  if (!lanes_matter) return;
  a.details->memory = memory;
  for (unsigned i = 0; i < lines.count; ++i) a.details->lanes[i] = lines.lines[i].lanes;
}

}  // namespace tessera
