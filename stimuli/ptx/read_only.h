// SPDX-License-Identifier: Apache-2.0
#pragma once

// The read-only pass (NUBA 5.2): finds the arrays that a kernel only reads, and the loads that can
// become ld.global.ro, so that their requests carry the read-only bit. The scope is one kernel. The
// launch handles parameters that point to the same array (launch.h). Rules:
// docs/passes/read-only.md.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stimuli/ptx/module.h"
#include "stimuli/ptx/points_to.h"

namespace tessera::ptx {

struct FlatKernel;

enum class PointerUse : std::uint8_t {
  kUnused,    ///< no access uses it in its address
  kReadOnly,  ///< loaded, never stored to, never updated; its address does not escape
  kWritten,   ///< a store can access it
  kAtomic,    ///< an atomic but no store can access it
  kUnknown,   ///< it can be written by accesses that the pass does not track
};
/// "unused", "read-only", "written", "atomic" or "unknown".
const char* pointer_use_name(PointerUse use);

struct PointerReport {
  PointerOrigin origin;
  PointerUse use = PointerUse::kUnused;
  /// Line of the instruction that determines the use (0 for kUnused), and the reason as text.
  unsigned line = 0;
  std::string why;
  /// Load instructions that can access it, and the number of those with the read-only bit.
  unsigned loads = 0;
  unsigned marked_loads = 0;
};

/// A load that becomes ld.global.ro if all its possible targets are read-only.
struct ReadOnlyLoad {
  std::size_t instruction = 0;          ///< index in the function's body
  std::vector<std::uint32_t> pointers;  ///< indices of ReadOnlyReport::pointers
};

struct ReadOnlyReport {
  /// Every origin (points_to.h), in its order.
  std::vector<PointerReport> pointers;
  std::vector<ReadOnlyLoad> loads;
  /// Load instructions that can access global memory, and the number of those with the read-only
  /// bit: `loads` and loads that are read-only by definition (ld.global.nc, ldu).
  unsigned global_loads = 0;
  unsigned marked_loads = 0;
  /// True if a write can access any address, because its address has an unknown origin.
  bool writes_anywhere = false;
  /// Surface references (.surfref) with stores. For stores by a handle, the handle is a pointer of
  /// use kUnknown.
  std::vector<std::string> written_surfaces;
};

/// `kernel`: of expand_calls(). A `call` that remains can write to any address.
ReadOnlyReport find_read_only(const Module& module, const FlatKernel& kernel);

/// The report of an entry of the module. Expands calls, unless a function is missing. Throws
/// InputError if there is no such entry.
ReadOnlyReport find_read_only(const Module& module, const std::string& entry);

}  // namespace tessera::ptx
