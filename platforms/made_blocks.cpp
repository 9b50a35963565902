// SPDX-License-Identifier: Apache-2.0
#include "platforms/made_blocks.h"

#include <algorithm>

namespace tessera {

void MadeBlocks::add(PlannedBlockId id, BlockHandle handle) {
  handles_[id] = std::move(handle);
  // Blocks of a GPU are made together, so that another GPU's of lower numbers can follow.
  std::vector<PlannedBlockId>& same = by_kind_[plan_.blocks[id].kind];
  same.insert(std::upper_bound(same.begin(), same.end(), id), id);
  handles_[id].for_each_offer([&](std::type_index type, void* interface) {
    auto& all = by_interface_[type];
    const auto later = std::upper_bound(
        all.begin(), all.end(), id,
        [](PlannedBlockId a, const std::pair<PlannedBlockId, void*>& b) { return a < b.first; });
    all.insert(later, {id, interface});
  });
}

std::vector<const BlockHandle*> MadeBlocks::of_kind(const std::string& kind,
                                                    std::optional<std::uint32_t> gpu) const {
  std::vector<const BlockHandle*> found;
  const auto same = by_kind_.find(kind);
  if (same == by_kind_.end()) return found;
  for (const PlannedBlockId id : same->second) {
    if (!gpu || plan_.blocks[id].gpu == *gpu) found.push_back(&handles_[id]);
  }
  return found;
}

std::vector<void*> MadeBlocks::offered(std::type_index interface,
                                       std::optional<std::uint32_t> gpu) const {
  std::vector<void*> found;
  const auto all = by_interface_.find(interface);
  if (all == by_interface_.end()) return found;
  for (const auto& [id, object] : all->second) {
    if (!gpu || plan_.blocks[id].gpu == *gpu) found.push_back(object);
  }
  return found;
}

}  // namespace tessera
