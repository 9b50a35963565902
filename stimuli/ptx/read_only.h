// SPDX-License-Identifier: Apache-2.0
#pragma once

// The read-only pass (NUBA 5.2): which arrays a kernel only reads, and which of its loads may
// become ld.global.ro, so that their requests carry the read-only bit. It holds within one kernel;
// that two parameters may be given one array is for the launch to see (launch.h).
// docs/passes/read-only.md has the rules.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/ptx/module.h"
#include "stimuli/ptx/points_to.h"

namespace tessera::ptx {

enum class PointerUse : std::uint8_t {
  kUnused,    ///< no access has it in its address
  kReadOnly,  ///< loaded, never written, never updated, its address goes nowhere
  kWritten,   ///< a store may be to it
  kAtomic,    ///< an atomic may be on it, but no store
  kUnknown,   ///< it may be written by what the pass cannot follow
};
/// "unused", "read-only", "written", "atomic", "unknown".
const char* pointer_use_name(PointerUse use);

struct PointerReport {
  PointerOrigin origin;
  PointerUse use = PointerUse::kUnused;
  /// Where that was decided (0: nowhere, for kUnused), and why in words.
  unsigned line = 0;
  std::string why;
  /// Load instructions that may be from it, and those of them that carry the read-only bit.
  unsigned loads = 0;
  unsigned marked_loads = 0;
};

/// A load that becomes ld.global.ro as long as all it may be from is read-only.
struct ReadOnlyLoad {
  std::size_t instruction = 0;          ///< index in the function's body
  std::vector<std::uint32_t> pointers;  ///< indices of ReadOnlyReport::pointers
};

struct ReadOnlyReport {
  /// Every origin (points_to.h), in its order.
  std::vector<PointerReport> pointers;
  std::vector<ReadOnlyLoad> loads;
  /// Load instructions that may be from global memory, and those that carry the read-only bit:
  /// `loads`, and those that are read-only by definition (ld.global.nc, ldu).
  unsigned global_loads = 0;
  unsigned marked_loads = 0;
  /// A write may be to anything: its address is of unknown origin.
  bool writes_anywhere = false;
  /// Surface references (.surfref) that are stored to. Surfaces that are stored to by a handle are
  /// pointers of use kUnknown.
  std::vector<std::string> written_surfaces;
};

/// `function`: a kernel whose calls are expanded (expand_calls), or not: then a call may write
/// anything.
ReadOnlyReport find_read_only(const Module& module, const Function& function);

/// Of an entry of the module; its calls are expanded where that can be done. Throws InputError when
/// there is no such entry.
ReadOnlyReport find_read_only(const Module& module, const std::string& entry);

}  // namespace tessera::ptx
