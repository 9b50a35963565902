// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "tests/modules/umh/tested_system.h"

namespace tessera::umh::test {

std::string violated(const Hierarchy& h, std::uint64_t any) {
  const std::uint64_t first = any / h.block_lines * h.block_lines;
  for (std::uint64_t line = first; line < first + h.block_lines; ++line) {
    for (const HierarchyNode& n : h.nodes) {
      const State s = n.cache->state(line);
      if (s == State::kI) continue;
      const std::size_t bank = line / n.parent_lines % n.parents.size();
      std::uint64_t sharers = 0;
      unsigned owner = 0;
      unsigned position = 0;
      const auto fault = [&](const std::string& what) {
        return n.name + " holds line " + std::to_string(line) + " in " + letter(s) + ": " + what;
      };
      if (n.parents[bank] < 0) {
        const Hmd::Entry e = h.hmds[n.hmds[bank]]->entry(line);
        sharers = e.sharers;
        owner = e.owner;
        // SMDs in order, then the LLC.
        position = 0;
        for (const HierarchyNode& other : h.nodes) {
          if (other.cache == n.cache) break;
          if (other.parents[0] < 0) ++position;
        }
      } else {
        const CoherentCache& p = *h.cache_of[static_cast<std::size_t>(n.parents[bank])];
        const State ps = p.state(line);
        if (ps == State::kI) return fault("its parent does not hold the line (inclusion)");
        if (exclusive(s) && !exclusive(ps)) {
          return fault(std::string("its parent has ") + letter(ps));
        }
        const CoherentCache::DirectoryEntry e = p.directory(line);
        sharers = e.sharers;
        owner = e.owner;
        position = p.position_of(n.cache->id()).value();
      }
      if ((sharers >> position & 1) == 0) return fault("not in the directory of its parent");
      if (owns(s) && owner != position) return fault("another cache is the owner");
      if (!exclusive(s)) continue;
      for (const HierarchyNode& other : h.nodes) {
        if (&other == &n || other.cache->state(line) == State::kI) continue;
        const int parent = other.parents[line / other.parent_lines % other.parents.size()];
        if (parent == n.parents[bank]) return fault(other.name + " holds it, too");
      }
    }
  }
  return {};
}

std::string holder_of(const Hierarchy& hierarchy, HostMemory& memory, std::uint64_t line) {
  for (const HierarchyNode& n : hierarchy.nodes) {
    const State s = n.cache->state(line);
    if (s == State::kI) continue;
    const bool clean = s == State::kE || s == State::kS;
    if (n.cache->config().flushed == FlushedBlocks::kAll || !clean) return n.name;
    const HostMemory::Line bytes = memory.read(line);
    if (!std::equal(bytes.begin(), bytes.end(), n.cache->bytes(line))) {
      return n.name + " (with older bytes)";
    }
  }
  return {};
}

}  // namespace tessera::umh::test
