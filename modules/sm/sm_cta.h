// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "common/ids.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// A CTA on an SM.
struct SmCta {
  std::unique_ptr<CtaProgram> program;
  LaunchedCta id;
  std::uint32_t live_warps = 0;
  std::uint32_t loads = 0;  ///< outstanding loads, atomics with a result, asynchronous copies
  std::uint64_t slots = 0;  ///< of its warps
};

/// A CTA that an SM is to start, or (`adopted`) to take over.
struct SmCtaStart {
  KernelProgram* kernel = nullptr;
  LaunchedCta cta;
  std::unique_ptr<CtaProgram> adopted;
};

}  // namespace tessera
