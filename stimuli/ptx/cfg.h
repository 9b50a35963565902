// SPDX-License-Identifier: Apache-2.0
#pragma once

// Control flow of a kernel: reconvergence points (immediate post-dominators) and liveness.

#include <cstdint>
#include <vector>

namespace tessera::ptx {

/// An instruction's properties for control flow and liveness.
struct FlowNode {
  /// Whether execution can continue at the next instruction.
  bool falls_through = true;
  /// Index of a branch's target, or -1.
  std::int64_t target = -1;
  /// Registers by dense index. A predicated write does not end the live range of the old value.
  std::vector<std::uint32_t> reads;
  std::vector<std::uint32_t> writes;
  bool predicated = false;
};

/// A basic block: instructions [first, last].
struct BasicBlock {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::vector<std::uint32_t> successors;  ///< block indices; block count = exit
};

std::vector<BasicBlock> basic_blocks(const std::vector<FlowNode>& nodes);

/// For each instruction that branches: the first instruction of its block's immediate
/// post-dominator, or nodes.size() if paths meet only at the exit. Undefined for other
/// instructions.
std::vector<std::uint32_t> reconvergence_points(const std::vector<FlowNode>& nodes);

/// For each node of `at`, ascending: the names whose value after the node is one from before it. It
/// is read later, the node does not write it, and on some path from a node of `roots` it has been
/// written. The names of `defined` have a value at the roots. `names`: number of names.
std::vector<std::vector<std::uint32_t>> kept_over(const std::vector<FlowNode>& nodes,
                                                  std::size_t names,
                                                  const std::vector<std::uint32_t>& at,
                                                  const std::vector<std::uint32_t>& roots,
                                                  const std::vector<std::uint32_t>& defined);

/// The largest sum of `units` over the registers that are live at the same point.
std::uint32_t max_live(const std::vector<FlowNode>& nodes, const std::vector<std::uint8_t>& units);

}  // namespace tessera::ptx
