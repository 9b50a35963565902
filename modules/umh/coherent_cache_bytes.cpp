// SPDX-License-Identifier: Apache-2.0
// Inspection of a CoherentCache, and untimed accesses to its bytes.
#include <algorithm>

#include "modules/umh/coherent_cache.h"

namespace tessera::umh {

std::vector<std::uint64_t> CoherentCache::blocks_to_flush() const {
  const bool all = config_.flushed == FlushedBlocks::kAll;
  std::vector<std::uint64_t> lines;
  for (Way f = 0; f < tags_.all_ways(); ++f) {
    if (!tags_.occupied(f)) continue;
    const bool modified =
        transitions_.on(blocks_[f].state, Incoming::kEviction).transfer == Transfer::kWriteBack;
    if (all || modified || tags_.locked(f)) lines.push_back(tags_.line(f) * config_.block_lines);
  }
  for (const auto& [block, activity] : active_) {
    if (find(block) == CacheArray::kNone) lines.push_back(block * config_.block_lines);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

void CoherentCache::overlay(std::uint64_t line, unsigned char* bytes) const {
  const auto activity = active_.find(block_of(line));
  if (activity != active_.end() && activity->second.write_back &&
      !activity->second.write_back->taken) {
    for (const LineBytes& l : activity->second.write_back->data) {
      if (l.line == line) copy_masked(bytes, l.bytes.data(), l.mask, kLineBytes);
    }
  }
  const Block* const b = resident(block_of(line));
  if (b == nullptr || b->state == State::kI) return;
  const Line& l = b->lines[line % config_.block_lines];
  copy_masked(bytes, l.bytes.data(), l.dirty, kLineBytes);
}

void CoherentCache::replace(std::uint64_t line, const unsigned char* bytes, ByteMask mask) {
  const auto activity = active_.find(block_of(line));
  if (activity != active_.end() && activity->second.write_back) {
    for (LineBytes& l : activity->second.write_back->data) {
      if (l.line == line) copy_masked(l.bytes.data(), bytes, mask, kLineBytes);
    }
  }
  Block* const b = resident(block_of(line));
  if (b != nullptr) copy_masked(line_in(*b, line).bytes.data(), bytes, mask, kLineBytes);
}

}  // namespace tessera::umh
