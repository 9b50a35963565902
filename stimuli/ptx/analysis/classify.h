// SPDX-License-Identifier: Apache-2.0
#pragma once

// The steps from accesses to typed groups, for locality_table.cpp.

#include <vector>

#include "stimuli/ptx/analysis/locality_table.h"

namespace tessera::ptx {

/// Whether the value depends on the CTA or on a loop.
bool depends_on_place(const SymbolTable& symbols, const Polynomial& p);
/// Whether the value is the same for all threads of a launch.
bool is_uniform(const SymbolTable& symbols, const Polynomial& p);

/// Removes the treatment of borders from an index: min(x, n) and max(x, n) become x if n is the
/// same for all threads; a select whose condition singles out the border becomes the interior's
/// value.
Polynomial without_bounds(SymbolTable& symbols, const Polynomial& p);

/// Groups the accesses of one data structure.
std::vector<AccessGroup> group_accesses(IndexAnalysis& analysis,
                                        const std::vector<std::size_t>& accesses);

/// The values of a launch that a classification uses.
struct LaunchView {
  const SymbolValues& values;
  Dim3 grid;
  Dim3 block;
};

/// An index without bit masks that change none of its values at a launch, or that leave 0.
Polynomial without_masks(const SymbolTable& symbols, const Polynomial& p, const LaunchView& launch);

/// LADM's Algorithm 1. `launch`: null before a launch.
Locality classify(const IndexAnalysis& analysis, const AccessGroup& group,
                  const LaunchView* launch);

/// The type of a data structure whose deciding groups have these types. `lines`: of their first
/// accesses.
Locality merged(const std::vector<Locality>& types, const std::vector<unsigned>& lines);

}  // namespace tessera::ptx
