// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs kernels and CTAs without timing, from any source of warp programs.

#include <cstdint>
#include <vector>

#include "stimuli/warp_program.h"

namespace tessera {

struct Executed {
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;  ///< summed over active lanes

  Executed& operator+=(const Executed& other) {
    warp_instructions += other.warp_instructions;
    thread_instructions += other.thread_instructions;
    return *this;
  }
};

inline constexpr std::uint64_t kAllInstructions = ~std::uint64_t{0};

/// Runs CTAs of a launch without timing: to their ends, or until they have executed at least `most`
/// thread instructions (less than one warp instruction more). The CTAs run in turn, with a slice of
/// instructions per warp, because they can wait for each other. They can be new or partially
/// executed and released by an SM, and an SM can adopt them (CtaSinkIf::adopt_cta). The program's
/// values must be in a flat memory (KernelProgram::use_flat_memory()). Throws RunError, with warp
/// and line, if a CTA needs more than `budget` warp instructions (0 = no limit) or deadlocks at a
/// barrier.
Executed run_ctas(const KernelProgram& program, const std::vector<CtaProgram*>& ctas,
                  std::uint64_t most = kAllInstructions, std::uint64_t budget = 0);

/// run_ctas() of one CTA.
inline Executed run_cta(const KernelProgram& program, CtaProgram& cta,
                        std::uint64_t most = kAllInstructions) {
  return run_ctas(program, {&cta}, most);
}

/// Runs a launch to its end without timing, CTA by CTA; the CTAs of a cooperative kernel run in
/// turn (at most 16384 CTAs, otherwise InputError). `budget` and errors: as in run_ctas().
Executed run_functionally(KernelProgram& program, std::uint64_t budget = 0);

}  // namespace tessera
