// SPDX-License-Identifier: Apache-2.0
#include "stimuli/ptx/analysis/loops.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "stimuli/ptx/calls.h"

namespace tessera::ptx {

LoopNest::LoopNest(const Function& function) {
  blocks_ = basic_blocks(flow_nodes(function));
  block_of_.resize(function.body.size());
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    for (std::uint32_t i = blocks_[b].first; i <= blocks_[b].last; ++i) block_of_[i] = b;
  }
  predecessors_.resize(blocks_.size());
  if (blocks_.empty()) return;
  find_dominators();
  find_frontiers();
  find_loops(function);
}

std::vector<FlowNode> LoopNest::flow_nodes(const Function& function) {
  std::unordered_map<std::string, std::size_t> labels;
  for (const Label& l : function.labels) labels[l.name] = l.position;
  std::vector<FlowNode> nodes(function.body.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Instruction& in = function.body[i];
    const bool always = in.guard.empty();
    if (in.opcode == "bra" && !in.operands.empty()) {
      const auto target = labels.find(in.operands[0].name);
      if (target == labels.end()) {
        obstacle_ = "the branch of line " + std::to_string(in.line) + " has an unknown target";
        continue;
      }
      nodes[i].falls_through = !always;
      // A label at the end of the body is the exit.
      if (target->second < nodes.size()) {
        nodes[i].target = static_cast<std::int64_t>(target->second);
      }
    } else if (in.opcode == "brx") {
      obstacle_ = "line " + std::to_string(in.line) + " is an indirect branch";
    } else if (in.opcode == "ret" || in.opcode == "exit" || in.opcode == "trap" ||
               in.opcode == kReturnOpcode) {
      nodes[i].falls_through = !always;
    }
  }
  return nodes;
}

// Iterative algorithm: intersect the predecessors' dominator chains until a fixed point.
void LoopNest::find_dominators() {
  const auto exit = static_cast<std::uint32_t>(blocks_.size());
  std::vector<std::uint8_t> seen(blocks_.size(), 0);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack{{0, 0}};
  seen[0] = 1;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    if (next == blocks_[block].successors.size()) {
      order_.push_back(block);
      stack.pop_back();
      continue;
    }
    const std::uint32_t s = blocks_[block].successors[next++];
    if (s == exit) continue;
    predecessors_[s].push_back(block);
    if (seen[s] != 0) continue;
    seen[s] = 1;
    stack.emplace_back(s, 0);
  }
  std::reverse(order_.begin(), order_.end());
  rank_.assign(blocks_.size(), kNoBlock);
  for (std::uint32_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;

  idom_.assign(blocks_.size(), kNoBlock);
  idom_[0] = 0;
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    while (a != b) {
      while (rank_[a] > rank_[b]) a = idom_[a];
      while (rank_[b] > rank_[a]) b = idom_[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t block : order_) {
      if (block == 0) continue;
      std::uint32_t best = kNoBlock;
      for (const std::uint32_t p : predecessors_[block]) {
        if (idom_[p] == kNoBlock) continue;
        best = best == kNoBlock ? p : meet(best, p);
      }
      changed = changed || idom_[block] != best;
      idom_[block] = best;
    }
  }
}

/// The dominance frontier of a block: the merges that it reaches and does not dominate.
void LoopNest::find_frontiers() {
  frontiers_.resize(blocks_.size());
  for (const std::uint32_t block : order_) {
    const bool is_entry = block == 0;
    if (predecessors_[block].size() < 2 && !is_entry) continue;
    for (const std::uint32_t p : predecessors_[block]) {
      for (std::uint32_t runner = p;; runner = idom_[runner]) {
        if (!is_entry && runner == idom_[block]) break;
        std::vector<std::uint32_t>& frontier = frontiers_[runner];
        if (frontier.empty() || frontier.back() != block) frontier.push_back(block);
        if (runner == 0) break;
      }
    }
  }
}

std::vector<bool> LoopNest::merge_blocks(const std::vector<std::uint32_t>& blocks) const {
  std::vector<bool> merges(blocks_.size(), false);
  std::vector<std::uint32_t> work = blocks;
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    for (const std::uint32_t m : frontiers_[b]) {
      if (merges[m]) continue;
      merges[m] = true;
      work.push_back(m);
    }
  }
  return merges;
}

bool LoopNest::dominates(std::uint32_t a, std::uint32_t b) const {
  while (rank_[b] > rank_[a]) b = idom_[b];
  return a == b;
}

bool LoopNest::exits_at_latches(const Function& function, const Loop& loop) const {
  const auto is_inside = [&](std::uint32_t b) { return b < blocks_.size() && loop.blocks[b]; };
  const auto is_latch = [&](std::uint32_t b) {
    return std::find(loop.latches.begin(), loop.latches.end(), b) != loop.latches.end();
  };
  // "@%p1 bra EXIT; bra.uni HEADER", as clang -O2 writes, has a latch without work.
  const auto is_empty_latch = [&](std::uint32_t b) {
    const Instruction& only = function.body[blocks_[b].first];
    return is_latch(b) && blocks_[b].first == blocks_[b].last && only.opcode == "bra" &&
           only.guard.empty();
  };
  for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
    if (!loop.blocks[b] || is_latch(b)) continue;
    const std::vector<std::uint32_t>& next = blocks_[b].successors;
    const bool stays = std::all_of(next.begin(), next.end(), is_inside);
    const bool ends_iteration = std::all_of(next.begin(), next.end(), [&](std::uint32_t s) {
      return !is_inside(s) || is_empty_latch(s);
    });
    if (!stays && !ends_iteration) return false;
  }
  return true;
}

void LoopNest::find_loops(const Function& function) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> latches;  // by header
  for (const std::uint32_t block : order_) {
    for (const std::uint32_t p : predecessors_[block]) {
      if (rank_[p] < rank_[block]) continue;  // a forward edge
      if (dominates(block, p)) {
        latches[block].push_back(p);
      } else if (obstacle_.empty()) {
        obstacle_ = "the cycle at line " +
                    std::to_string(function.body[blocks_[block].first].line) +
                    " has several entries";
      }
    }
  }
  for (auto& [header, ends] : latches) {
    Loop loop;
    loop.header = header;
    loop.latches = ends;
    loop.line = function.body[blocks_[header].first].line;
    loop.blocks.assign(blocks_.size(), false);
    loop.blocks[header] = true;
    std::vector<std::uint32_t> work = ends;
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      if (loop.blocks[b]) continue;
      loop.blocks[b] = true;
      work.insert(work.end(), predecessors_[b].begin(), predecessors_[b].end());
    }
    loop.exits_at_latches = exits_at_latches(function, loop);
    loops_.push_back(std::move(loop));
  }
  const auto size = [](const Loop& l) {
    return std::count(l.blocks.begin(), l.blocks.end(), true);
  };
  for (unsigned i = 0; i < loops_.size(); ++i) {
    for (unsigned j = 0; j < loops_.size(); ++j) {
      if (i == j || !loops_[j].blocks[loops_[i].header]) continue;
      const std::optional<unsigned>& parent = loops_[i].parent;
      if (!parent || size(loops_[j]) < size(loops_[*parent])) loops_[i].parent = j;
    }
  }
}

std::vector<unsigned> LoopNest::loops_of(std::uint32_t block) const {
  std::vector<unsigned> found;
  for (unsigned i = 0; i < loops_.size(); ++i) {
    if (loops_[i].blocks[block]) found.push_back(i);
  }
  std::sort(found.begin(), found.end(),
            [&](unsigned a, unsigned b) { return a != b && loops_[a].blocks[loops_[b].header]; });
  return found;
}

std::optional<unsigned> LoopNest::loop_of_header(std::uint32_t block) const {
  for (unsigned i = 0; i < loops_.size(); ++i) {
    if (loops_[i].header == block) return i;
  }
  return std::nullopt;
}

bool LoopNest::reaches_in_iteration(unsigned loop, std::uint32_t to) const {
  const std::optional<unsigned>& parent = loops_[loop].parent;
  const std::uint32_t stop = parent ? loops_[*parent].header : kNoBlock;
  std::vector<std::uint8_t> seen(blocks_.size(), 0);
  std::vector<std::uint32_t> work{loops_[loop].header};
  while (!work.empty()) {
    const std::uint32_t b = work.back();
    work.pop_back();
    if (b >= blocks_.size() || seen[b] != 0) continue;
    seen[b] = 1;
    if (b == to) return true;
    for (const std::uint32_t s : blocks_[b].successors) {
      if (s != stop) work.push_back(s);
    }
  }
  return false;
}

}  // namespace tessera::ptx
