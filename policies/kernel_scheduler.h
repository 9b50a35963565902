// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "policies/registry.h"

namespace tessera {

/// A kernel that runs on a GPU, as one of the GPU's SMs sees it.
struct KernelAtSm {
  bool fits = false;           ///< the SM has resources for another CTA of it
  bool has_more = false;       ///< it has CTAs that have not started, and that this SM can get
  std::uint32_t resident = 0;  ///< its CTAs on the SM
};

/// Divides the GPU among kernels of different streams: which kernels run at the same time, and
/// which of them gives an SM its next CTA. The CtaScheduler of that kernel then selects the CTA. A
/// kernel that runs alone gives each SM a CTA whenever one fits; choose() is not called for it.
///
/// Contract: a scheduler has no state, so that one serves all GPUs.
class KernelScheduler : public SystemPolicy {
 public:
  static constexpr const char* kFamily = "kernel_scheduler";

  /// Kernels that can run at the same time; 0: any number.
  virtual std::uint32_t most_kernels() const { return 0; }
  /// Equal parts into which the SMs of each innermost node are divided. A kernel runs on the SMs of
  /// one part, and no other kernel does. 1: all kernels share all SMs.
  virtual std::uint32_t parts() const { return 1; }
  /// The kernel that gives the SM its next CTA: the index of one that fits and has more; or
  /// nothing. `kernels`: two or more, those of higher priority first, then those that began first.
  virtual std::optional<std::size_t> choose(const std::vector<KernelAtSm>& kernels) const = 0;
};

}  // namespace tessera
