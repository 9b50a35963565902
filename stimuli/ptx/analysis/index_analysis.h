// SPDX-License-Identifier: Apache-2.0
#pragma once

// Index analysis (LADM III-C), first part: the global accesses of a kernel and their addresses as
// expressions relative to a kernel parameter. locality_table.h classifies them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/ptx/analysis/loops.h"
#include "stimuli/ptx/analysis/symbols.h"
#include "stimuli/ptx/module.h"
#include "stimuli/ptx/points_to.h"
#include "stimuli/warp_program.h"

namespace tessera::ptx {

/// A load, store or atomic that can access global memory.
struct GlobalAccess {
  std::size_t instruction = 0;  ///< index in the body with calls expanded
  unsigned line = 0;
  AccessKind kind = AccessKind::kLoad;
  std::uint32_t bytes = 4;  ///< of a thread
  std::string text;         ///< of the instruction
  /// Loops around it, outermost first: indices of IndexAnalysis::loops.
  std::vector<unsigned> loops;
  /// The data structure, and the byte offset from its pointer. Empty if the pointer is not known.
  std::optional<PointerOrigin> origin;
  Polynomial offset;
  std::string problem;  ///< why the pointer is not known
};

struct LoopInfo {
  unsigned line = 0;               ///< of the first instruction
  std::optional<unsigned> parent;  ///< the smallest loop around it
};

struct IndexAnalysis {
  std::string kernel;
  SymbolTable symbols;
  std::vector<LoopInfo> loops;
  std::vector<GlobalAccess> accesses;
  /// By Symbol::block of an opaque symbol: the loops in which its value can vary.
  std::vector<std::vector<unsigned>> loops_of_block;
  bool reads_ctaid_y = false;
  bool reads_ctaid_z = false;

  /// Whether the value differs between iterations of the loop.
  bool varies_in(const Polynomial& p, unsigned loop) const;
};

/// Throws InputError if the module has no such entry. Kernels whose calls cannot be expanded, or
/// whose loops cannot be found, have accesses with a problem.
IndexAnalysis analyse_indices(const Module& module, const std::string& entry);

}  // namespace tessera::ptx
