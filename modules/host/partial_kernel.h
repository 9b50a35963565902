// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels of which only a part runs on the SMs (docs/guide/windows.md).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "common/ids.h"
#include "policies/cta_scheduler.h"
#include "stimuli/warp_program.h"

namespace tessera {

/// A partially executed CTA.
struct HeldCta {
  SmId sm;  ///< that runs it, or has run it
  CtaId id;
  std::unique_ptr<CtaProgram> program;
};

/// CTAs of a GPU that were executed without timing, before the others.
struct SkippedCtas {
  std::uint64_t ended = 0;
  std::uint64_t ended_numbers = 0;  ///< sum of their numbers
  std::vector<HeldCta> held;        ///< the SMs adopt them
};

/// Executes CTAs of a kernel without timing, to their ends or partially. Returns whether it would
/// execute more.
using CtaSkip = std::function<bool(KernelProgram& kernel, const std::vector<CtaProgram*>& ctas)>;

/// The schedulers of a launch, by GPU.
struct LaunchSchedulers {
  std::vector<CtaScheduler*> of_gpu;
  unsigned sms_per_gpu = 0;
};

struct SkipResult {
  std::vector<std::shared_ptr<SkippedCtas>> of_gpu;
  bool more = true;  ///< the last result of the CtaSkip
};

/// Gives `skip` CTAs of a kernel that is about to start, until it returns false: one by one, in
/// the order in which equally fast SMs would get them; or, for a cooperative kernel, all at once.
SkipResult skip_ctas(KernelProgram& kernel, const LaunchSchedulers& schedulers,
                     const CtaSkip& skip);

/// What a stopped kernel has not executed. The kernel's program must outlive it.
struct KernelRest {
  KernelProgram* kernel = nullptr;
  std::vector<HeldCta> held;  ///< partially executed, in the order of their numbers
  /// Returns CTAs that have not started; nothing if there are no more.
  std::function<std::optional<CtaId>()> next;
};

/// The CTAs that the schedulers have not returned, GPU by GPU and SM by SM.
std::function<std::optional<CtaId>()> ctas_left(LaunchSchedulers schedulers);

}  // namespace tessera
