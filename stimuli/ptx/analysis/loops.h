// SPDX-License-Identifier: Apache-2.0
#pragma once

// Basic blocks, dominators and natural loops of a kernel.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/ptx/cfg.h"
#include "stimuli/ptx/module.h"

namespace tessera::ptx {

inline constexpr std::uint32_t kNoBlock = ~0u;

/// A natural loop: the blocks from which its header can be reached again without leaving it.
struct Loop {
  std::uint32_t header = 0;            ///< block
  std::vector<std::uint32_t> latches;  ///< blocks with an edge back to the header
  std::vector<bool> blocks;            ///< by block: whether it is in the loop
  std::optional<unsigned> parent;      ///< the smallest loop around it
  unsigned line = 0;                   ///< of the header's first instruction
  /// Every exit is the branch of a latch, or one around a latch that has no other instruction than
  /// its branch, as in do-while loops. The last iteration is complete.
  bool exits_at_latches = false;
};

class LoopNest {
 public:
  /// `function`: of expand_calls(), it must outlive the object. Calls that remain are not followed.
  explicit LoopNest(const Function& function);

  const std::vector<BasicBlock>& blocks() const { return blocks_; }
  std::uint32_t block_of(std::size_t instruction) const { return block_of_[instruction]; }
  /// Predecessors that the entry reaches.
  const std::vector<std::uint32_t>& predecessors(std::uint32_t block) const {
    return predecessors_[block];
  }
  bool is_reachable(std::uint32_t block) const { return block == 0 || idom_[block] != kNoBlock; }
  bool dominates(std::uint32_t a, std::uint32_t b) const;
  std::uint32_t immediate_dominator(std::uint32_t block) const { return idom_[block]; }
  /// The blocks where definitions in `blocks` meet other definitions (the iterated dominance
  /// frontier), by block.
  std::vector<bool> merge_blocks(const std::vector<std::uint32_t>& blocks) const;

  /// In the order of their headers in the text.
  const std::vector<Loop>& loops() const { return loops_; }
  /// The loops that contain a block, outermost first.
  std::vector<unsigned> loops_of(std::uint32_t block) const;
  /// The loop of which the block is the header.
  std::optional<unsigned> loop_of_header(std::uint32_t block) const;
  /// Whether `to` can be reached from the loop's header in the same iteration of the loop's parent.
  bool reaches_in_iteration(unsigned loop, std::uint32_t to) const;

  /// Why loops cannot be found: indirect branches, or a cycle with several entries. Otherwise
  /// empty.
  const std::string& obstacle() const { return obstacle_; }

 private:
  std::vector<FlowNode> flow_nodes(const Function& function);
  void find_dominators();
  void find_frontiers();
  bool exits_at_latches(const Function& function, const Loop& loop) const;
  void find_loops(const Function& function);

  std::vector<BasicBlock> blocks_;
  std::vector<std::uint32_t> block_of_;
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::vector<std::uint32_t> order_;  ///< reachable blocks in reverse post-order
  std::vector<std::uint32_t> rank_;   ///< position in order_
  std::vector<std::uint32_t> idom_;
  std::vector<std::vector<std::uint32_t>> frontiers_;
  std::vector<Loop> loops_;
  std::string obstacle_;
};

}  // namespace tessera::ptx
