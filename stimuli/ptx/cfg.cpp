// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/cfg.h"

#include <algorithm>

namespace tessera::ptx {

namespace {

class BitSet {
 public:
  explicit BitSet(std::size_t bits) : words_((bits + 63) / 64, 0) {}
  bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void clear(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  /// Adds all bits of `other`. Returns true if a bit was new.
  bool merge(const BitSet& other) {
    bool changed = false;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t merged = words_[i] | other.words_[i];
      changed = changed || merged != words_[i];
      words_[i] = merged;
    }
    return changed;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// From the names that are live after a node to those that are live before it.
void step_back(const FlowNode& node, BitSet& live) {
  if (!node.predicated) {
    for (const std::uint32_t r : node.writes) live.clear(r);
  }
  for (const std::uint32_t r : node.reads) live.set(r);
}

/// The names that are live at the beginning of each block; those of the exit are last.
std::vector<BitSet> live_at_entries(const std::vector<FlowNode>& nodes,
                                    const std::vector<BasicBlock>& blocks, std::size_t names) {
  std::vector<BitSet> live_in(blocks.size() + 1, BitSet(names));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      BitSet live(names);
      for (const std::uint32_t s : blocks[b].successors) live.merge(live_in[s]);
      for (std::size_t i = blocks[b].last + std::size_t{1}; i-- > blocks[b].first;) {
        step_back(nodes[i], live);
      }
      changed = live_in[b].merge(live) || changed;
    }
  }
  return live_in;
}

/// The names that some path from a root has written at the beginning of each block.
std::vector<BitSet> written_at_entries(const std::vector<FlowNode>& nodes,
                                       const std::vector<BasicBlock>& blocks, std::size_t names,
                                       const std::vector<std::uint32_t>& roots,
                                       const std::vector<std::uint32_t>& defined) {
  std::vector<BitSet> written_in(blocks.size() + 1, BitSet(names));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (std::find(roots.begin(), roots.end(), blocks[b].first) == roots.end()) continue;
    for (const std::uint32_t r : defined) written_in[b].set(r);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      BitSet written = written_in[b];
      for (std::size_t i = blocks[b].first; i <= blocks[b].last; ++i) {
        for (const std::uint32_t r : nodes[i].writes) written.set(r);
      }
      for (const std::uint32_t s : blocks[b].successors) {
        changed = written_in[s].merge(written) || changed;
      }
    }
  }
  return written_in;
}

/// Blocks in post-order of a traversal from the exit along reversed edges; the exit (index = block
/// count) is last. Blocks that cannot reach the exit (endless loops) are omitted.
std::vector<std::uint32_t> reverse_post_order(
    const std::vector<std::vector<std::uint32_t>>& predecessors, std::uint32_t exit) {
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> seen(predecessors.size(), 0);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{exit, 0}};
  seen[exit] = 1;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next < predecessors[node].size()) {
      const std::uint32_t p = predecessors[node][next++];
      if (seen[p] == 0) {
        seen[p] = 1;
        stack.emplace_back(p, 0);
      }
    } else {
      order.push_back(node);
      stack.pop_back();
    }
  }
  return order;
}

/// Adds a live register's units to a running total.
void live_across(const FlowNode& node, const std::vector<std::uint8_t>& units, BitSet& live,
                 std::uint32_t& total) {
  if (!node.predicated) {
    for (const std::uint32_t r : node.writes) {
      if (live.test(r)) {
        live.clear(r);
        total -= units[r];
      }
    }
  }
  for (const std::uint32_t r : node.reads) {
    if (!live.test(r)) {
      live.set(r);
      total += units[r];
    }
  }
}

}  // namespace

std::vector<BasicBlock> basic_blocks(const std::vector<FlowNode>& nodes) {
  const std::size_t n = nodes.size();
  std::vector<std::uint8_t> leader(n + 1, 0);
  if (n > 0) leader[0] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    if (nodes[i].target >= 0) leader[static_cast<std::size_t>(nodes[i].target)] = 1;
    if (nodes[i].target >= 0 || !nodes[i].falls_through) leader[i + 1] = 1;
  }
  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> block_of(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (leader[i] != 0) blocks.push_back(BasicBlock{static_cast<std::uint32_t>(i), 0, {}});
    blocks.back().last = static_cast<std::uint32_t>(i);
    block_of[i] = static_cast<std::uint32_t>(blocks.size() - 1);
  }
  block_of[n] = static_cast<std::uint32_t>(blocks.size());
  for (BasicBlock& b : blocks) {
    const FlowNode& end = nodes[b.last];
    if (end.falls_through) b.successors.push_back(block_of[b.last + 1]);
    if (end.target >= 0) {
      const std::uint32_t to = block_of[static_cast<std::size_t>(end.target)];
      if (b.successors.empty() || b.successors[0] != to) b.successors.push_back(to);
    }
    if (b.successors.empty()) b.successors.push_back(static_cast<std::uint32_t>(blocks.size()));
  }
  return blocks;
}

// Immediate post-dominators by the iterative algorithm on the reversed graph: intersect the
// successors' dominator chains until a fixed point.
std::vector<std::uint32_t> reconvergence_points(const std::vector<FlowNode>& nodes) {
  const std::vector<BasicBlock> blocks = basic_blocks(nodes);
  const auto exit = static_cast<std::uint32_t>(blocks.size());
  std::vector<std::vector<std::uint32_t>> predecessors(blocks.size() + 1);
  for (std::uint32_t b = 0; b < exit; ++b) {
    for (const std::uint32_t s : blocks[b].successors) predecessors[s].push_back(b);
  }
  const std::vector<std::uint32_t> order = reverse_post_order(predecessors, exit);
  constexpr std::uint32_t kNone = ~0u;
  std::vector<std::uint32_t> rank(blocks.size() + 1, kNone);
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;

  std::vector<std::uint32_t> ipdom(blocks.size() + 1, kNone);
  ipdom[exit] = exit;
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (rank[a] < rank[b]) a = ipdom[a];
      while (rank[b] < rank[a]) b = ipdom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (*it == exit) continue;
      std::uint32_t best = kNone;
      for (const std::uint32_t s : blocks[*it].successors) {
        if (rank[s] == kNone || ipdom[s] == kNone) continue;
        best = best == kNone ? s : meet(best, s);
      }
      if (best != kNone && ipdom[*it] != best) {
        ipdom[*it] = best;
        changed = true;
      }
    }
  }

  std::vector<std::uint32_t> points(nodes.size(), static_cast<std::uint32_t>(nodes.size()));
  for (std::uint32_t b = 0; b < exit; ++b) {
    if (ipdom[b] != kNone && ipdom[b] != exit) points[blocks[b].last] = blocks[ipdom[b]].first;
  }
  return points;
}

std::vector<std::vector<std::uint32_t>> kept_over(const std::vector<FlowNode>& nodes,
                                                  std::size_t names,
                                                  const std::vector<std::uint32_t>& at,
                                                  const std::vector<std::uint32_t>& roots,
                                                  const std::vector<std::uint32_t>& defined) {
  const std::vector<BasicBlock> blocks = basic_blocks(nodes);
  const std::vector<BitSet> live_in = live_at_entries(nodes, blocks, names);
  const std::vector<BitSet> written_in = written_at_entries(nodes, blocks, names, roots, defined);
  std::vector<std::vector<std::uint32_t>> kept;
  std::size_t b = 0;
  for (const std::uint32_t node : at) {
    while (blocks[b].last < node) ++b;
    BitSet live(names);
    for (const std::uint32_t s : blocks[b].successors) live.merge(live_in[s]);
    for (std::size_t i = blocks[b].last; i > node; --i) step_back(nodes[i], live);
    for (const std::uint32_t r : nodes[node].writes) live.clear(r);
    BitSet written = written_in[b];
    for (std::size_t i = blocks[b].first; i < node; ++i) {
      for (const std::uint32_t r : nodes[i].writes) written.set(r);
    }
    std::vector<std::uint32_t>& names_here = kept.emplace_back();
    for (std::size_t r = 0; r < names; ++r) {
      if (live.test(r) && written.test(r)) names_here.push_back(static_cast<std::uint32_t>(r));
    }
  }
  return kept;
}

std::uint32_t max_live(const std::vector<FlowNode>& nodes, const std::vector<std::uint8_t>& units) {
  const std::vector<BasicBlock> blocks = basic_blocks(nodes);
  const std::vector<BitSet> live_in = live_at_entries(nodes, blocks, units.size());
  std::uint32_t most = 0;
  for (const BasicBlock& block : blocks) {
    BitSet live(units.size());
    for (const std::uint32_t s : block.successors) live.merge(live_in[s]);
    std::uint32_t total = 0;
    for (std::size_t r = 0; r < units.size(); ++r) total += live.test(r) ? units[r] : 0;
    most = std::max(most, total);
    for (std::size_t i = block.last + std::size_t{1}; i-- > block.first;) {
      // A result without readers needs a register at its instruction.
      std::uint32_t dead = 0;
      for (const std::uint32_t r : nodes[i].writes) dead += live.test(r) ? 0 : units[r];
      most = std::max(most, total + dead);
      live_across(nodes[i], units, live, total);
      most = std::max(most, total);
    }
  }
  return most;
}

}  // namespace tessera::ptx
